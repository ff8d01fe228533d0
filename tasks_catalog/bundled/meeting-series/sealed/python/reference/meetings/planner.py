"""Carries out commands."""

from meetings.clash import clashes
from meetings.dates import minute_text
from meetings.fields import Fields
from meetings.refusal import Refused
from meetings.rule import (
    LAST_DAY,
    LAST_OF_MONTH,
    Daily,
    End,
    MonthlyDay,
    MonthlyWeekday,
    Weekly,
    originals,
)
from meetings.series import Series
from meetings.zone import Zone

MOST_MINUTES = 10080
MOST_INTERVAL = 1000
MOST_OCCURRENCES = 10000
TRANSITION_GAP = 48 * 60


class Planner:
    """Keeps zones and series; answers one command after the other."""

    def __init__(self):
        self._zones = {}
        self._series = {}
        self._commands = {
            "zone": self._zone,
            "meeting": self._meeting,
            "skip": self._skip,
            "move": self._move,
            "restore": self._restore,
            "list": self._list,
            "conflicts": self._conflicts,
        }

    def answer(self, line):
        """Return the answer lines to a command."""
        command, *words = line.split(" ")
        try:
            if command not in self._commands:
                raise Refused("unknown_command")
            return self._commands[command](words)
        except Refused as refusal:
            return [f"refused {refusal.kind}"]

    def _zone(self, words):
        expect(len(words) >= 2)
        fields = Fields()
        name, offset = fields.name(words[0]), fields.offset(words[1])
        transitions = [fields.transition(word) for word in words[2:]]
        fields.settle()
        for (before, _), (after, _) in zip(transitions, transitions[1:]):
            if after < before + TRANSITION_GAP:
                raise Refused("transition_order")
        if name in self._zones:
            raise Refused("zone_exists")
        self._zones[name] = Zone(offset, transitions)
        return [f"zone {name} {len(transitions)}"]

    def _meeting(self, words):
        expect(len(words) >= 8)
        fields = Fields()
        name, zone = fields.name(words[0]), fields.name(words[1])
        start, minutes = fields.local(words[2]), fields.number(words[3], MOST_MINUTES)
        rule, end = read_rule(fields, words[4:-2]), read_end(fields, words[-2:])
        fields.settle()
        if name in self._series:
            raise Refused("series_exists")
        if zone not in self._zones:
            raise Refused("unknown_zone")
        found = originals(start, rule, end)
        if not found:
            raise Refused("no_occurrence")
        self._series[name] = Series(name, self._zones[zone], minutes, found)
        return [f"meeting {name} {len(found)} {minute_text(found[0])} {minute_text(found[-1])}"]

    def _skip(self, words):
        expect(len(words) == 2)
        fields = Fields()
        name, original = fields.name(words[0]), fields.local(words[1])
        fields.settle()
        self._known(name).skip(original)
        return [f"skipped {name} {words[1]}"]

    def _move(self, words):
        expect(3 <= len(words) <= 4)
        fields = Fields()
        name, original = fields.name(words[0]), fields.local(words[1])
        local = fields.local(words[2])
        minutes = fields.number(words[3], MOST_MINUTES) if len(words) == 4 else None
        fields.settle()
        series = self._known(name)
        series.move(original, local, minutes)
        return [f"moved {name} {words[1]} {instant_text(series.occurrence(original).start)}"]

    def _restore(self, words):
        expect(len(words) == 2)
        fields = Fields()
        name, original = fields.name(words[0]), fields.local(words[1])
        fields.settle()
        series = self._known(name)
        series.restore(original)
        return [f"restored {name} {words[1]} {instant_text(series.occurrence(original).start)}"]

    def _list(self, words):
        expect(len(words) >= 2)
        fields = Fields()
        start, end = fields.instant(words[0]), fields.instant(words[1])
        names = [fields.name(word) for word in words[2:]]
        fields.settle()
        check_window(start, end)
        chosen = [self._known(name) for name in dict.fromkeys(names)] or self._series.values()
        found = [o for series in chosen for o in series.overlapping(start, end)]
        found.sort(key=lambda o: (o.start, o.end, o.series, o.original))
        return [f"list {len(found)}", *map(self._occurrence_line, found)]

    def _occurrence_line(self, occurrence):
        zone = self._series[occurrence.series].zone
        return (
            f"{instant_text(occurrence.start)} {instant_text(occurrence.end)}"
            f" {occurrence.series} {minute_text(occurrence.original)}"
            f" {minute_text(zone.local(occurrence.start))} {minute_text(zone.local(occurrence.end))}"
        )

    def _conflicts(self, words):
        expect(len(words) == 4)
        fields = Fields()
        names = fields.name(words[0]), fields.name(words[1])
        start, end = fields.instant(words[2]), fields.instant(words[3])
        fields.settle()
        check_window(start, end)
        first, second = (self._known(name) for name in names)
        if first is second:
            raise Refused("same_series")
        found = clashes(first, second, start, end)
        return [f"conflicts {len(found)}", *map(clash_line, found)]

    def _known(self, name):
        if name not in self._series:
            raise Refused("unknown_series")
        return self._series[name]


def read_rule(fields, words):
    interval = fields.number(words[1], MOST_INTERVAL)
    match words[0], words[2:]:
        case "daily", []:
            return Daily(interval)
        case "weekly", [weekdays]:
            return Weekly(interval, fields.weekdays(weekdays))
        case "monthly", ["day", day]:
            return MonthlyDay(interval, fields.number(day, 31))
        case "monthly", ["nth", "last", weekday]:
            return MonthlyWeekday(interval, LAST_OF_MONTH, fields.weekday(weekday))
        case "monthly", ["nth", ordinal, weekday]:
            return MonthlyWeekday(interval, fields.number(ordinal, 5), fields.weekday(weekday))
    raise Refused("wrong_arguments")


def read_end(fields, words):
    match words:
        case ["count", count]:
            return End(fields.number(count, MOST_OCCURRENCES), LAST_DAY)
        case ["until", date]:
            return End(LAST_DAY, fields.date(date))
    raise Refused("wrong_arguments")


def expect(right_number):
    if not right_number:
        raise Refused("wrong_arguments")


def check_window(start, end):
    if start >= end:
        raise Refused("empty_window")


def clash_line(clash):
    return (
        f"{instant_text(clash.begin)} {instant_text(clash.finish)}"
        f" {minute_text(clash.first)} {minute_text(clash.second)}"
    )


def instant_text(instant):
    return minute_text(instant) + "Z"
