"""Notices when the wall clock is stepped, or the machine has slept."""

STEP_S = 1.0
"""Less is what any two readings may differ by."""


class ClockWatch:
    """Compares how far the wall clock and the monotonic clock went between two looks."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def step(self, wall: float, monotonic: float) -> float:
        """By how many seconds the wall clock was moved since the last look; 0.0 if it was not.

        Positive: moved forward, or the machine slept, during which the monotonic clock rests.
        """
        last, self._last = self._last, (wall, monotonic)
        if last is None:
            return 0.0
        moved = (wall - last[0]) - (monotonic - last[1])
        return moved if abs(moved) > STEP_S else 0.0
