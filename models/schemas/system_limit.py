"""How much of one system may happen at once, whoever asks for it: all workers and campaigns."""

import math

from pydantic import Field

from models.schemas.base import Schema

MINUTE_S = 60.0
BURST_S = 1.0
"""Starts may come so much early, so that a whole tick's worth of them can begin together."""
LONGEST_WAIT_S = 60.0
"""A claim may have waited so long for its turn since it read the clock."""


class SystemLimits(Schema):
    """What is asked for: None limits nothing."""

    max_concurrent: int | None = Field(default=None, ge=1, le=1_000_000)
    starts_per_minute: int | None = Field(default=None, ge=1, le=1_000_000)

    @property
    def limits_anything(self) -> bool:
        """Whether any limit is given."""
        return self.max_concurrent is not None or self.starts_per_minute is not None

    def changed_by(self, other: "SystemLimits") -> "SystemLimits":
        """These limits, but those of `other` where it gives any."""
        return SystemLimits(
            max_concurrent=other.max_concurrent or self.max_concurrent,
            starts_per_minute=other.starts_per_minute or self.starts_per_minute,
        )

    def are_loosened_by(self, other: "SystemLimits") -> bool:
        """Whether `changed_by(other)` allows more than these."""
        pairs = (
            (self.max_concurrent, other.max_concurrent),
            (self.starts_per_minute, other.starts_per_minute),
        )
        return any(old is not None and new is not None and new > old for old, new in pairs)


class SystemLimit(SystemLimits):
    """The limits of one system, with its pace: the generic cell rate algorithm (ITU-T I.371).

    A run may start at `now` where now >= next_start_at - BURST_S; then next_start_at becomes
    max(now, next_start_at) + (60 + BURST_S) / starts_per_minute. Of k starts the last is at least
    (k - 1) * (60 + BURST_S) / N - BURST_S after the first, so that any 60 seconds (one end open)
    hold at most N of them, bursts included; in the long run N are spread over 61 seconds.
    """

    next_start_at: float = 0.0

    @property
    def interval_s(self) -> float:
        """Seconds between two starts in the long run; 0 without a limit."""
        return (MINUTE_S + BURST_S) / self.starts_per_minute if self.starts_per_minute else 0.0

    def _next(self, now: float) -> float:
        """When the next start is due; one that nobody can have set by `now` is past."""
        latest = now + BURST_S + self.interval_s
        # A clock that was stepped back must not hold a system up for long.
        return self.next_start_at if self.next_start_at <= latest + LONGEST_WAIT_S else now

    def starts_now(self, now: float) -> int | None:
        """How many runs may start at `now`; None for any number."""
        if not self.starts_per_minute:
            return None
        early = now - self._next(now) + BURST_S
        if early < 0:
            return 0
        most = math.floor(BURST_S / self.interval_s) + 1
        return min(most, math.floor(early / self.interval_s) + 1)

    def first_start(self, now: float) -> float:
        """The earliest time at which a run may start."""
        return self._next(now) - BURST_S if self.starts_per_minute else now

    def after_start(self, now: float) -> float:
        """The `next_start_at` after a run started at `now`."""
        return max(now, self._next(now)) + self.interval_s


class SystemLoad(Schema):
    """A system beside its limits: runs in the agent stage, and starts in the last minute.

    `set_by` is the campaign or the person that set the limits last; empty where there are none.
    """

    system_id: str
    names: tuple[str, ...]
    agent: str
    limits: SystemLimits
    set_by: str = ""
    running: int
    queued: int
    starts_last_minute: int
