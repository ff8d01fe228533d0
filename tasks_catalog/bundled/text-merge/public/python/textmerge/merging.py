"""The three-way merge."""

from textmerge.counts import Counts


def merged(block):
    """Return the lines of the result and the counts."""
    head = common_start(block.base, block.mine, block.theirs)
    texts = [text[head:] for text in (block.base, block.mine, block.theirs)]
    tail = common_start(*(text[::-1] for text in texts))
    base, mine, theirs = (text[: len(text) - tail] for text in texts)
    counts = Counts(kept=head + tail)
    middle = decided(base, mine, theirs, counts) if base or mine or theirs else []
    return block.base[:head] + middle + block.base[len(block.base) - tail :], counts


def common_start(*texts):
    """Return how many first lines are the same in all texts."""
    length = 0
    while length < min(map(len, texts)) and len({text[length] for text in texts}) == 1:
        length += 1
    return length


def decided(base, mine, theirs, counts):
    if mine == base:
        counts.theirs += 1
        return theirs
    if theirs == base:
        counts.mine += 1
        return mine
    if mine == theirs:
        counts.same += 1
        return mine
    counts.conflicts += 1
    return ["<<<<<<< mine\n", *mine, "=======\n", *theirs, ">>>>>>> theirs\n"]
