"""The circuit breaker of one target."""

from dataclasses import dataclass
from typing import Literal

State = Literal["closed", "open", "half_open"]
Counted = Literal["success", "failure", "neither", "late"]


@dataclass(frozen=True)
class Settings:
    """How one target's breaker is configured."""

    failure_threshold: int
    cooldown_ms: int
    success_statuses: frozenset[int]
    failure_statuses: frozenset[int]
    trial_limit: int
    trial_successes: int

    def classify(self, status: int) -> Counted:
        if status in self.success_statuses:
            return "success"
        if status in self.failure_statuses:
            return "failure"
        return "neither"


class Breaker:
    """Closed, open or half open; time enters only through `advance` and `record`.

    Every change of state begins a new period. A call belongs to the period in which it was
    admitted, and its result counts in that period alone.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._period = 0
        self._period_of_call: dict[str, int] = {}
        self._opened_at = 0
        self.state: State = "closed"
        self.failures = 0
        self.trials = 0
        self.successes = 0

    @property
    def retry_at(self) -> int | None:
        """The instant at which an open breaker becomes half open, else None."""
        return self._cooldown_end if self.state == "open" else None

    @property
    def _cooldown_end(self) -> int:
        return self._opened_at + self._settings.cooldown_ms

    def in_flight(self, call: str) -> bool:
        return call in self._period_of_call

    def advance(self, at: int) -> None:
        """Let time pass: an open breaker whose cooldown is over becomes half open."""
        if self.state == "open" and at >= self._cooldown_end:
            self._enter("half_open")

    def admit(self, call: str) -> bool:
        """Tell whether the call may go out; if so, it is in flight from now on."""
        if self.state == "open":
            return False
        if self.state == "half_open":
            if self.trials >= self._settings.trial_limit:
                return False
            self.trials += 1
        self._period_of_call[call] = self._period
        return True

    def record(self, call: str, status: int, at: int) -> Counted:
        """Take in the result of a call in flight; return what it counted as."""
        if self._period_of_call.pop(call) != self._period:
            return "late"
        counted = self._settings.classify(status)
        if self.state == "closed":
            self._record_normal(counted, at)
        else:
            self._record_trial(counted, at)
        return counted

    def _record_normal(self, counted: Counted, at: int) -> None:
        if counted == "success":
            self.failures = 0
        elif counted == "failure":
            self.failures += 1
            if self.failures >= self._settings.failure_threshold:
                self._open(at)

    def _record_trial(self, counted: Counted, at: int) -> None:
        self.trials -= 1
        if counted == "failure":
            self._open(at)
        elif counted == "success":
            self.successes += 1
            if self.successes >= self._settings.trial_successes:
                self._enter("closed")

    def _open(self, at: int) -> None:
        self._opened_at = at
        self._enter("open")

    def _enter(self, state: State) -> None:
        self.state = state
        self._period += 1
        self.failures = 0
        self.trials = 0
        self.successes = 0
