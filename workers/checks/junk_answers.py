"""Answers that no check may take for its own, and that no comparator may stumble over. Pure.

Some are the same for every check, some are the expected answer with one thing changed. What
happens to be the expected answer itself is left out.
"""

import json
from collections.abc import Callable, Iterator
from itertools import chain
from typing import cast

from pydantic import JsonValue

from models.schemas.check import Check
from tasks_catalog.answer_bytes import answer_bytes, json_line

Junk = tuple[str, bytes]
"""What kind of junk, in words, and its bytes."""

LONG = 1 << 16
DEEP = 20_000


def _always() -> Iterator[Junk]:
    """The same for every check; made each time, since a worker need not hold it for ever."""
    yield from PLAIN
    yield "an integer of very many digits", b"9" * LONG + b"\n"
    yield "nested lists without end", b"[" * DEEP
    yield "deeply nested lists", b"[" * DEEP + b"]" * DEEP + b"\n"
    yield "deeply nested objects", b'{"a":' * DEEP + b"0" + b"}" * DEEP + b"\n"
    yield "a huge line", b"x" * LONG
    yield "a huge string", b'"' + b"x" * LONG + b'"\n'
    yield "many empty lines", b"\n" * 10_000


PLAIN: tuple[Junk, ...] = (
    ("nothing", b""),
    ("a line feed", b"\n"),
    ("NUL bytes", b"\0" * 64),
    ("invalid UTF-8", b"\xff\xfe\xc0\x80\n"),
    ("a lone surrogate", b"\xed\xa0\x80\n"),
    ("an escaped surrogate", b'"\\ud800"\n'),
    ("2^63", b"9223372036854775808\n"),
    ("-2^63-1", b"-9223372036854775809\n"),
    ("1e999", b"1e999\n"),
    ("NaN", b"NaN\n"),
    ("-Infinity", b"-Infinity\n"),
    ("-0.0", b"-0.0\n"),
    ("true", b"true\n"),
    ("null", b"null\n"),
    ("an empty list", b"[]\n"),
    ("an empty object", b"{}\n"),
    ("a key twice", b'{"a":1,"a":1}\n'),
    ("an escape sequence of a terminal", b"\x1b[2J\x1b]0;passed\x07\n"),
    ("a division by zero", b"1/0\n"),
)


def junk_answers(check: Check) -> Iterator[Junk]:
    """Every junk answer for one check, each once."""
    seen = {answer_bytes(check)}
    plain = (junk for junk in _always() if not _means_the_expected(check, junk[1]))
    for name, answer in chain(plain, _spoilt(check)):
        if answer not in seen:
            seen.add(answer)
            yield name, answer


def _spoilt(check: Check) -> Iterator[Junk]:
    """The expected answer, spoilt in one place."""
    whole = answer_bytes(check)
    if not whole:
        return
    yield "the answer twice", whole + whole
    yield "the answer with a NUL byte behind it", whole + b"\0"
    yield "the answer behind a byte order mark", b"\xef\xbb\xbf" + whole
    yield "the answer in UTF-16", whole.decode("utf-8").encode("utf-16")
    if check.compare.kind == "text":
        yield from _spoilt_text(whole)
        return
    yield from _spoilt_values(check)
    if check.compare.float_tolerance is None:
        yield from _spoilt_strictly(check, whole)


def _spoilt_text(whole: bytes) -> Iterator[Junk]:
    lines = whole.splitlines(keepends=True)
    yield "the answer without its last byte", whole[:-1]
    yield "the answer with its last line doubled", whole + lines[-1]
    yield "the answer without its last line", b"".join(lines[:-1])
    yield "the answer with a line feed more", whole + b"\n"
    yield "the answer with a space behind it", whole + b" "
    yield "the answer in the other case", whole.swapcase()
    yield "the answer as a JSON string", json_line(whole.decode("utf-8"))


def _spoilt_values(check: Check) -> Iterator[Junk]:
    values = _values(check)
    yield "the answer with its last line doubled", _lines([*values, *values[-1:]])
    yield "the answer without its last line", _lines(values[:-1])
    for name, spoil in SPOILT.items():
        spoilt = _first_changed(values, spoil)
        if spoilt is not None:
            yield f"the answer with {name}", _lines(cast("list[JsonValue]", spoilt))


