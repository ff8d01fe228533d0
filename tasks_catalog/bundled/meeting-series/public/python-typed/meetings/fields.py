"""From words to values."""

from meetings.dates import MINUTES_PER_DAY, day_number, month_length

DIGITS = frozenset("0123456789")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIRST_YEAR = 1900
LAST_YEAR = 2199


class BadCommand(Exception):
    """A command that cannot be carried out."""


def fits(word: str, pattern: str) -> bool:
    """Tell whether the word is the pattern, with a digit for every #."""
    return len(word) == len(pattern) and all(
        c in DIGITS if p == "#" else c == p for c, p in zip(word, pattern)
    )


def number(word: str) -> int:
    if not 1 <= len(word) <= 9 or not DIGITS.issuperset(word) or int(word) == 0:
        raise BadCommand
    return int(word)


def date(word: str) -> int:
    if not fits(word, "####-##-##"):
        raise BadCommand
    year, month, day = int(word[:4]), int(word[5:7]), int(word[8:])
    if not FIRST_YEAR <= year <= LAST_YEAR or not 1 <= month <= 12:
        raise BadCommand
    if not 1 <= day <= month_length(year, month):
        raise BadCommand
    return day_number(year, month, day)


def local(word: str) -> int:
    if not fits(word[10:], "T##:##"):
        raise BadCommand
    return date(word[:10]) * MINUTES_PER_DAY + int(word[11:13]) * 60 + int(word[14:])


def instant(word: str) -> int:
    if not word.endswith("Z"):
        raise BadCommand
    return local(word[:-1])


def offset(word: str) -> int:
    if word[:1] not in ("+", "-") or not fits(word[1:], "##:##"):
        raise BadCommand
    size = int(word[1:3]) * 60 + int(word[4:])
    return -size if word[0] == "-" else size


def weekdays(word: str) -> frozenset[int]:
    parts = word.split(",")
    if any(part not in WEEKDAYS for part in parts):
        raise BadCommand
    return frozenset(WEEKDAYS.index(part) for part in parts)
