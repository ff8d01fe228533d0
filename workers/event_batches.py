"""The Celery consumer of the workers.

It sends the events of jobs together, a few times a second: Flower sees them a moment later, with
the times at which they happened. Sent one by one, as Celery does, they cost a worker's main
process more than all the rest of its work. And it tells that it still waits for the broker.
"""

from collections.abc import Callable
from time import monotonic
from typing import Protocol, cast

# Celery ships no types.
from celery.worker.consumer import Consumer  # pyright: ignore[reportMissingTypeStubs]

CONSUMER = f"{__name__}:BatchingConsumer"
EVENTS_EVERY_S = 0.2


class _Loop(Protocol):
    """The event loop of a worker."""

    def call_later(self, delay: float, callback: object) -> object: ...


class _Connection(Protocol):
    """A connection to the broker that is to be made."""

    ensure_connection: Callable[..., object]


class BatchingConsumer(Consumer):
    """Celery calls `on_send_event_buffered` after each event, and would send it at once."""

    _flush_at = 0.0
    while_waiting: Callable[[], None] | None = None
    """Called about once a second while there is no broker: the main loop does not run then."""

    def ensure_connected(self, conn: _Connection) -> object:
        """Connect to the broker, however long that takes."""
        ensure = conn.ensure_connection

        def wait(errback: object, most: object, callback: Callable[[], None]) -> object:
            def each_second() -> None:
                if self.while_waiting is not None:
                    self.while_waiting()
                callback()

            return ensure(errback, most, callback=each_second)

        conn.ensure_connection = wait
        return cast("Callable[[object], object]", super().ensure_connected)(conn)

    def on_send_event_buffered(self) -> None:
        """See to it that what is buffered is sent soon."""
        now = monotonic()
        # By time and not by a mark: a lost connection takes all timers with it.
        if now >= self._flush_at:
            self._flush_at = now + EVENTS_EVERY_S
            cast("_Loop", self.hub).call_later(EVENTS_EVERY_S, self._flush_events)
