"""Turns the signals that ask a foreground command to stop into one exception."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequested(KeyboardInterrupt):
    """Somebody asked this process to stop; the signal is in `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


@contextmanager
def stoppable() -> Generator[None]:
    """Inside the block a stop signal raises StopRequested, once: what follows must end in peace."""

    def stop(number: int, _frame: FrameType | None) -> None:
        for each in STOPPING:
            signal.signal(each, signal.SIG_IGN)
        raise StopRequested(number)

    before = {each: signal.signal(each, stop) for each in STOPPING}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
