"""Holds an answer against its expectation: strict by type, and never raising for any bytes."""

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from pydantic import JsonValue

from models.schemas.check import Comparison, FloatTolerance
from workers.checks.json_values import HugeInteger, NotStrictJson, read_json

SHOWN = 160

_Found = tuple[str, str]
"""Where in the value, and what is different there."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Why an answer is not the expected one.

    `protocol` says that it wasn't in the agreed form at all. `text` says where, in what way, and
    what the answer was instead, and never what was expected: it is kept where agents' machines
    can read it.
    """

    protocol: bool
    text: str


def compare(expected: JsonValue, comparison: Comparison, answer: bytes) -> Difference | None:
    """None when `answer` is exactly `expected` in the form that `comparison` names.

    Numbers: 1 is not 1.0 and not true, unless a tolerance is declared; then an integer may
    stand for a float and |a - b| <= max(abs, rel * |b|) decides, b the expected one.
    """
    if not answer and expected not in ("", []):
        return Difference(protocol=False, text="nothing was printed")
    try:
        text = answer.decode("utf-8")
    except UnicodeDecodeError as error:
        return Difference(protocol=True, text=f"byte {error.start} is not UTF-8")
    if comparison.kind == "text":
        return _compare_text(expected, text)
    try:
        if comparison.kind == "json-lines":
            # One line too many settles it: judged code doesn't choose how many are read.
            actual = _read_lines(text, len(_items(expected) or ()) + 1)
        else:
            actual = read_json(text)
    except NotStrictJson as error:
        return Difference(protocol=True, text=str(error))
    found = _differ(expected, actual, comparison.float_tolerance)
    if found is None:
        return None
    path, said = found
    return Difference(protocol=False, text=f"{path or 'the value'}: {said}")


def _read_lines(text: str, most: int) -> list[object]:
    """The values of the first `most` lines."""
    lines = text.split("\n", most)
    if lines[-1] == "":
        lines.pop()
    values: list[object] = []
    for number, line in enumerate(lines[:most], 1):
        try:
            values.append(read_json(line))
        except NotStrictJson as error:
            raise NotStrictJson(f"line {number}: {error}") from None
    return values


def _compare_text(expected: JsonValue, text: str) -> Difference | None:
    if text == expected:
        return None
    wanted = expected if isinstance(expected, str) else ""
    place = next(
        (i for i, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b),
        min(len(text), len(wanted)),
    )
    return Difference(protocol=False, text=f"at character {place}: got {shorten(text[place:])}")


def _differ(expected: object, actual: object, tolerance: FloatTolerance | None) -> _Found | None:
    """The first difference. Depth is bounded by the expected value's; places are only put
    together on the way back, since nearly all values are equal."""
    wanted, got = _members(expected), _members(actual)
    if wanted is not None and got is not None:
        return _differ_objects(wanted, got, tolerance)
    items, others = _items(expected), _items(actual)
    if items is not None and others is not None:
        return _differ_lists(items, others, tolerance)
    if _same_scalar(expected, actual, tolerance):
        return None
    what = "value" if type(expected) is type(actual) else "type"
    return "", f"got {shorten(actual)}, not the expected {what}"


def _members(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _items(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None


def _differ_objects(
    expected: dict[str, object], actual: dict[str, object], tolerance: FloatTolerance | None
) -> _Found | None:
    for key, value in expected.items():
        if key not in actual:
            return "", f"got {shorten(actual)}, and a key is missing"
        found = _differ(value, actual[key], tolerance)
        if found is not None:
            return f"/{shorten(key)}{found[0]}", found[1]
    extra = next((key for key in actual if key not in expected), None)
    return None if extra is None else ("", f"unexpected key {shorten(extra)}")


def _differ_lists(
    expected: list[object], actual: list[object], tolerance: FloatTolerance | None
) -> _Found | None:
    for index, (wanted, got) in enumerate(zip(expected, actual, strict=False)):
        found = _differ(wanted, got, tolerance)
        if found is not None:
            return f"/{index}{found[0]}", found[1]
    if len(expected) != len(actual):
        return (
            "",
            f"got {len(actual)} items, too {'few' if len(actual) < len(expected) else 'many'}",
        )
    return None


def _same_scalar(expected: object, actual: object, tolerance: FloatTolerance | None) -> bool:
    if tolerance is not None and float in (type(expected), type(actual)):
        return _close(expected, actual, tolerance)
    return type(expected) is type(actual) and expected == actual


def _close(expected: object, actual: object, tolerance: FloatTolerance) -> bool:
    """Exact arithmetic: no rounding and no overflow can decide a verdict."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return False
    if not (isinstance(expected, int | float) and isinstance(actual, int | float)):
        return False
    distance = abs(Fraction(actual) - Fraction(expected))
    relative = Fraction(tolerance.rel) * abs(Fraction(expected))
    return distance <= max(Fraction(tolerance.abs), relative)


def shorten(value: object) -> str:
    """A value as short, printable ASCII."""
    if isinstance(value, HugeInteger):
        return f"an integer of {len(value.digits)} digits"
    if isinstance(value, dict):
        return f"an object of {len(cast('dict[str, object]', value))} keys"
    if isinstance(value, list):
        return f"a list of {len(cast('list[object]', value))} items"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    text = ascii(value[: SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
