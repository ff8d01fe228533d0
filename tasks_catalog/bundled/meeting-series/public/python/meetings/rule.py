"""On which days a meeting repeats."""

from dataclasses import dataclass

from meetings.dates import MINUTES_PER_DAY, civil, day_number, month_length, weekday

LAST_DAY = day_number(2199, 12, 31)


@dataclass(frozen=True)
class Daily:
    interval: int

    def holds(self, day, first):
        return (day - first) % self.interval == 0


@dataclass(frozen=True)
class Weekly:
    interval: int
    weekdays: frozenset

    def holds(self, day, first):
        weeks = (day - first) // 7
        return weeks % self.interval == 0 and weekday(day) in self.weekdays


@dataclass(frozen=True)
class MonthlyDay:
    interval: int
    day: int

    def holds(self, day, first):
        year, month, day_of_month = civil(day)
        first_year, first_month, _ = civil(first)
        months = (year - first_year) * 12 + month - first_month
        return months % self.interval == 0 and day_of_month == min(self.day, month_length(year, month))


@dataclass(frozen=True)
class End:
    """After so many occurrences or before a day, whichever is first."""

    count: int
    day: int


def originals(start, rule, end):
    """Return the local minutes that the rule yields, in order."""
    first, clock = divmod(start, MINUTES_PER_DAY)
    found = []
    for day in range(first, end.day):
        if len(found) == end.count:
            break
        if rule.holds(day, first):
            found.append(day * MINUTES_PER_DAY + clock)
    return found
