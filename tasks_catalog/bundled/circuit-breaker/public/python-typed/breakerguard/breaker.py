"""The circuit breaker itself."""

from collections.abc import Collection
from typing import Literal

State = Literal["closed", "open", "half_open"]
Counted = Literal["success", "failure", "neither", "late"]


class Breaker:
    """Counts failures in a row and opens when there are too many of them."""

    def __init__(
        self, failure_threshold: int, cooldown_ms: int, failure_statuses: Collection[int]
    ) -> None:
        self.failure_threshold = failure_threshold
        self.cooldown_ms = cooldown_ms
        self.failure_statuses = failure_statuses
        self.state: State = "closed"
        self.failures = 0
        self.opened_at = 0

    @property
    def retry_at(self) -> int | None:
        """The instant at which calls are tried again, or None unless open."""
        if self.state != "open":
            return None
        return self.opened_at + self.cooldown_ms

    def admits(self) -> bool:
        return self.state != "open"

    def record(self, status: int, at: int) -> Counted:
        """Take in the status code of a finished call; return what it counted as."""
        if status not in self.failure_statuses:
            self.failures = 0
            return "success"
        self.failures += 1
        if self.failures >= self.failure_threshold:
            self.state = "open"
            self.opened_at = at
            self.failures = 0
        return "failure"
