"""The values that are written as one word without quotes."""

from settingsreader.durations import read_duration
from settingsreader.integers import read_integer


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
    if word[0] not in "0123456789-":
        raise WordError("unknown-word", 0)
    if not word.startswith(("0x", "-0x")) and any(letter in word for letter in "dhms"):
        number, kind, offset = read_duration(word)
        unit = "ms"
    else:
        number, kind, offset = read_integer(word)
        unit = ""
    if kind:
        raise WordError(kind, offset)
    return f"{number}{unit}"
