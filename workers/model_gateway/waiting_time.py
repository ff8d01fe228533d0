"""For how long at least one call of a grant waited: intervals that may overlap. Pure."""

from collections.abc import Iterable


class WaitingTime:
    """Times are in seconds of any one clock."""

    def __init__(self) -> None:
        self._ended: list[tuple[float, float]] = []
        self._open: dict[int, float] = {}
        self._next = 0
        self._before = 0.0

    def begin(self, now: float) -> int:
        """Somebody waits from now on; returns what ends it."""
        self._next += 1
        self._open[self._next] = now
        return self._next

    def end(self, ticket: int, now: float) -> float:
        """It waits no more; returns for how long it did."""
        began = self._open.pop(ticket)
        self.add(began, now)
        return now - began

    def add(self, began: float, ended: float) -> None:
        """Somebody waited then, as turned out afterwards."""
        self._ended = list(_merged([*self._ended, (began, ended)]))

    def carry(self, seconds: float) -> None:
        """So much was waited in another life of this process."""
        self._before += seconds

    def total(self, now: float) -> float:
        """Seconds in which anybody waited, until now."""
        still = [(began, now) for began in self._open.values()]
        return self._before + sum(ended - began for began, ended in _merged([*self._ended, *still]))


def _merged(intervals: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for began, ended in sorted(intervals):
        if merged and began <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], ended))
        else:
            merged.append((began, ended))
    return merged
