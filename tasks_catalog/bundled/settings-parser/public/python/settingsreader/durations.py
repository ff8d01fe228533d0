"""Durations such as 1h30m."""

DIGITS = "0123456789"
UNITS = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
LONGEST = 9_007_199_254_740_991


def read_duration(word):
    """Return milliseconds, kind of error (or None) and the offset of the error in the word."""
    total = 0
    too_long = False
    next_rank = 0
    position = 0
    while position < len(word):
        count = 0
        start = position
        while position < len(word) and word[position] in DIGITS:
            if count <= LONGEST:
                count = count * 10 + DIGITS.index(word[position])
            position += 1
        rank = unit_rank(word, position)
        if position == start or rank is None or rank < next_rank:
            return 0, "bad-duration", position
        unit, milliseconds = UNITS[rank]
        if count > (LONGEST - total) // milliseconds:
            too_long = True
        else:
            total += count * milliseconds
        position += len(unit)
        next_rank = rank + 1
    return (0, "out-of-range", 0) if too_long else (total, None, 0)


def unit_rank(word, position):
    """Return the place in UNITS of the unit that stands there, None if there is none."""
    for rank in reversed(range(len(UNITS))):
        if word.startswith(UNITS[rank][0], position):
            return rank
    return None
