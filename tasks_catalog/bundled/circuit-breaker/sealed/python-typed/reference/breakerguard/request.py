"""From a line to a request that has every field in its type and range."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from breakerguard.breaker import Settings
from breakerguard.refusal import Refused

LARGEST = 1_000_000_000_000
COUNT = (1, LARGEST)
INSTANT = (0, LARGEST)
STATUS = (100, 599)


@dataclass(frozen=True)
class Configure:
    """Make a target known."""

    target: str
    settings: Settings


@dataclass(frozen=True)
class Call:
    """May this call go out?"""

    target: str
    call: str
    at: int


@dataclass(frozen=True)
class Result:
    """This status code came back."""

    target: str
    call: str
    at: int
    status: int


@dataclass(frozen=True)
class Query:
    """How is this target?"""

    target: str
    at: int


Request = Configure | Call | Result | Query
Range = tuple[int, int]


class Fields:
    """The fields of one request, read by name.

    What is wrong is collected while reading, so that `verify` can report the gravest of all
    fields: one that is absent before one of the wrong type before one out of range.
    """

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        self._absent = False
        self._mistyped = False
        self._out_of_range = False

    def name(self, field: str) -> str:
        value = self._present(field)
        if not isinstance(value, str):
            self._mistyped = True
            return ""
        self._out_of_range |= value == ""
        return value

    def integer(self, field: str, allowed: Range, default: int | None = None) -> int:
        if default is not None and field not in self._values:
            return default
        return self._integer(self._present(field), allowed)

    def integers(self, field: str, allowed: Range) -> frozenset[int]:
        value = self._present(field)
        if not isinstance(value, list):
            self._mistyped = True
            return frozenset()
        return frozenset([self._integer(element, allowed) for element in value])

    def verify(self) -> None:
        if self._absent:
            raise Refused("missing_field")
        if self._mistyped:
            raise Refused("wrong_type")
        if self._out_of_range:
            raise Refused("out_of_range")

    def _present(self, field: str) -> object:
        self._absent |= field not in self._values
        return self._values.get(field)

    def _integer(self, value: object, allowed: Range) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self._mistyped = True
            return allowed[0]
        self._out_of_range |= not allowed[0] <= value <= allowed[1]
        return value


def _configure(fields: Fields) -> Configure:
    return Configure(
        target=fields.name("target"),
        settings=Settings(
            failure_threshold=fields.integer("failure_threshold", COUNT),
            cooldown_ms=fields.integer("cooldown_ms", COUNT),
            success_statuses=fields.integers("success_statuses", STATUS),
            failure_statuses=fields.integers("failure_statuses", STATUS),
            trial_limit=fields.integer("trial_limit", COUNT, default=1),
            trial_successes=fields.integer("trial_successes", COUNT, default=1),
        ),
    )


def _call(fields: Fields) -> Call:
    return Call(fields.name("target"), fields.name("call"), fields.integer("at", INSTANT))


def _result(fields: Fields) -> Result:
    return Result(
        fields.name("target"),
        fields.name("call"),
        fields.integer("at", INSTANT),
        fields.integer("status", STATUS),
    )


def _query(fields: Fields) -> Query:
    return Query(fields.name("target"), fields.integer("at", INSTANT))


READERS: dict[str, Callable[[Fields], Request]] = {
    "configure": _configure,
    "call": _call,
    "result": _result,
    "state": _query,
}


def parse(line: str) -> Request:
    """Return the request on a line, or raise Refused."""
    values = _object(line)
    if "op" not in values:
        raise Refused("missing_field")
    operation = values["op"]
    if not isinstance(operation, str):
        raise Refused("wrong_type")
    if operation not in READERS:
        raise Refused("unknown_operation")
    fields = Fields(values)
    request = READERS[operation](fields)
    fields.verify()
    return request


def _object(line: str) -> Mapping[str, object]:
    try:
        value: object = json.loads(line)
    except ValueError:
        raise Refused("invalid_json") from None
    if not isinstance(value, dict):
        raise Refused("not_an_object")
    return value
