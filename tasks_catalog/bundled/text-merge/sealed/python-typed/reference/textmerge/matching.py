"""Which lines of two texts belong together."""

from collections.abc import Sequence


def partners(base: Sequence[str], other: Sequence[str]) -> list[int | None]:
    """Return for each line of the base the index of its partner, or None. Takes the keys of the lines."""
    lengths = pair_counts(base, other)
    found: list[int | None] = [None] * len(base)
    i = j = 0
    while i < len(base) and j < len(other):
        if base[i] == other[j]:
            found[i] = j
            i += 1
            j += 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def pair_counts(base: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    """Return a table: the most pairs that lines from i and from j on can have, at [i][j]."""
    counts = [[0] * (len(other) + 1) for _ in range(len(base) + 1)]
    for i in reversed(range(len(base))):
        for j in reversed(range(len(other))):
            if base[i] == other[j]:
                counts[i][j] = counts[i + 1][j + 1] + 1
            else:
                counts[i][j] = max(counts[i + 1][j], counts[i][j + 1])
    return counts
