"""The values that are written as one word without quotes."""

from settingsreader.durations import read_duration

LONGEST_INTEGER = 15


class WordError(Exception):
    """A word that is no value; `offset` is the place of the mistake in the word, from 0."""

    def __init__(self, kind, offset):
        super().__init__(kind)
        self.kind = kind
        self.offset = offset


def read_word(word):
    """Return the printed value of a word, or raise WordError."""
    if word in ("true", "false"):
        return word
    if word[:1] not in tuple("0123456789"):
        raise WordError("syntax", 0)
    if any(letter in word for letter in "dhms"):
        milliseconds, kind, offset = read_duration(word)
        if kind:
            raise WordError(kind, offset)
        return f"{milliseconds}ms"
    if len(word) > LONGEST_INTEGER or any(digit not in "0123456789" for digit in word):
        raise WordError("bad-number", 0)
    return word
