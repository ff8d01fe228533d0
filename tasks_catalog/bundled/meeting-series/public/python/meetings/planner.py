"""Carries out commands."""

from meetings import fields
from meetings.dates import minute_text
from meetings.fields import BadCommand
from meetings.rule import LAST_DAY, Daily, End, MonthlyDay, Weekly, originals
from meetings.series import Series


class Planner:
    """Keeps zones and series; answers one command after the other."""

    def __init__(self):
        self._offsets = {}
        self._series = {}
        self._commands = {
            "zone": self._zone,
            "meeting": self._meeting,
            "list": self._list,
        }

    def answer(self, line):
        """Return the answer lines to a command."""
        command, *words = line.split(" ")
        try:
            if command not in self._commands:
                raise BadCommand
            return self._commands[command](words)
        except BadCommand:
            return ["refused bad_command"]

    def _zone(self, words):
        expect(len(words) >= 2)
        name = words[0]
        self._offsets[name] = fields.offset(words[1])
        return [f"zone {name} {len(words) - 2}"]

    def _meeting(self, words):
        expect(len(words) >= 8)
        name, zone = words[0], words[1]
        expect(zone in self._offsets)
        start, minutes = fields.local(words[2]), fields.number(words[3])
        found = originals(start, read_rule(words[4:-2]), read_end(words[-2:]))
        expect(found)
        self._series[name] = Series(name, self._offsets[zone], minutes, found)
        return [f"meeting {name} {len(found)} {minute_text(found[0])} {minute_text(found[-1])}"]

    def _list(self, words):
        expect(len(words) >= 2)
        start, end = fields.instant(words[0]), fields.instant(words[1])
        names = words[2:]
        expect(all(name in self._series for name in names))
        chosen = [self._series[name] for name in dict.fromkeys(names)] or self._series.values()
        found = [o for series in chosen for o in series.overlapping(start, end)]
        found.sort(key=lambda o: (o.start, o.end, o.series, o.original))
        return [f"list {len(found)}", *map(self._occurrence_line, found)]

    def _occurrence_line(self, occurrence):
        offset = self._series[occurrence.series].offset
        return (
            f"{instant_text(occurrence.start)} {instant_text(occurrence.end)}"
            f" {occurrence.series} {minute_text(occurrence.original)}"
            f" {minute_text(occurrence.start + offset)} {minute_text(occurrence.end + offset)}"
        )


def read_rule(words):
    interval = fields.number(words[1])
    match words[0], words[2:]:
        case "daily", []:
            return Daily(interval)
        case "weekly", [weekdays]:
            return Weekly(interval, fields.weekdays(weekdays))
        case "monthly", ["day", day]:
            return MonthlyDay(interval, fields.number(day))
    raise BadCommand


def read_end(words):
    match words:
        case ["count", count]:
            return End(fields.number(count), LAST_DAY)
        case ["until", date]:
            return End(LAST_DAY, fields.date(date))
    raise BadCommand


def expect(condition):
    if not condition:
        raise BadCommand


def instant_text(instant):
    return minute_text(instant) + "Z"
