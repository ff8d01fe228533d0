"""ATIF comes in and goes out: nothing is lost on the way, and other tools take what is written.

`atif-v1.8.schema.json` was written by hand; it and Harbor 0.26.0's own models took the golden
document and what was exported of recordings. Harbor's models refused each document that is broken
here; the schema those whose shape is: the order of steps, times and the ids of calls it can't see.
"""

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from models.errors import InvalidInput
from models.interchange.atif_reading import read_atif
from models.interchange.atif_writing import KEPT, write_atif
from models.interchange.claude_code import read_claude_code
from models.interchange.codex import read_codex
from models.interchange.codex_exec import read_codex_exec
from models.interchange.mini_swe_agent import read_mini_swe_agent
from models.interchange.source_file import SourceFile
from models.interchange.told_session import ToldSession, of_recording, of_run
from models.schemas.model_call import ModelCall, TokenUsage
from models.schemas.recording import Recording
from models.schemas.transcript import Transcript, TranscriptStep
from models.verdicts import StopReason
from tests.unit.models.interchange_samples import A_RUN, AN_ATTEMPT
from tests.unit.models.test_interchange_reading import GOLDEN, Reader, golden

SCHEMA = Draft202012Validator(json.loads((GOLDEN / "atif-v1.8.schema.json").read_bytes()))
DOCUMENT: dict[str, Any] = json.loads((GOLDEN / "atif-v1.8.json").read_bytes())


def read(document: object) -> Recording:
    return read_atif([SourceFile("trajectory.json", json.dumps(document).encode())])


def written(session: ToldSession) -> dict[str, Any]:
    document = write_atif(session)
    SCHEMA.validate(document)
    return document


def test_a_document_comes_out_as_it_went_in() -> None:
    SCHEMA.validate(DOCUMENT)
    assert written(of_recording(read(DOCUMENT))) == DOCUMENT


@pytest.mark.parametrize("minor", range(8))
def test_documents_of_older_versions_come_out_as_they_went_in(minor: int) -> None:
    old = copy.deepcopy(DOCUMENT)
    del old["subagent_trajectories"]
    old["steps"][3]["observation"]["results"][0] = {"source_call_id": "c3", "content": "done"}
    for step in old["steps"]:
        step.pop("llm_call_count", None)
    old["schema_version"] = f"ATIF-v1.{minor}"
    assert written(of_recording(read(old))) == old


def test_a_document_is_told_in_the_farms_steps_and_counts() -> None:
    found = read(DOCUMENT)
    assert found.usage == TokenUsage(
        input_uncached=600, cache_read=700, cache_write=100, output=70, reasoning=20
    )
    assert found.cost_microusd == 20_000
    command = next(step for step in found.steps if step.kind == "command")
    assert (command.text, command.exit_code, command.output) == ("ls", 0, "a.txt\n")
    call = next(step for step in found.steps if step.kind == "model_call")
    assert call.data["usage"] == {
        "input_uncached": 200,
        "cache_read": 700,
        "cache_write": 100,
        "output": 40,
        "reasoning": 20,
    }
    assert [step.text for step in found.steps if step.data.get("lane")] == ["", "done"]
    assert found.told == ("step 5 was copied from an earlier trajectory",)


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("claude-code.jsonl", read_claude_code),
        ("claude-code-stream.jsonl", read_claude_code),
        ("codex.jsonl", read_codex),
        ("codex-exec.jsonl", read_codex_exec),
        ("mini-swe-agent.traj.json", read_mini_swe_agent),
    ],
)
def test_recordings_of_agents_go_out_as_atif_and_come_back(name: str, reader: Reader) -> None:
    first = reader([golden(name)])
    back = read(written(of_recording(first)))
    assert back.usage == first.usage
    assert back.cost_microusd == first.cost_microusd
    for kind in ("command", "edit", "tool_call"):
        before, after = (
            [(one.text, one.exit_code, one.output) for one in some.steps if one.kind == kind]
            for some in (first, back)
        )
        assert before == after
    assert written(of_recording(back)) == written(of_recording(first))
    # What is given back comes from the steps, not from a copy of the document.
    assert not any("tool_calls" in one.data.get(KEPT, {}) for one in back.steps)


