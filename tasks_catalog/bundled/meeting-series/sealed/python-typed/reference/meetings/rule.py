"""On which days a meeting repeats."""

from dataclasses import dataclass

from meetings.dates import MINUTES_PER_DAY, civil, day_number, month_length, weekday

LAST_DAY = day_number(2199, 12, 31)
LAST_OF_MONTH = 0


@dataclass(frozen=True)
class Daily:
    interval: int

    def holds(self, day: int, first: int) -> bool:
        return (day - first) % self.interval == 0


@dataclass(frozen=True)
class Weekly:
    interval: int
    weekdays: frozenset[int]

    def holds(self, day: int, first: int) -> bool:
        monday = first - weekday(first)
        weeks = (day - monday) // 7
        return weeks % self.interval == 0 and weekday(day) in self.weekdays


@dataclass(frozen=True)
class MonthlyDay:
    interval: int
    day: int

    def holds(self, day: int, first: int) -> bool:
        return months_between(first, day) % self.interval == 0 and civil(day)[2] == self.day


@dataclass(frozen=True)
class MonthlyWeekday:
    """The `ordinal` is 1 to 5, or LAST_OF_MONTH."""

    interval: int
    ordinal: int
    weekday: int

    def holds(self, day: int, first: int) -> bool:
        if months_between(first, day) % self.interval != 0 or weekday(day) != self.weekday:
            return False
        year, month, day_of_month = civil(day)
        if self.ordinal == LAST_OF_MONTH:
            return day_of_month + 7 > month_length(year, month)
        return (day_of_month - 1) // 7 + 1 == self.ordinal


Rule = Daily | Weekly | MonthlyDay | MonthlyWeekday


@dataclass(frozen=True)
class End:
    """After so many occurrences or after a day, whichever is first."""

    count: int
    last_day: int


def months_between(first: int, day: int) -> int:
    (first_year, first_month, _), (year, month, _) = civil(first), civil(day)
    return (year - first_year) * 12 + month - first_month


def originals(start: int, rule: Rule, end: End) -> list[int]:
    """Return the local minutes that the rule yields, in order."""
    first, clock = divmod(start, MINUTES_PER_DAY)
    found: list[int] = []
    for day in range(first, end.last_day + 1):
        if len(found) == end.count:
            break
        if rule.holds(day, first):
            found.append(day * MINUTES_PER_DAY + clock)
    return found
