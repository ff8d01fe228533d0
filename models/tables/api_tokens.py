"""Who may ask the farm over HTTP."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.api_token import TokenRole
from models.tables.base import Base, SmallKey, closed_set


class ApiTokenRow(Base):
    """One token. `digest` is the SHA-256 of its secret, in hexadecimal digits.

    The secret is 256 random bits, so that neither a salt nor a slow hash would add anything: it
    can't be guessed, and no table of guesses holds it. A row stays when its token is revoked.
    """

    __tablename__ = "api_tokens"

    pk: Mapped[SmallKey]
    name: Mapped[str] = mapped_column(String(64), unique=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[TokenRole] = mapped_column(closed_set(TokenRole, "role"))
    created_at: Mapped[float]
    expires_at: Mapped[float | None]
    last_used_at: Mapped[float | None]
    revoked_at: Mapped[float | None]
