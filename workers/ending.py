"""How a worker ends: it finishes what it has, hands back what lasts too long, and goes."""

import signal
import time
from collections.abc import Sized
from types import FrameType
from typing import cast

# Celery ships no types.
from celery.worker import state  # pyright: ignore[reportMissingTypeStubs]

from models.clock import SystemClock
from workers.recall import Recall
from workers.worker_log import log_event

GENTLE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
HANDING_BACK_S = 30.0
"""To stop a sandbox and to write a row takes a second or two; who needs longer is ended."""


class Ending:
    """What was asked of a worker's main process by signals, and carrying it out.

    The first SIGTERM, SIGINT or SIGHUP: take nothing new, finish what is at work, hand back after
    `grace_s` what is not finished by then. The second, or SIGQUIT: hand back at once. The third:
    end the pool as it is.
    """

    def __init__(self, recall: Recall, grace_s: float) -> None:
        self._recall = recall
        self._grace_s = grace_s
        self._asked = 0

    @property
    def begun(self) -> bool:
        """Whether the worker is to end."""
        return self._asked > 0

    def listen(self) -> None:
        """Take the signals over from Celery, whose handlers would end the main loop at once."""
        for number in GENTLE:
            signal.signal(number, self._hear)
        signal.signal(signal.SIGQUIT, self._hear)

    def ask(self, *, at_once: bool = False) -> None:
        """Begin to end, or make haste where that has begun."""
        haste = at_once or self.begun
        self._recall.call(time.monotonic() + (0.0 if haste else self._grace_s))
        self._asked += 1

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self.ask(at_once=number == signal.SIGQUIT)

    def carry_out(self, at_work: int) -> None:
        """Let Celery end once nothing is at work; by force where that takes too long."""
        if not self.begun:
            return
        late = self._recall.at is not None and time.monotonic() > self._recall.at + HANDING_BACK_S
        if not at_work:
            state.should_stop = 0
        elif late or self._asked > 2:
            log_event("ended_by_force", SystemClock().now(), at_work=at_work)
            state.should_terminate = 1

    def without_broker(self) -> None:
        """The main loop waits for the broker: Celery itself waits for the children to end."""
        if self.begun:
            state.should_stop = 0


def stages_at_work() -> int:
    """How many jobs this worker's pool has."""
    return len(cast("Sized", state.reserved_requests))
