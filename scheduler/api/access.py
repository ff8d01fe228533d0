"""Decides who a request is from and whether it may go on."""

from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from models.clock import Clock
from models.schemas.api_token import TokenRole
from models.storage.api_tokens import any_token, find_token
from models.storage.transaction import Database
from scheduler.api.access_errors import LoginNeeded, RoleNeeded
from scheduler.api.failed_logins import FailedLogins
from scheduler.api.loopback import refuse_foreign_name
from scheduler.api.roles import needed_role
from scheduler.api.token_uses import TokenUses

ANYBODY = "anybody"
BEARER = "bearer "


@dataclass(frozen=True)
class Principal:
    """Who asks: the name of a token, or anybody on this machine."""

    name: str
    role: TokenRole
    secret: str = field(default="", repr=False)

    def refuse_below(self, needed: TokenRole) -> None:
        """Raises RoleNeeded where the role is not enough."""
        if not self.role.allows(needed):
            raise RoleNeeded(
                f"{self.name} may {self.role}, and this needs the role {needed}.",
                remedy=f"Ask an administrator for a token with the role {needed}.",
            )


@dataclass(frozen=True)
class Knock:
    """What is looked at of a request before it may go on. `path` is decoded."""

    method: str
    path: str
    host: str
    authorization: str | None = field(repr=False)
    address: str


@dataclass(frozen=True)
class Access:
    """The rules of one server. `open_reading`: without any token in the farm, anybody may read."""

    database: Database
    clock: Clock
    uses: TokenUses
    failures: FailedLogins
    open_reading: bool

    def admit(self, knock: Knock) -> Principal:
        """Who asks. Raises LoginNeeded, RoleNeeded, ForeignName."""
        needed = needed_role(knock.method, knock.path)
        if needed is None:
            return Principal(ANYBODY, TokenRole.READ)
        if knock.authorization is None:
            return self._anybody(knock, needed)
        scheme, secret = knock.authorization[: len(BEARER)], knock.authorization[len(BEARER) :]
        known = self.known(secret.strip()) if scheme.lower() == BEARER else None
        if known is None:
            self.failures.note(knock.address, self.clock.now(), "no such token, or no longer")
            raise LoginNeeded(
                "the token is not known here, has expired, or was revoked.",
                remedy="Ask an administrator for another: `gradefarm tokens create`.",
            )
        known.refuse_below(needed)
        return known

    def known(self, secret: str) -> Principal | None:
        """Whose token that is; None where it is not good now."""
        now = self.clock.now()
        with self.database.read() as session:
            token = find_token(session, secret, now)
        if token is None:
            return None
        self.uses.note(token, now)
        return Principal(token.name, token.role, secret)

    def still_good(self, principal: Principal) -> bool:
        """Whether somebody who was let in would be let in again."""
        if principal.secret:
            return self.known(principal.secret) is not None
        return self._is_open()

    def _is_open(self) -> bool:
        if not self.open_reading:
            return False
        with self.database.read() as session:
            return not any_token(session)

    def _anybody(self, knock: Knock, needed: TokenRole) -> Principal:
        if needed is TokenRole.READ and self._is_open():
            refuse_foreign_name(knock.host)
            return Principal(ANYBODY, TokenRole.READ)
        self.failures.note(knock.address, self.clock.now(), "no token")
        raise LoginNeeded(
            f"this needs a token with the role {needed}.",
            remedy="Send it as `Authorization: Bearer …`; `gradefarm tokens create` makes one.",
        )


def principal_of(request: Request) -> Principal:
    """Who was let in with this request."""
    return cast("Principal", request.state.principal)


Who = Annotated[Principal, Depends(principal_of)]
"""A parameter of operations: who was let in with the request."""
