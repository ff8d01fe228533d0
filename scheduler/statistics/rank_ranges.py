"""Order, ranks, tiers and letters from comparison bands.

"Low end above the other's high end" is an interval order, hence transitive; "not separated" is
not, and letters show exactly that relation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RankRange:
    """The ranks a system may hold, 1 being the top; its tier is the best of them."""

    best: int
    worst: int


def is_above(one: Interval, other: Interval) -> bool:
    """Whether `one` lies wholly above `other`; touching bands are not separated."""
    return one[0] > other[1]


def separated_pairs(intervals: Sequence[Interval]) -> list[tuple[int, int]]:
    """All pairs (upper, lower) of positions whose intervals do not overlap."""
    places = range(len(intervals))
    return [(i, j) for i in places for j in places if is_above(intervals[i], intervals[j])]


def rank_ranges(intervals: Sequence[Interval]) -> list[RankRange]:
    """Return for every interval 1 + how many lie above it, and S - how many lie below it."""
    return [
        RankRange(
            best=1 + sum(is_above(other, interval) for other in intervals),
            worst=len(intervals) - sum(is_above(interval, other) for other in intervals),
        )
        for interval in intervals
    ]


def overlap_letters(intervals: Sequence[Interval]) -> list[tuple[str, ...]]:
    """Return letters per interval; two share one exactly where they overlap.

    A letter is a maximal set of mutually overlapping intervals; `a` is the topmost set.
    """
    names = [_letter(index) for index in range(len(intervals))]
    groups = _maximal_groups(intervals)
    return [
        tuple(name for name, group in zip(names, groups, strict=False) if place in group)
        for place in range(len(intervals))
    ]


def _maximal_groups(intervals: Sequence[Interval]) -> list[frozenset[int]]:
    """The maximal cliques of the interval graph: each is met at some interval's low end."""
    groups: dict[frozenset[int], float] = {}
    for low, _ in intervals:
        groups[frozenset(j for j, (a, b) in enumerate(intervals) if a <= low <= b)] = low
    maximal = [group for group in groups if not any(group < other for other in groups)]
    return sorted(maximal, key=lambda group: groups[group], reverse=True)


def _letter(index: int) -> str:
    """a ... z, then aa, ab, ... as spreadsheets count columns."""
    before, last = divmod(index, 26)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)
