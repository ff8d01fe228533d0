"""One series of occurrences."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Occurrence:
    """The original is a local minute, start and end are instants."""

    series: str
    original: int
    start: int
    end: int

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and self.end > start


class Series:
    """The originals of a series, and what they have in common."""

    def __init__(self, name: str, offset: int, minutes: int, originals: Sequence[int]) -> None:
        self.name = name
        self.offset = offset
        self.minutes = minutes
        self._originals = originals

    def occurrence(self, original: int) -> Occurrence:
        start = original - self.offset
        return Occurrence(self.name, original, start, start + self.minutes)

    def overlapping(self, start: int, end: int) -> list[Occurrence]:
        """Return the occurrences that overlap the window, in the order of their originals."""
        occurrences = map(self.occurrence, self._originals)
        return [occurrence for occurrence in occurrences if occurrence.overlaps(start, end)]
