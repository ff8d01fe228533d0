"""Integers such as -1_000 and 0xff."""

from settingsreader.wrong_word import WordError

DIGITS = "0123456789"
HEXADECIMAL = DIGITS + "abcdef"
LARGEST = 9_007_199_254_740_991


def read_integer(word: str) -> int:
    """Return the number, or raise WordError."""
    negative = word.startswith("-")
    position = 1 if negative else 0
    digits = DIGITS
    if word.startswith("0x", position):
        digits = HEXADECIMAL
        position += 2
    elif word.startswith("0", position) and len(word) > position + 1:
        raise WordError("bad-number", position + 1)
    number = 0
    digit_must_follow = True
    while position < len(word):
        character = word[position].lower()
        if character in digits:
            if number <= LARGEST:
                number = number * len(digits) + digits.index(character)
            digit_must_follow = False
        elif character == "_" and not digit_must_follow:
            digit_must_follow = True
        else:
            raise WordError("bad-number", position)
        position += 1
    if digit_must_follow:
        raise WordError("bad-number", position)
    if number > LARGEST:
        raise WordError("out-of-range", 0)
    return -number if negative else number
