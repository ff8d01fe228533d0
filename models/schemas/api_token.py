"""Who may ask the farm over HTTP, and for what."""

from enum import StrEnum

from pydantic import Field

from models.identifiers import SLUG
from models.schemas.base import Schema

LONGEST_LIFE_DAYS = 3_650


class TokenRole(StrEnum):
    """What a token may do. Each one may do all that the ones before it may.

    `read`: look at everything but answers. `schedule`: start and steer campaigns, prove, grade
    again. `admin`: workers, limits of systems, tokens, and artifacts, which may hold answers.
    """

    READ = "read"
    SCHEDULE = "schedule"
    ADMIN = "admin"

    def allows(self, needed: "TokenRole") -> bool:
        """Whether this role is enough for what needs `needed`."""
        order = list(TokenRole)
        return order.index(self) >= order.index(needed)


class TokenView(Schema):
    """A token without its secret, which nobody can read again. Times in epoch seconds.

    `last_used_at` is exact to about a minute.
    """

    name: str
    role: TokenRole
    created_at: float
    expires_at: float | None
    last_used_at: float | None
    revoked_at: float | None

    def is_good_at(self, now: float) -> bool:
        """Whether it opens anything at `now`."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class NewToken(Schema):
    """A token that is asked for; `days` is how long it lives, None: until it is revoked."""

    name: str = Field(pattern=f"^{SLUG.pattern}$")
    role: TokenRole
    days: float | None = Field(default=None, gt=0, le=LONGEST_LIFE_DAYS)


class CreatedToken(Schema):
    """A token with its secret. This is the only time that it is shown."""

    token: TokenView
    secret: str = Field(repr=False)
