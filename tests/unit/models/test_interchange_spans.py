"""Sessions go out as spans of OpenTelemetry's conventions for generative AI."""

from dataclasses import replace
from typing import Any

import pytest

from models.interchange.claude_code import read_claude_code
from models.interchange.codex_exec import read_codex_exec
from models.interchange.otel_spans import SCHEMA_URL, write_spans
from models.interchange.told_session import of_recording
from tests.unit.models.test_interchange_reading import golden

Span = dict[str, Any]


def spans_of(document: dict[str, Any]) -> list[Span]:
    (resource,) = document["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    assert resource["schemaUrl"] == scope["schemaUrl"] == SCHEMA_URL
    return scope["spans"]


def attributes(span: Span) -> dict[str, Any]:
    """The values of a span by name, whatever type they have."""
    found: dict[str, Any] = {}
    for one in span["attributes"]:
        ((kind, value),) = one["value"].items()
        if kind == "arrayValue":
            value = [item["stringValue"] for item in value["values"]]
        found[one["key"]] = int(value) if kind == "intValue" else value
    return found


def exported(*, content: bool) -> list[Span]:
    session = of_recording(read_claude_code([golden("claude-code.jsonl")]))
    return spans_of(write_spans(session, version="1", content=content))


def test_a_session_is_one_trace_with_a_span_for_each_reply_and_tool() -> None:
    root, *inner = exported(content=False)
    assert {span["traceId"] for span in inner} == {root["traceId"]}
    assert {span["parentSpanId"] for span in inner} == {root["spanId"]}
    assert len({span["spanId"] for span in inner}) == len(inner)
    assert (len(root["traceId"]), len(root["spanId"])) == (32, 16)
    assert [span["name"] for span in inner] == [
        "chat claude-sonnet-4-5",
        "execute_tool Bash",
        "chat claude-sonnet-4-5",
        "execute_tool Write",
        "chat claude-sonnet-4-5",
        "execute_tool Edit",
        "chat claude-sonnet-4-5",
    ]
    for span in (root, *inner):
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
    assert root["startTimeUnixNano"] == "1796072391975000000"


def test_tokens_of_all_spans_are_those_of_the_session_cached_ones_included() -> None:
    root, *inner = exported(content=False)
    calls = [attributes(span) for span in inner if span["name"].startswith("chat")]
    for name, total in (("input", 1640), ("output", 84), ("cache_read.input", 880)):
        field = f"gen_ai.usage.{name}_tokens"
        assert sum(call[field] for call in calls) == attributes(root)[field] == total
    assert calls[0]["gen_ai.provider.name"] == "anthropic"
    assert calls[-1]["gen_ai.response.finish_reasons"] == ["stop"]
    assert calls[0]["gen_ai.response.finish_reasons"] == ["tool_call"]


def test_nothing_that_was_said_goes_out_unless_it_is_asked_for() -> None:
    assert "greeting" not in str(exported(content=False))
    _, chat, tool, *_ = exported(content=True)
    assert '"ls -la; exit 3"' in attributes(tool)["gen_ai.tool.call.arguments"]
    assert "I will look around." in attributes(chat)["gen_ai.output.messages"]


def test_a_tool_that_failed_is_an_error_with_its_exit_code() -> None:
    _, _, tool, _, good, *_ = exported(content=False)
    assert attributes(tool)["gradefarm.exit_code"] == 3
    assert tool["status"] == {"code": 2}
    assert good["status"] == {}


@pytest.mark.parametrize("content", [False, True])
def test_a_session_without_times_says_so(content: bool) -> None:
    session = of_recording(read_codex_exec([golden("codex-exec.jsonl")]))
    root, *_ = spans_of(write_spans(session, version="1", content=content))
    assert attributes(root)["gradefarm.time_is_known"] is False
    assert attributes(root)["gradefarm.origin"] == "imported"
    assert root["startTimeUnixNano"] == "0"


def test_spans_of_a_subagent_name_its_lane() -> None:
    session = of_recording(read_claude_code([golden("claude-code.jsonl")]))
    *_, call = (step for step in session.steps if step.kind == "command")
    steps = [
        step.model_copy(update={"data": {**step.data, "lane": "looker"}}) if step is call else step
        for step in session.steps
    ]
    lane = replace(session, steps=tuple(steps))
    found = [attributes(one) for one in spans_of(write_spans(lane, version="1", content=False))]
    assert [one["gradefarm.lane"] for one in found if "gradefarm.lane" in one] == ["looker"]
