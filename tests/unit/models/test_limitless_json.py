"""What strangers write can be read, whatever its depth and the length of its numbers."""

import json

import pytest

from models.limitless_json import DEEPEST, read_limitless


def test_what_python_reads_is_read_alike() -> None:
    value = {"a": ['"[', "\\", "é\n", 1, -2.5, None, True], "b": {"[": [[], {}]}}
    many = {"deep": [value] * DEEPEST, "last": 1}
    for text in (json.dumps(many), json.dumps(many, ensure_ascii=False).encode()):
        assert read_limitless(text) == many


@pytest.mark.parametrize("deep", ["[" * 9_000 + "]" * 9_000, '{"a":[' * 900 + "]}" * 900])
def test_what_is_nested_too_deep_hides_nothing_else(deep: str) -> None:
    value = read_limitless(f'{{"said": "]}}\\"", "deep": {deep}, "usage": [1, {"9" * 5_000}]}}')
    assert isinstance(value, dict)
    assert (value["said"], value["usage"]) == ('"]}"'[1:], [1, None])
    assert json.dumps(value["deep"]).count("\\u2026") == 1


@pytest.mark.parametrize("cut", ["[" * 9_000, '{"a": "[' + "[" * 200, '{"a": "' + '\\"[' * 200])
def test_what_broke_off_is_no_value(cut: str) -> None:
    with pytest.raises(ValueError):
        read_limitless(cut)
