"""How a conflict is written."""

from textmerge.lines import key


def conflict(region, options, markers_end):
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


def marker(sign, label, size, end):
    return sign * size + (f" {label}" if label else "") + end


def without_agreement(mine, theirs, compare):
    """Return the first lines that agree, what remains of both sides, and the last lines that agree."""
    head = agreeing(mine, theirs, compare)
    tail = agreeing(mine[head:][::-1], theirs[head:][::-1], compare)
    last = len(mine) - tail
    return mine[:head], mine[head:last], theirs[head : len(theirs) - tail], mine[last:]


def agreeing(mine, theirs, compare):
    """Return how many first lines are equal."""
    count = 0
    for one, other in zip(mine, theirs):
        if key(one, compare) != key(other, compare):
            break
        count += 1
    return count