def _spoilt_strictly(check: Check, whole: bytes) -> Iterator[Junk]:
    """What a declared tolerance might allow."""
    values = _values(check)
    yield "the answer without its end", whole.rstrip(b"\n")[:-1]
    if _exact(values[::-1]) != _exact(values):
        yield "the answer in the other order", _lines(values[::-1])
    spoilt = _first_changed(values, _integer_as_float)
    if spoilt is not None:
        yield "the answer with an integer as a float", _lines(cast("list[JsonValue]", spoilt))


def _values(check: Check) -> list[JsonValue]:
    expected = check.expect.stdout
    listed = check.compare.kind == "json-lines" and isinstance(expected, list)
    return cast("list[JsonValue]", expected) if listed else [expected]


def _lines(values: list[JsonValue]) -> bytes:
    return b"".join(map(json_line, values))


Spoil = Callable[[JsonValue], JsonValue | None]
"""Another value in place of the one given; None where it has none."""


def _number_as_text(value: JsonValue) -> JsonValue | None:
    return json.dumps(value) if isinstance(value, int | float) else None


def _text_as_list(value: JsonValue) -> JsonValue | None:
    return [value] if isinstance(value, str) else None


def _flag_as_number(value: JsonValue) -> JsonValue | None:
    return int(value) if isinstance(value, bool) else None


def _number_as_flag(value: JsonValue) -> JsonValue | None:
    return bool(value) if type(value) is int and value in (0, 1) else None


def _integer_as_float(value: JsonValue) -> JsonValue | None:
    return float(value) if type(value) is int and abs(value) < 2**53 else None


def _null_as_false(value: JsonValue) -> JsonValue | None:
    return False if value is None else None


def _one_key_more(value: JsonValue) -> JsonValue | None:
    return {**value, "\u200b": None} if isinstance(value, dict) else None


def _one_key_less(value: JsonValue) -> JsonValue | None:
    return dict(list(value.items())[:-1]) if isinstance(value, dict) and value else None


SPOILT: dict[str, Spoil] = {
    "a number as text": _number_as_text,
    "a text in a list": _text_as_list,
    "true or false as a number": _flag_as_number,
    "0 or 1 as false or true": _number_as_flag,
    "null as false": _null_as_false,
    "a key more": _one_key_more,
    "a key less": _one_key_less,
}


def _first_changed(value: JsonValue, spoil: Spoil) -> JsonValue | None:
    """`value` with the first thing in it changed that `spoil` changes; None where it finds none."""
    changed = spoil(value)
    if changed is not None:
        return changed
    if isinstance(value, list):
        for place, item in enumerate(value):
            inner = _first_changed(item, spoil)
            if inner is not None:
                return [*value[:place], inner, *value[place + 1 :]]
    if isinstance(value, dict):
        for key, item in value.items():
            inner = _first_changed(item, spoil)
            if inner is not None:
                return {**value, key: inner}
    return None


def _means_the_expected(check: Check, answer: bytes) -> bool:
    """Whether other bytes may say what is expected: read with the standard library alone."""
    if check.compare.kind == "text" or len(answer) >= LONG:
        return False
    try:
        if check.compare.kind == "json":
            said: object = json.loads(answer)
        else:
            lines = answer.decode("utf-8").removesuffix("\n").split("\n") if answer else []
            said = [json.loads(line) for line in lines]
    except (ValueError, RecursionError):
        return False
    expected = check.expect.stdout
    loose = check.compare.float_tolerance is not None and _holds_number(expected)
    return _exact(said) == _exact(expected) or (loose and _holds_number(said))


def _holds_number(value: object) -> bool:
    """A number, or a list of one: whether two such are the same may be a matter of tolerance."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        return len(items) == 1 and _holds_number(items[0])
    return isinstance(value, int | float) and not isinstance(value, bool)


def _exact(value: object) -> str:
    """Equal for values of equal type alone; 0.0 and -0.0 are one number."""
    return json.dumps(value, sort_keys=True).replace("-0.0", "0.0")
