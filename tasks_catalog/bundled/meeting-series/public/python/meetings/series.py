"""One series of occurrences."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Occurrence:
    """The original is a local minute, start and end are instants."""

    series: str
    original: int
    start: int
    end: int

    def overlaps(self, start, end):
        return self.start < end and self.end > start


class Series:
    """The originals of a series, and what they have in common."""

    def __init__(self, name, offset, minutes, originals):
        self.name = name
        self.offset = offset
        self.minutes = minutes
        self._originals = originals

    def occurrence(self, original):
        start = original - self.offset
        return Occurrence(self.name, original, start, start + self.minutes)

    def overlapping(self, start, end):
        """Return the occurrences that overlap the window, in the order of their originals."""
        occurrences = map(self.occurrence, self._originals)
        return [occurrence for occurrence in occurrences if occurrence.overlaps(start, end)]