def test_a_decision_goes_out_with_its_call_and_comes_back() -> None:
    denial = {"call": "toolu_01", "decision": "reject", "by": "person", "turn": 2}
    found = read_claude_code([golden("claude-code.jsonl")])
    step = TranscriptStep(number=6, at=0.3, kind="decision", text="rejected", data=denial)
    steps = (*found.steps[:5], step, *found.steps[5:])
    session = of_recording(found.model_copy(update={"steps": steps}))
    back = read(written(session))
    (decision,) = [one for one in back.steps if one.kind == "decision"]
    assert {**decision.data, "turn": 2} == denial


def test_a_run_of_the_farm_goes_out_with_its_calls_and_its_verdict() -> None:
    usage = TokenUsage(input_uncached=90, cache_read=10, output=5, reasoning=2)
    call = ModelCall(
        number=1, wire="openai-chat", model="m", streamed=True, status=200, stop="tool", usage=usage
    )
    data = call.model_dump(mode="json") | {"cost_microusd": 1500}
    steps = (
        TranscriptStep(number=1, at=1.0, kind="model_call", text="m, tool: 117 tokens", data=data),
        TranscriptStep(number=2, at=1.0, kind="message", text="I try.", data={"turn": 1}),
        TranscriptStep(number=3, at=2.0, kind="command", text="make", exit_code=2, output="no"),
        TranscriptStep(number=4, at=3.0, kind="limit", text="time is up"),
    )
    transcript = Transcript(
        run_id=A_RUN.id,
        attempt_number=1,
        system="chat-m",
        agent="chat",
        task=A_RUN.task,
        language=A_RUN.language,
        repeat=1,
        steps=steps,
        stop_reason=StopReason.WALL_BUDGET,
    )
    document = written(of_run(A_RUN, AN_ATTEMPT, transcript))
    assert document["session_id"] == "demo-1/42/1"
    turn, end = document["steps"]
    assert (turn["message"], turn["model_name"]) == ("I try.", "m")
    assert turn["metrics"] == {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "cached_tokens": 10,
        "cost_usd": 0.0015,
        "extra": {"reasoning_output_tokens": 2},
    }
    assert turn["tool_calls"][0]["arguments"] == {"text": "make"}
    assert turn["observation"]["results"][0]["extra"] == {"gradefarm": {"exit_code": 2}}
    assert (end["source"], end["message"]) == ("system", "time is up")
    assert document["extra"]["gradefarm"]["verdict"] == "failed"
    assert document["extra"]["gradefarm"]["origin"] == "farm"


BROKEN: list[tuple[list[object], object, str]] = [
    (["steps", 1, "step_id"], 7, "steps.1.step_id"),
    (["steps", 0, "timestamp"], "soon", "steps.0.timestamp"),
    (["steps", 0, "model_name"], "m", "steps.0.model_name"),
    (["steps", 3, "reasoning_content"], "hm", "steps.3.reasoning_content"),
    (["steps", 2, "observation", "results", 0, "source_call_id"], "c9", "source_call_id"),
    (["steps", 1, "message", 1, "source"], None, "steps.1.message.1"),
    (["steps", 2, "surprise"], 1, "steps.2.surprise"),
    (["schema_version"], "ATIF-v2.0", "schema_version"),
    (["agent", "version"], 3, "agent.version"),
    (["subagent_trajectories", 0, "trajectory_id"], None, "subagent_trajectories.0.trajectory_id"),
]


@pytest.mark.parametrize(("path", "value", "told"), BROKEN)
def test_a_broken_document_is_refused_with_the_place(
    path: list[Any], value: object, told: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(broken(path, value))
    assert [fault for fault in caught.value.faults if told in fault.field]


def broken(path: list[Any], value: object) -> dict[str, Any]:
    """The golden document with one thing put into it."""
    document = copy.deepcopy(DOCUMENT)
    place: Any = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return document


def test_all_breaches_are_named_at_once() -> None:
    document = broken(["steps", 1, "step_id"], 7)
    document["steps"][0]["timestamp"] = "soon"
    document["schema_version"] = "ATIF-v9"
    with pytest.raises(InvalidInput) as caught:
        read(document)
    fields = [fault.field for fault in caught.value.faults]
    assert fields == ["schema_version", "steps.0.timestamp", "steps.1.step_id"]
