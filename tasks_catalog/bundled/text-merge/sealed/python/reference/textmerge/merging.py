"""The three-way merge."""

from dataclasses import dataclass

from textmerge.conflict import conflict
from textmerge.counts import Counts
from textmerge.lines import ending_of_markers, key, with_endings
from textmerge.matching import partners


@dataclass(frozen=True)
class Region:
    """Lines of the three texts between two kept lines."""

    base: list
    mine: list
    theirs: list


def merged(block):
    """Return the lines of the result and the counts."""
    markers_end = ending_of_markers(block.mine, block.theirs)
    counts = Counts()
    lines = []
    b = m = t = 0
    for next_b, next_m, next_t in [*kept(block), (len(block.base), len(block.mine), len(block.theirs))]:
        region = Region(block.base[b:next_b], block.mine[m:next_m], block.theirs[t:next_t])
        if region.base or region.mine or region.theirs:
            lines += decided(region, block.options, markers_end, counts)
        if next_b < len(block.base):
            lines.append(kept_line(block.base[next_b], block.mine[next_m], block.theirs[next_t]))
            counts.kept += 1
        b, m, t = next_b + 1, next_m + 1, next_t + 1
    return with_endings(lines, markers_end), counts


def kept(block):
    """Return the places of each kept line in base, mine and theirs."""
    base, mine, theirs = (
        [key(line, block.options.compare) for line in text]
        for text in (block.base, block.mine, block.theirs)
    )
    places = zip(range(len(base)), partners(base, mine), partners(base, theirs))
    return [place for place in places if None not in place]


def kept_line(base, mine, theirs):
    return mine if mine != base else theirs


def decided(region, options, markers_end, counts):
    def equal(one, other):
        return [key(line, options.compare) for line in one] == [
            key(line, options.compare) for line in other
        ]

    if equal(region.mine, region.base):
        counts.theirs += 1
        return region.theirs
    if equal(region.theirs, region.base):
        counts.mine += 1
        return region.mine
    if equal(region.mine, region.theirs):
        counts.same += 1
        return region.mine
    counts.conflicts += 1
    return conflict(region, options, markers_end)
