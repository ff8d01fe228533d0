"""Canonical bytes are those of the reference implementation of RFC 8785, for every JSON value."""

import math

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from models.canonical import DEEPEST, canonical_bytes, with_canonical_form

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(min_value=-1e7, max_value=1e7).map(lambda number: round(number, 4)),
    st.text(),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner)
    ),
    max_leaves=20,
)


@given(values)
@example(-0.0)
@example(1e15)
@example(1e16)
@example(9007199254740994.0)
@example(1e-4)
@example(0.00001)
@example(5e-324)
@example(0.1 + 0.2)
@example({"\U0001f600": 1, "\ufb33": 2, "a": 3})
@example('"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é')
def test_both_ways_write_the_same_bytes(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [2**53, -(2**53), math.nan, math.inf, "\ud800", {"\ud800": 1, "a": 2}, {1: 2}, {1, 2}],
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        canonical_bytes([value])


odd = st.one_of(
    scalars,
    st.floats(),
    st.integers(min_value=-(10**50), max_value=10**50),
    st.text(st.characters(exclude_categories=())),
)


@given(
    st.recursive(
        odd,
        lambda inner: st.one_of(
            st.lists(inner), st.dictionaries(st.text(st.characters(exclude_categories=())), inner)
        ),
        max_leaves=20,
    )
)
def test_whatever_a_program_wrote_has_a_canonical_form_near_it(value: object) -> None:
    near = with_canonical_form(value)
    assert with_canonical_form(near) == near
    try:
        assert canonical_bytes(value) == canonical_bytes(near)
    except rfc8785.CanonicalizationError:
        canonical_bytes(near)


def test_what_is_nested_too_deep_is_cut() -> None:
    deep: object = 1
    for _ in range(5_000):
        deep = [deep]
    assert canonical_bytes(with_canonical_form(deep)).count(b"[") == DEEPEST


def test_a_number_longer_than_can_be_written_is_none() -> None:
    assert with_canonical_form([10**5000, 2**53]) == [None, "9007199254740992"]


def test_halves_of_one_character_that_came_apart_are_joined_again() -> None:
    assert with_canonical_form("\ud83d" + "\ude00") == "\U0001f600"
