"""JSON read strictly: what a judged program wrote either is one value, or says why not."""

import json
import math
from dataclasses import dataclass
from typing import NoReturn, cast

LONGEST_INTEGER_DIGITS = 4_300
"""Longer ones can't be in an expectation; converting them would take quadratic time."""


class NotStrictJson(Exception):
    """The text is no JSON value, or one that the farm refuses; the message says why."""


@dataclass(frozen=True, slots=True)
class HugeInteger:
    """An integer too long to convert: equal to no expected value."""

    digits: str


def read_json(text: str) -> object:
    """The value in `text`: dict, list, str, bool, None, int, float or HugeInteger.

    Raises NotStrictJson for anything that RFC 8259 forbids, for doubled keys, for numbers
    beyond a float's range and for nesting too deep to read.
    """
    try:
        return cast("object", _DECODER.decode(text))
    except NotStrictJson:
        raise
    except RecursionError:
        raise NotStrictJson("nested too deeply") from None
    except ValueError as error:
        raise NotStrictJson(str(error)) from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotStrictJson("an object holds the same key twice")
    return value


def _constant(name: str) -> NoReturn:
    raise NotStrictJson(f"{name} is not JSON")


def _integer(digits: str) -> int | HugeInteger:
    if len(digits.lstrip("-")) > LONGEST_INTEGER_DIGITS:
        return HugeInteger(digits)
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise NotStrictJson("a number is beyond the range of a float")
    return value


# Made once: making one costs more than reading a short line.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float
)
