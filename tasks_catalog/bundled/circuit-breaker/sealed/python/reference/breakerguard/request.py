"""From a line to a request that has every field in its type and range."""

import json

from breakerguard.refusal import Refused

LARGEST = 1_000_000_000_000


class Text:
    """A string that is not empty."""

    def has_type(self, value):
        return isinstance(value, str)

    def in_range(self, value):
        return value != ""


class Integer:
    """A whole number from `least` to `most`; true and false are none."""

    def __init__(self, least, most):
        self._least = least
        self._most = most

    def has_type(self, value):
        return isinstance(value, int) and not isinstance(value, bool)

    def in_range(self, value):
        return self._least <= value <= self._most


class ListOf:
    """A list, maybe empty, with elements of one kind."""

    def __init__(self, element):
        self._element = element

    def has_type(self, value):
        return isinstance(value, list) and all(map(self._element.has_type, value))

    def in_range(self, value):
        return all(map(self._element.in_range, value))


NAME = Text()
COUNT = Integer(1, LARGEST)
INSTANT = Integer(0, LARGEST)
STATUS = Integer(100, 599)

FIELDS = {
    "configure": {
        "target": NAME,
        "failure_threshold": COUNT,
        "cooldown_ms": COUNT,
        "success_statuses": ListOf(STATUS),
        "failure_statuses": ListOf(STATUS),
        "trial_limit": COUNT,
        "trial_successes": COUNT,
    },
    "call": {"target": NAME, "call": NAME, "at": INSTANT},
    "result": {"target": NAME, "call": NAME, "at": INSTANT, "status": STATUS},
    "state": {"target": NAME, "at": INSTANT},
}
DEFAULTS = {
    "configure": {"trial_limit": 1, "trial_successes": 1},
}


def parse(line):
    """Return the operation and its fields, or raise Refused."""
    request = _object(line)
    operation = _operation(request)
    kinds = FIELDS[operation]
    given = DEFAULTS.get(operation, {}) | request
    if any(name not in given for name in kinds):
        raise Refused("missing_field")
    if not all(kind.has_type(given[name]) for name, kind in kinds.items()):
        raise Refused("wrong_type")
    if not all(kind.in_range(given[name]) for name, kind in kinds.items()):
        raise Refused("out_of_range")
    return operation, {name: given[name] for name in kinds}


def _object(line):
    try:
        value = json.loads(line)
    except ValueError:
        raise Refused("invalid_json") from None
    if not isinstance(value, dict):
        raise Refused("not_an_object")
    return value


def _operation(request):
    if "op" not in request:
        raise Refused("missing_field")
    operation = request["op"]
    if not isinstance(operation, str):
        raise Refused("wrong_type")
    if operation not in FIELDS:
        raise Refused("unknown_operation")
    return operation
