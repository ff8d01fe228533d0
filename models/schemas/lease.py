"""The right of one worker to work on one stage of one run until a time."""

from pydantic import Field, ValidationInfo, field_validator

from models.schemas.base import Schema

RENEWALS_IN_LEASE = 3
"""So many beats may be tried before a lease ends: one that comes late loses nothing."""


class LeaseTerms(Schema):
    """Durations in seconds. A lease is renewed every `beat_s` and ends after `lease_s`.

    A message has `queue_slot_s` to reach a worker. Every process of a farm needs the same terms.
    A worker that waits for the database longer than its lease lasts has lost it, which its token
    tells it: short leases cost work, never a wrong result.
    """

    lease_s: float = Field(default=60.0, gt=0, le=86_400)
    beat_s: float = Field(default=15.0, ge=0.05)
    queue_slot_s: float = Field(default=120.0, ge=1, le=86_400)

    @property
    def answer_s(self) -> float:
        """How long a worker waits for one answer of the database: long enough to ask again while
        the lease holds."""
        return self.lease_s / 2

    @field_validator("beat_s")
    @classmethod
    def _renews_in_time(cls, beat_s: float, info: ValidationInfo) -> float:
        lease_s = info.data.get("lease_s")
        # A lease that is not valid itself has been complained of already.
        if isinstance(lease_s, float) and beat_s * RENEWALS_IN_LEASE > lease_s * (1 + 1e-9):
            raise ValueError(
                f"must be at most a third of the lease of {lease_s:g} s, "
                f"{lease_s / RENEWALS_IN_LEASE:g} s"
            )
        return beat_s
