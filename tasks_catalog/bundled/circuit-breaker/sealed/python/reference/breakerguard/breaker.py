"""The circuit breaker of one target."""

from dataclasses import dataclass

CLOSED = "closed"
OPEN = "open"
HALF_OPEN = "half_open"

SUCCESS = "success"
FAILURE = "failure"
NEITHER = "neither"
LATE = "late"


@dataclass(frozen=True)
class Settings:
    """How one target's breaker is configured."""

    failure_threshold: int
    cooldown_ms: int
    success_statuses: frozenset
    failure_statuses: frozenset
    trial_limit: int
    trial_successes: int

    def classify(self, status):
        if status in self.success_statuses:
            return SUCCESS
        if status in self.failure_statuses:
            return FAILURE
        return NEITHER


class Breaker:
    """Closed, open or half open; time enters only through `advance` and `record`.

    Every change of state begins a new period. A call belongs to the period in which it was
    admitted, and its result counts in that period alone.
    """

    def __init__(self, settings):
        self._settings = settings
        self._period = 0
        self._period_of_call = {}
        self._opened_at = 0
        self.state = CLOSED
        self.failures = 0
        self.trials = 0
        self.successes = 0

    @property
    def retry_at(self):
        """The instant at which an open breaker becomes half open, else None."""
        if self.state != OPEN:
            return None
        return self._opened_at + self._settings.cooldown_ms

    def in_flight(self, call):
        return call in self._period_of_call

    def advance(self, at):
        """Let time pass: an open breaker whose cooldown is over becomes half open."""
        if self.state == OPEN and at >= self.retry_at:
            self._enter(HALF_OPEN)

    def admit(self, call):
        """Tell whether the call may go out; if so, it is in flight from now on."""
        if self.state == OPEN:
            return False
        if self.state == HALF_OPEN:
            if self.trials >= self._settings.trial_limit:
                return False
            self.trials += 1
        self._period_of_call[call] = self._period
        return True

    def record(self, call, status, at):
        """Take in the result of a call in flight; return what it counted as."""
        if self._period_of_call.pop(call) != self._period:
            return LATE
        counted = self._settings.classify(status)
        if self.state == CLOSED:
            self._record_normal(counted, at)
        else:
            self._record_trial(counted, at)
        return counted

    def _record_normal(self, counted, at):
        if counted == SUCCESS:
            self.failures = 0
        elif counted == FAILURE:
            self.failures += 1
            if self.failures >= self._settings.failure_threshold:
                self._open(at)

    def _record_trial(self, counted, at):
        self.trials -= 1
        if counted == FAILURE:
            self._open(at)
        elif counted == SUCCESS:
            self.successes += 1
            if self.successes >= self._settings.trial_successes:
                self._enter(CLOSED)

    def _open(self, at):
        self._opened_at = at
        self._enter(OPEN)

    def _enter(self, state):
        self.state = state
        self._period += 1
        self.failures = 0
        self.trials = 0
        self.successes = 0
