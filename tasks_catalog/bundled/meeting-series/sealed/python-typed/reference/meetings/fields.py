"""From words to values that have their form and their range."""

from meetings.dates import MINUTES_PER_DAY, day_number, month_length
from meetings.refusal import Refused
from meetings.zone import Transition

DIGITS = frozenset("0123456789")
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
LONGEST_NAME = 20
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIRST_YEAR = 1900
LAST_YEAR = 2199
LARGEST_OFFSET = 14 * 60


def fits(word: str, pattern: str) -> bool:
    """Tell whether the word is the pattern, with a digit for every #."""
    return len(word) == len(pattern) and all(
        c in DIGITS if p == "#" else c == p for c, p in zip(word, pattern)
    )


class Fields:
    """Reads the words of one command; `settle` tells what was wrong with any of them.

    A wrong form anywhere goes before a wrong range anywhere, so no word is refused before all are read.
    """

    def __init__(self) -> None:
        self._bad_form = False
        self._out_of_range = False

    def settle(self) -> None:
        if self._bad_form:
            raise Refused("bad_form")
        if self._out_of_range:
            raise Refused("out_of_range")

    def name(self, word: str) -> str:
        if not 1 <= len(word) <= LONGEST_NAME or not NAME_CHARACTERS.issuperset(word):
            self._bad_form = True
        return word

    def number(self, word: str, most: int) -> int:
        if not word or not DIGITS.issuperset(word) or (word[0] == "0" and len(word) > 1):
            self._bad_form = True
            return 0
        value = int(word) if len(word) <= len(str(most)) else most + 1
        if not 1 <= value <= most:
            self._out_of_range = True
        return value

    def date(self, word: str) -> int:
        if not fits(word, "####-##-##"):
            self._bad_form = True
            return 0
        year, month, day = int(word[:4]), int(word[5:7]), int(word[8:])
        if (
            not FIRST_YEAR <= year <= LAST_YEAR
            or not 1 <= month <= 12
            or not 1 <= day <= month_length(year, month)
        ):
            self._out_of_range = True
            return 0
        return day_number(year, month, day)

    def local(self, word: str) -> int:
        if not fits(word[10:], "T##:##"):
            self._bad_form = True
            return 0
        hours, minutes = int(word[11:13]), int(word[14:])
        if hours > 23 or minutes > 59:
            self._out_of_range = True
        return self.date(word[:10]) * MINUTES_PER_DAY + hours * 60 + minutes

    def instant(self, word: str) -> int:
        if not word.endswith("Z"):
            self._bad_form = True
            return 0
        return self.local(word[:-1])

    def offset(self, word: str) -> int:
        if word[:1] not in ("+", "-") or not fits(word[1:], "##:##"):
            self._bad_form = True
            return 0
        hours, minutes = int(word[1:3]), int(word[4:])
        size = hours * 60 + minutes
        if minutes > 59 or size > LARGEST_OFFSET:
            self._out_of_range = True
        return -size if word[0] == "-" else size

    def transition(self, word: str) -> Transition:
        instant, _, offset = word.partition("/")
        return self.instant(instant), self.offset(offset)

    def weekday(self, word: str) -> int:
        if word not in WEEKDAYS:
            self._bad_form = True
            return 0
        return WEEKDAYS.index(word)

    def weekdays(self, word: str) -> frozenset[int]:
        return frozenset(self.weekday(part) for part in word.split(","))
