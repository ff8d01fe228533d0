"""Comparison is strict by type, and says where an answer differs."""

import json

import pytest
from pydantic import JsonValue

from models.schemas.check import Comparison, FloatTolerance
from tests.conftest import spent
from workers.checks.comparators import compare

TOLERANT = Comparison(kind="json", float_tolerance=FloatTolerance(abs=0.01))


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        (True, b"1"),
        (1, b"true"),
        (1, b"1.0"),
        (1.0, b"1"),
        (0, b"null"),
        (0, b"-1"),
        ("1", b"1"),
        ({}, b"[]"),
        (2**64, b"18446744073709551617"),
        ({"a": 1}, b'{"a": 1, "b": 2}'),
        ({"a": 1, "b": 2}, b'{"a": 1}'),
        ([1, 2], b"[2, 1]"),
    ],
)
def test_values_of_other_types_or_sizes_are_wrong(expected: JsonValue, answer: bytes) -> None:
    found = compare(expected, Comparison(kind="json"), answer)
    assert found is not None
    assert not found.protocol


@pytest.mark.parametrize(
    "answer",
    [
        b"NaN",
        b"Infinity",
        b"1e999",
        b'{"a": 1, "a": 1}',
        b"1 2",
        b"{",
        b"\xff",
        b"\xef\xbb\xbf1",
        b"[" * 100_000,
        b"'1'",
    ],
)
def test_what_is_not_strict_json_breaks_the_protocol(answer: bytes) -> None:
    found = compare(1, Comparison(kind="json"), answer)
    assert found is not None
    assert found.protocol


def test_integers_of_any_size_are_exact() -> None:
    big = 10**4_000 + 1
    assert compare(big, Comparison(kind="json"), str(big).encode()) is None
    assert compare(big, Comparison(kind="json"), str(big - 1).encode()) is not None
    assert compare(big, TOLERANT, str(big - 1).encode()) is not None


def test_an_integer_too_long_to_convert_is_wrong_and_not_an_error() -> None:
    found = compare(1, Comparison(kind="json"), b"9" * 500_000)
    assert found is not None
    assert "500000 digits" in found.text


def test_a_declared_tolerance_lets_an_integer_stand_for_a_float_but_never_a_bool() -> None:
    assert compare(1.0, TOLERANT, b"1") is None
    assert compare(1.0, TOLERANT, b"1.0099") is None
    assert compare(1.0, TOLERANT, b"1.02") is not None
    assert compare(1.0, TOLERANT, b"true") is not None
    assert compare(1.0, TOLERANT, b'"1.0"') is not None
    assert compare(1, TOLERANT, b"2") is not None


def test_nothing_printed_is_wrong_in_every_form() -> None:
    for kind in ("json", "json-lines", "text"):
        found = compare([1], Comparison.model_validate({"kind": kind}), b"")
        assert found is not None
        assert not found.protocol
    assert compare([], Comparison(kind="json-lines"), b"") is None
    assert compare("", Comparison(kind="text"), b"") is None


def test_an_empty_line_between_answers_breaks_the_protocol() -> None:
    found = compare([1, 2], Comparison(kind="json-lines"), b"1\n\n2\n")
    assert found is not None
    assert found.protocol
    assert "line 2" in found.text


def test_a_difference_names_its_place() -> None:
    expected: JsonValue = [{"state": "open", "n": [1, 2]}]
    found = compare(expected, Comparison(kind="json-lines"), b'{"state": "open", "n": [1, 3]}\n')
    assert found is not None
    assert found.text == "/0/'n'/1: got 3, not the expected value"


def test_a_difference_stays_short() -> None:
    found = compare("x" * 10_000, Comparison(kind="text"), b"y" * 10_000)
    assert found is not None
    assert len(found.text) < 500


@pytest.mark.parametrize(
    ("expected", "kind", "answer", "said"),
    [
        ([777_111], "json-lines", b"5\n", "/0: got 5, not the expected value"),
        ([777_111], "json-lines", b'"5"\n', "/0: got '5', not the expected type"),
        ([[777_111]], "json-lines", b"5\n", "/0: got 5, not the expected type"),
        ([5, 777_111], "json-lines", b"5\n", "the value: got 1 items, too few"),
        (
            {"key777111": 1},
            "json",
            b"{}",
            "the value: got an object of 0 keys, and a key is missing",
        ),
        ({}, "json", b'{"mine": 1}', "the value: unexpected key 'mine'"),
        (
            {"a": {"b": 777_111}},
            "json",
            b'{"a": {"b": 1}}',
            "/'a'/'b': got 1, not the expected value",
        ),
        ("same 777111", "text", b"same but", "at character 5: got 'but'"),
        ("777111", "text", b"", "nothing was printed"),
        ([777_111], "json-lines", b"{", None),
    ],
)
def test_a_difference_never_says_what_was_expected(
    expected: JsonValue, kind: str, answer: bytes, said: str | None
) -> None:
    found = compare(expected, Comparison.model_validate({"kind": kind}), answer)
    assert found is not None
    assert "777111" not in found.text
    assert said is None or found.text == said


@pytest.mark.parametrize("line", [b"0\n", b"[]\n", b"\n", b"{}\n", b"[0,1]\n"])
def test_millions_of_lines_are_not_read(line: bytes) -> None:
    answer = line * (4 * 2**20 // len(line))
    lines = Comparison(kind="json-lines")
    assert compare([1, 2, 3], lines, answer) is not None
    assert spent(lambda: compare([1, 2, 3], lines, answer)) < spent(answer.splitlines)


@pytest.mark.parametrize("unit", [b"0,", b"[],", b'{"a":1},', b'"",', b"1e9,", b"1.5,"])
def test_a_value_of_megabytes_is_read_in_a_moment(unit: bytes) -> None:
    answer = b"[" + unit * (4 * 2**20 // len(unit)) + b"0]"
    value = Comparison(kind="json")
    assert compare([1, 2, 3], value, answer) is not None
    reading = spent(lambda: json.loads(answer))
    assert spent(lambda: compare([1, 2, 3], value, answer)) < 20 * reading


def test_one_line_too_many_or_too_few_is_wrong() -> None:
    lines = Comparison(kind="json-lines")
    assert compare([1, 2], lines, b"1\n2\n") is None
    assert compare([1, 2], lines, b"1\n2") is None
    for answer in (b"1\n", b"1\n2\n2\n", b"1\n2\n2", b"1\n2\n2\n2\n"):
        found = compare([1, 2], lines, answer)
        assert found is not None
        assert not found.protocol
