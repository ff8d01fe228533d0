"""Whom a verifier trusts: public keys with their roles, and the log positions they may sign at."""

from typing import Annotated, Literal

from pydantic import Field

from models.schemas.base import FirstVersion, Schema

PublicKey = Annotated[str, Field(pattern="^[A-Za-z0-9+/]{43}=$")]
"""32 bytes in base64."""


class TrustedKey(Schema):
    """A public key, good for what enters the log from position `first` on and before `until`.

    What a `revoked` key signed counts only where the run was closed in the log before `until`: its
    owner may not have been the only one to have it.
    """

    id: str
    role: Literal["recorder", "grader", "log"]
    public: PublicKey
    first: int = Field(ge=0)
    until: int | None = Field(default=None, ge=0)
    revoked: bool = False

    def covers(self, position: int) -> bool:
        """Whether it may sign for what stands at `position` of the log."""
        return self.first <= position and (self.until is None or position < self.until)


class TrustPolicy(Schema):
    """A farm's log by name, and its keys. Get it from the farm's owner, not with a record."""

    schema_version: FirstVersion = 1
    log: str = Field(min_length=1, pattern=r"^[^\s+]+$")
    root: PublicKey
    keys: tuple[TrustedKey, ...]
