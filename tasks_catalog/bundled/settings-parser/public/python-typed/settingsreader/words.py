"""The values that are written as one word without quotes."""

from settingsreader.durations import read_duration
from settingsreader.wrong_word import WordError

LONGEST_INTEGER = 15


def read_word(word: str) -> str:
    """Return the printed value of a word, or raise WordError."""
    if word in ("true", "false"):
        return word
    if word[:1] not in tuple("0123456789"):
        raise WordError("syntax", 0)
    if any(letter in word for letter in "dhms"):
        return f"{read_duration(word)}ms"
    if len(word) > LONGEST_INTEGER or any(digit not in "0123456789" for digit in word):
        raise WordError("bad-number", 0)
    return word
