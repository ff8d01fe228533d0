"""The one place that asks for the time; everything else takes it as an argument."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall clock in seconds since the epoch, and a monotonic clock in seconds."""

    def now(self) -> float: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


class FixedClock:
    """A clock that only moves when it is told to: for tests and replays."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move both clocks on by `seconds`."""
        self._now += seconds


def as_iso(seconds: float) -> str:
    """Epoch seconds as ISO 8601 in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch_of(moment: str) -> float:
    """Epoch seconds of what `as_iso` wrote. Raises ValueError for anything else."""
    return datetime.fromisoformat(moment).timestamp()
