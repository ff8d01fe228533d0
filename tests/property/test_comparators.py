"""No bytes make the comparison raise, and only the expected value compares as equal."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from models.schemas.check import Comparison, FloatTolerance
from workers.checks.comparators import compare

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KINDS = st.sampled_from(["json-lines", "json", "text"])
TOLERANCES = st.none() | st.builds(
    FloatTolerance,
    abs=st.floats(min_value=0, max_value=1e300),
    rel=st.floats(min_value=0, max_value=1e300),
)
ALMOST_JSON = st.text(alphabet='{}[]",:0123456789eE+-.\\u \ntruefalsnINy', max_size=60).map(
    lambda text: text.encode()
)


def typed(value: object) -> object:
    """A form in which equality is strict by type."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, value)


@given(expected=JSON, kind=KINDS, tolerance=TOLERANCES, answer=st.binary() | ALMOST_JSON)
@settings(max_examples=400)
def test_no_bytes_make_the_comparison_raise(
    expected: object, kind: str, tolerance: FloatTolerance | None, answer: bytes
) -> None:
    comparison = Comparison.model_validate({"kind": kind, "float_tolerance": tolerance})
    found = compare(expected, comparison, answer)
    assert found is None or found.text


@given(value=JSON, ascii_only=st.booleans())
def test_a_value_equals_its_own_json(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    answer = text.encode("utf-8", "surrogatepass")
    found = compare(value, Comparison(kind="json"), answer)
    assert found is None or "UTF-8" in found.text


@given(expected=JSON, actual=JSON)
@settings(max_examples=300)
def test_two_values_are_equal_exactly_when_types_and_values_are(
    expected: object, actual: object
) -> None:
    answer = json.dumps(actual).encode()
    found = compare(expected, Comparison(kind="json"), answer)
    assert (found is None) == (typed(expected) == typed(actual))


@given(values=st.lists(JSON, min_size=1, max_size=5), final_newline=st.booleans())
def test_lines_are_equal_to_the_whole_list_in_order(
    values: list[object], final_newline: bool
) -> None:
    text = "\n".join(json.dumps(value) for value in values) + ("\n" if final_newline else "")
    lines = Comparison(kind="json-lines")
    assert compare(values, lines, text.encode()) is None
    assert compare([*values, 1], lines, text.encode()) is not None
    assert compare(values[:-1], lines, text.encode()) is not None


@given(expected=st.text(), actual=st.text())
def test_text_is_equal_only_to_itself(expected: str, actual: str) -> None:
    answer = actual.encode("utf-8", "surrogatepass")
    found = compare(expected, Comparison(kind="text"), answer)
    assert (found is None) == (expected == actual)
