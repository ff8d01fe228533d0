"""A record is told whatever stands in it, in letters only."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.canonical import canonical_bytes
from models.records.canonical_lines import DEEPEST, read_canonical, writable
from models.records.event_chain import BEGIN
from models.records.refusal import RecordRefused
from models.records.story import TELLS, story
from models.schemas.record_event import Actor, RecordEvent
from tests.fakes.record_forge import Keys, drafted

NAMES = (
    *("system", "text", "exit", "out", "data", "stage", "worker", "outcome", "planned", "universe"),
    *("cost_microusd", "tokens", "needed", "ending", "reached", "verdict", "stop", "id", "plan"),
    *("usage", "path", "name", "sha256", "size", "media", "wall_ms", "nonce", "\x1b[2J"),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["\x1b]0;x\x07", "\ud800", "\x9b31m", "a\u202eb", "x\ny\r", "ok"])
    | st.text(st.characters())
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)


def event(kind: str, body: dict[str, Any], t: int = 0, mono: int = 0) -> RecordEvent:
    return RecordEvent(
        **{"v": 1, "run": "1", "seq": 0, "prev": BEGIN, "t": t, "mono": mono, "src": "recorder"},
        actor=Actor(kind="system", id="x"),
        type=kind,
        cause=None,
        body=body,
    )


@given(
    st.sampled_from([*TELLS, "note", "\x1b[31mred"]),
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6),
    st.integers(),
)
def test_whatever_stands_in_an_event_is_told_in_one_line_of_letters(
    kind: str, body: dict[str, Any], t: int
) -> None:
    for line in story([event(kind, body, t, t % 2**53)]):
        assert line.isprintable()
        assert len(line) < 3_000


def test_control_characters_are_shown_as_escapes() -> None:
    told = list(story([event("note", {"text": "a\x1b[2Jb\x07\x9b\ud800"})]))
    assert told[0].endswith("note          a\\x1b[2Jb\\x07\\x9b\\ud800")


def test_an_honest_record_is_told_with_its_plan() -> None:
    events = [RecordEvent.model_validate(json.loads(line)) for line in drafted(Keys()).lines]
    told = "\n".join(story(events))
    assert "coder (scripted) on breaker in python" in told
    assert "agent stage, by w1" in told
    assert "reached turn_budget" in told
    assert "FAILED, of 2 planned checks" in told


def test_a_models_call_is_told_once() -> None:
    data = {
        **{"model": "gpt-5", "stop": "stop", "cost_microusd": 1400, "wire": "openai-chat"},
        "usage": {"input_tokens": 1000, "output_tokens": 96},
    }
    text = "gpt-5, stop: 1,096 tokens, 0.0014 USD"
    (line,) = story([event("model.call", {"text": text, "data": data})])
    assert line.endswith(f"{text}  (wire openai-chat, 1000 input tokens, 96 output tokens)")
    (line,) = story([event("model.call", {"data": data})])
    assert "model gpt-5, stop stop" in line


def test_what_is_nested_without_end_is_cut_in_writing_and_refused_in_reading() -> None:
    deep: Any = "x"
    for _ in range(200):
        deep = {"a": [deep]}
    kept = {"a": writable(deep, DEEPEST - 2)}
    assert read_canonical(canonical_bytes(kept), "it") == kept
    line = b'{"a":' + b"[" * DEEPEST + b"]" * DEEPEST + b"}"
    with pytest.raises(RecordRefused, match="nested"):
        read_canonical(line, "it")
