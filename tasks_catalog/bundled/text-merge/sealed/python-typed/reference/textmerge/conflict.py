"""How a conflict is written."""

from dataclasses import dataclass

from textmerge.lines import key
from textmerge.options import Options


@dataclass(frozen=True)
class Region:
    """Lines of the three texts between two kept lines."""

    base: list[str]
    mine: list[str]
    theirs: list[str]


def conflict(region: Region, options: Options, markers_end: str) -> list[str]:
    """Return the lines that are written for a region in which both sides differ."""
    if options.favour == "mine":
        return region.mine
    if options.favour == "theirs":
        return region.theirs
    if options.style == "full":
        return [
            marker("<", options.mine, options.size, markers_end),
            *region.mine,
            marker("|", options.base, options.size, markers_end),
            *region.base,
            marker("=", "", options.size, markers_end),
            *region.theirs,
            marker(">", options.theirs, options.size, markers_end),
        ]
    before, mine, theirs, after = without_agreement(region.mine, region.theirs, options.compare)
    return [
        *before,
        marker("<", options.mine, options.size, markers_end),
        *mine,
        marker("=", "", options.size, markers_end),
        *theirs,
        marker(">", options.theirs, options.size, markers_end),
        *after,
    ]


def marker(sign: str, label: str, size: int, end: str) -> str:
    return sign * size + (f" {label}" if label else "") + end


def without_agreement(
    mine: list[str], theirs: list[str], compare: str
) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return the first lines that agree, what remains of both sides, and the last lines that agree."""
    head = agreeing(mine, theirs, compare)
    tail = agreeing(mine[head:][::-1], theirs[head:][::-1], compare)
    last = len(mine) - tail
    return mine[:head], mine[head:last], theirs[head : len(theirs) - tail], mine[last:]


def agreeing(mine: list[str], theirs: list[str], compare: str) -> int:
    """Return how many first lines are equal."""
    count = 0
    for one, other in zip(mine, theirs):
        if key(one, compare) != key(other, compare):
            break
        count += 1
    return count
