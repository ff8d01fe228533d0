"""Integers such as -1_000 and 0xff."""

DIGITS = "0123456789"
HEXADECIMAL = DIGITS + "abcdef"
LARGEST = 9_007_199_254_740_991


def read_integer(word):
    """Return the number, the kind of error (or None) and the offset of the error in the word."""
    negative = word.startswith("-")
    position = 1 if negative else 0
    digits = DIGITS
    if word.startswith("0x", position):
        digits = HEXADECIMAL
        position += 2
    elif word.startswith("0", position) and len(word) > position + 1:
        return 0, "bad-number", position + 1
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
            return 0, "bad-number", position
        position += 1
    if digit_must_follow:
        return 0, "bad-number", position
    if number > LARGEST:
        return 0, "out-of-range", 0
    return (-number if negative else number), None, 0
