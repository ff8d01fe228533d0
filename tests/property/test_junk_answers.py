"""Whatever a check expects: its own answer passes, no junk does, and none makes an error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from models.schemas.check import Check
from tasks_catalog.answer_bytes import answer_bytes
from workers.checks import comparator_probe
from workers.checks.comparator_probe import probe_comparators
from workers.checks.comparators import Difference, compare
from workers.checks.junk_answers import junk_answers

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=10,
)
EXPECTED = st.one_of(
    st.tuples(st.just("text"), TEXT),
    st.tuples(st.just("json"), JSON),
    st.tuples(st.just("json-lines"), st.lists(JSON, max_size=5)),
)


def check(kind: str, expected: JsonValue, tolerance: float | None = None) -> Check:
    return Check.model_validate(
        {
            "id": "one",
            "title": "One",
            "transport": "process",
            "input": {},
            "expect": {"stdout": expected},
            "compare": {"kind": kind, "float_tolerance": tolerance and {"abs": tolerance}},
        }
    )


@given(EXPECTED)
def test_the_written_answer_of_a_check_is_the_one_it_accepts(given: tuple[str, JsonValue]) -> None:
    one = check(*given)
    assert compare(one.expect.stdout, one.compare, answer_bytes(one)) is None


@given(EXPECTED, st.none() | st.floats(min_value=1e-9, max_value=1e6))
@settings(max_examples=150, deadline=None)
def test_no_comparator_takes_junk_or_stumbles_over_it(
    given: tuple[str, JsonValue], tolerance: float | None
) -> None:
    probe = probe_comparators([check(*given, tolerance)])
    assert probe.faults == ()
    assert probe.answers > 20


def test_junk_comes_once_and_never_is_the_answer() -> None:
    one = check("json-lines", [{"ok": True, "n": 1, "words": ["a", None]}, "b"])
    junk = dict(junk_answers(one))
    assert len(set(junk.values())) == len(junk)
    assert answer_bytes(one) not in junk.values()
    assert b'{"ok":1,"n":1,"words":["a",null]}\n"b"\n' in junk.values()
    assert b'{"ok":true,"n":1,"words":["a",null]}\n' in junk.values()
    assert "nothing" in junk


def test_what_means_the_expected_in_other_bytes_is_no_junk() -> None:
    assert "true" not in dict(junk_answers(check("json", expected=True)))
    assert "true" in dict(junk_answers(check("json", 1)))
    assert "nothing" not in dict(junk_answers(check("text", "")))
    assert "the answer in the other order" not in dict(
        junk_answers(check("json-lines", [0.0, -0.0]))
    )


def test_a_comparator_that_takes_anything_or_raises_is_told_without_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = check("text", "the secret answer")

    def broken(expected: JsonValue, _comparison: object, answer: bytes) -> Difference | None:
        if b"\0" in answer:
            raise ValueError(expected)
        return None if answer.startswith(b"the secret") else Difference(protocol=False, text="no")

    monkeypatch.setattr(comparator_probe, "compare", broken)
    faults = probe_comparators([secret]).faults
    assert {(fault.problem, fault.text) for fault in faults} == {
        ("passes", ""),
        ("raises", "ValueError"),
    }
    assert "the answer twice" in {fault.junk for fault in faults}
    assert "secret" not in str(faults)
