"""Tokens of the HTTP API: made, found, counted, revoked. A secret is kept nowhere."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.orm import Session

from models.errors import NotFound, Refused
from models.schemas.api_token import CreatedToken, NewToken, TokenView
from models.tables.api_tokens import ApiTokenRow

PREFIX = "gf_"
"""So that a secret that was left somewhere can be recognised by whoever looks for such."""
SECRET_BYTES = 32
DAY_S = 86_400.0

BY_DIGEST = select(ApiTokenRow).where(ApiTokenRow.digest == bindparam("digest"))
ANY = select(ApiTokenRow.pk).limit(1)
USED = (
    update(ApiTokenRow)
    .where(
        ApiTokenRow.name == bindparam("called"),
        func.coalesce(ApiTokenRow.last_used_at, 0.0) < bindparam("used"),
    )
    .values(last_used_at=bindparam("used"))
)


def create_token(session: Session, wanted: NewToken, now: float) -> CreatedToken:
    """A new token with its secret. Raises Refused where the name was ever given out."""
    taken = select(ApiTokenRow.pk).where(ApiTokenRow.name == wanted.name)
    if session.execute(taken).first() is not None:
        raise Refused(
            f"there is, or was, a token called {wanted.name}.",
            remedy="Choose another name: logs tell who did something by the name alone.",
        )
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    row = ApiTokenRow(
        name=wanted.name,
        digest=_digest(secret),
        role=wanted.role,
        created_at=now,
        expires_at=None if wanted.days is None else now + wanted.days * DAY_S,
    )
    session.add(row)
    session.flush()
    return CreatedToken(token=_view(row), secret=secret)


def find_token(session: Session, secret: str, now: float) -> TokenView | None:
    """The token whose secret that is, None unless it is good at `now`."""
    digest = _digest(secret)
    row = session.execute(BY_DIGEST, {"digest": digest}).scalar_one_or_none()
    if row is None or not hmac.compare_digest(row.digest, digest):
        return None
    view = _view(row)
    return view if view.is_good_at(now) else None


def list_tokens(session: Session) -> list[TokenView]:
    """All tokens that were ever made, by name."""
    rows = session.execute(select(ApiTokenRow).order_by(ApiTokenRow.name)).scalars()
    return [_view(row) for row in rows]


def any_token(session: Session) -> bool:
    """Whether a token was ever made, be it revoked by now."""
    return session.connection().execute(ANY).first() is not None


def revoke_token(session: Session, name: str, now: float) -> TokenView:
    """Let a token open nothing from now on; once more changes nothing. Raises NotFound."""
    row = session.execute(select(ApiTokenRow).where(ApiTokenRow.name == name)).scalar_one_or_none()
    if row is None:
        raise NotFound(
            f"there is no token called {name}.", remedy="`gradefarm tokens list` shows them."
        )
    if row.revoked_at is None:
        row.revoked_at = now
        session.flush()
    return _view(row)


def note_uses(session: Session, used: Mapping[str, float]) -> None:
    """Keep when tokens were used last, by name."""
    for name in sorted(used):
        session.connection().execute(USED, {"called": name, "used": used[name]})


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _view(row: ApiTokenRow) -> TokenView:
    return TokenView.model_validate({name: getattr(row, name) for name in TokenView.model_fields})
