"""Time that occurrences of two series have in common."""

from typing import NamedTuple


class Clash(NamedTuple):
    """Two instants and two originals; clashes are in the order of these."""

    begin: int
    finish: int
    first: int
    second: int


def clashes(one, other, start, end):
    """Return the clashes of two series whose common time overlaps the window, in order."""
    found = []
    for a in one.overlapping(start, end):
        for b in other.overlapping(start, end):
            clash = Clash(max(a.start, b.start), min(a.end, b.end), a.original, b.original)
            if clash.begin < clash.finish and clash.begin < end and clash.finish > start:
                found.append(clash)
    return sorted(found)
