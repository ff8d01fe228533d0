"""The values that are written as one word without quotes."""

from settingsreader.durations import read_duration
from settingsreader.integers import read_integer
from settingsreader.wrong_word import WordError


def read_word(word: str) -> str:
    """Return the printed value of a word, or raise WordError."""
    if word in ("true", "false"):
        return word
    if word[0] not in "0123456789-":
        raise WordError("unknown-word", 0)
    if not word.startswith(("0x", "-0x")) and any(letter in word for letter in "dhms"):
        return f"{read_duration(word)}ms"
    return str(read_integer(word))
