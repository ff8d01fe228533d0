"""Takes a line apart into a step."""

import re
from dataclasses import dataclass, field

from booking.refusal import Refused

LAYOUTS = {
    "venue": ("venue", "limit", "rows"),
    "begin": ("at", "client", "venue"),
    "read": ("at", "client", "seats"),
    "hold": ("at", "client", "until", "wish"),
    "extend": ("at", "client", "until", "seats"),
    "release": ("at", "client", "seats"),
    "confirm": ("at", "client", "ticket", "seats"),
    "cancel": ("at", "client"),
    "wait": ("at", "client", "lasting", "wish"),
}
REPEATED = ("rows", "seats", "wish")

LONGEST_NAME = 12
LATEST = 1_000_000_000_000
LARGEST_LIMIT = 99

NUMBER = re.compile(r"0|[1-9][0-9]{0,12}")
ROW = re.compile(r"([A-Z]{1,2}):([1-9][0-9]?)")
SEAT = re.compile(r"[A-Z]{1,2}[1-9][0-9]?")
TOGETHER = re.compile(r"\+([1-9][0-9]?)")


@dataclass
class Step:
    """The fields of one line; those that its operation lacks are empty."""

    operation: str
    at: int = 0
    client: str = ""
    venue: str = ""
    ticket: str = ""
    limit: int = 0
    until: int = 0
    lasting: int = 0
    rows: list[tuple[str, int]] = field(default_factory=list)
    seats: list[str] = field(default_factory=list)
    together: int = 0

    @property
    def wished(self) -> int:
        """How many seats are asked for."""
        return self.together or len(self.seats)


def parse(line: str) -> Step:
    """The step of a well-formed line; raises Refused for any other."""
    if line == "":
        raise Refused("empty_line")
    operation, *fields = line.split(" ")
    if operation not in LAYOUTS:
        raise Refused("unknown_step")
    layout = LAYOUTS[operation]
    more = len(fields) - len(layout)
    if more < 0 or (more > 0 and layout[-1] not in REPEATED):
        raise Refused("wrong_fields")
    step = Step(operation)
    for position, text in enumerate(fields):
        name = layout[min(position, len(layout) - 1)]
        if name == "wish" and (more > 0 or not text.startswith("+")):
            name = "seats"
        _take(step, name, text)
    _refuse_duplicates([row for row, _ in step.rows])
    _refuse_duplicates(step.seats)
    return step


def _take(step: Step, name: str, text: str) -> None:
    match name:
        case "at":
            step.at = _number(text, 0, LATEST)
        case "until":
            step.until = _number(text, 0, LATEST)
        case "lasting":
            step.lasting = _number(text, 1, LATEST)
        case "limit":
            step.limit = _number(text, 1, LARGEST_LIMIT)
        case "client":
            step.client = _name(text)
        case "venue":
            step.venue = _name(text)
        case "ticket":
            step.ticket = _name(text)
        case "rows":
            row, count = _matched(ROW, text, "bad_row").groups()
            step.rows.append((row, int(count)))
        case "seats":
            step.seats.append(_matched(SEAT, text, "bad_seat")[0])
        case "wish":
            step.together = int(_matched(TOGETHER, text, "bad_seat")[1])


def _number(text: str, least: int, most: int) -> int:
    number = int(_matched(NUMBER, text, "bad_number")[0])
    if not least <= number <= most:
        raise Refused("bad_number")
    return number


def _name(text: str) -> str:
    if not 1 <= len(text) <= LONGEST_NAME:
        raise Refused("bad_name")
    return text


def _matched(pattern: re.Pattern[str], text: str, kind: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    if match is None:
        raise Refused(kind)
    return match


def _refuse_duplicates(names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise Refused("duplicate", name)
