"""The circuit breaker itself."""

CLOSED = "closed"
OPEN = "open"
HALF_OPEN = "half_open"


class Breaker:
    """Counts failures in a row and opens when there are too many of them."""

    def __init__(self, failure_threshold, cooldown_ms, failure_statuses):
        self.failure_threshold = failure_threshold
        self.cooldown_ms = cooldown_ms
        self.failure_statuses = failure_statuses
        self.state = CLOSED
        self.failures = 0
        self.opened_at = 0

    @property
    def retry_at(self):
        """The instant at which calls are tried again, or None unless open."""
        if self.state != OPEN:
            return None
        return self.opened_at + self.cooldown_ms

    def admits(self):
        return self.state != OPEN

    def record(self, status, at):
        """Take in the status code of a finished call; return what it counted as."""
        if status not in self.failure_statuses:
            self.failures = 0
            return "success"
        self.failures += 1
        if self.failures >= self.failure_threshold:
            self.state = OPEN
            self.opened_at = at
            self.failures = 0
        return "failure"
