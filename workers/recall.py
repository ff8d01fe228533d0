"""The call to hand back what is at work, heard by every process of a worker."""

import mmap
import time

UNCALLED = 0.0


class Recall:
    """From a time on, whatever this worker's processes hold is to be handed back.

    Shared with the children that are forked after it was made. Times are monotonic seconds, which
    all processes of a machine count alike.
    """

    def __init__(self) -> None:
        self._at = memoryview(mmap.mmap(-1, 8)).cast("d")

    def call(self, at: float) -> None:
        """Hand back at `at`, or earlier where that was asked for before."""
        earlier = self._at[0]
        self._at[0] = at if earlier == UNCALLED else min(at, earlier)

    @property
    def at(self) -> float | None:
        """From when on to hand back, None while nobody asked."""
        return None if self._at[0] == UNCALLED else self._at[0]

    def is_due(self) -> bool:
        """Whether the time has come."""
        return self._at[0] != UNCALLED and time.monotonic() >= self._at[0]
