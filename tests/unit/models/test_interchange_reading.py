"""Recordings of the agents that people use, as those wrote them, are read into the farm's steps.

The golden files are from Claude Code 2.1.197, Codex 0.171.0 and mini-swe-agent 2.4.6, each run
against a scripted model server; long texts and fields that say nothing were cut out.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from models.errors import InvalidInput
from models.interchange.aider import read_aider
from models.interchange.claude_code import read_claude_code
from models.interchange.codex import read_codex
from models.interchange.codex_exec import read_codex_exec
from models.interchange.mini_swe_agent import read_mini_swe_agent
from models.interchange.reply_fates import fates_of
from models.interchange.source_file import SourceFile
from models.schemas.model_call import TokenUsage, total_usage
from models.schemas.recording import Recording
from models.schemas.transcript import Fate

GOLDEN = Path(__file__).parents[2] / "golden" / "interchange"
Reader = Callable[[Sequence[SourceFile]], Recording]


def golden(name: str) -> SourceFile:
    return SourceFile(name, (GOLDEN / name).read_bytes())


def kinds(recording: Recording) -> list[str]:
    return [step.kind for step in recording.steps]


def call_usage(recording: Recording) -> TokenUsage:
    """The sum over the single replies."""
    calls = [step for step in recording.steps if step.kind == "model_call"]
    return total_usage(TokenUsage.model_validate(step.data["usage"]) for step in calls)


TURN = ["model_call", "message"]


def test_a_transcript_of_claude_code_has_every_reply_once_with_its_tokens() -> None:
    found = read_claude_code([golden("claude-code.jsonl")])
    assert (found.agent_version, found.models) == ("2.1.197", ("claude-sonnet-4-5",))
    expected = ["note", "message", *TURN, "command", *TURN, "edit", *TURN, "edit", *TURN]
    assert kinds(found) == expected
    served = TokenUsage(input_uncached=730, cache_read=880, cache_write=30, output=84)
    assert found.usage == served
    assert call_usage(found) == served
    command = found.steps[4]
    assert (command.text, command.exit_code) == ("ls -la; exit 3", 3)
    write, edit = found.steps[7], found.steps[10]
    assert write.data["edit"] == "write"
    assert write.data["content"] == "hello\n"
    assert edit.data["path"] == "/workspace/greeting.txt"
    assert [step.at for step in found.steps] == sorted(step.at for step in found.steps)
    assert found.origin == "imported"


def test_a_line_that_is_there_twice_counts_once() -> None:
    data = golden("claude-code.jsonl").data
    once = read_claude_code([SourceFile("a.jsonl", data)])
    assert read_claude_code([SourceFile("a.jsonl", data + data)]) == once


def test_a_stream_of_claude_code_has_its_sums_from_the_result() -> None:
    found = read_claude_code([golden("claude-code-stream.jsonl")])
    assert found.usage == TokenUsage(input_uncached=730, cache_read=880, cache_write=30, output=84)
    assert found.cost_microusd == 6993
    assert found.ending == "completed"
    calls = [step for step in found.steps if step.kind == "model_call"]
    assert all(step.data["partial"] for step in calls)


def test_subagents_of_claude_code_are_woven_in_by_time_in_a_lane_of_their_own() -> None:
    def line(uuid: str, at: str, message: dict[str, object], **more: object) -> bytes:
        kind = message["role"]
        value = {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": at, "message": message}
        return json.dumps(value | more).encode() + b"\n"

    def said(name: str, text: str) -> dict[str, object]:
        usage = {"input_tokens": 1, "output_tokens": 2}
        content = [{"type": "text", "text": text}]
        return {"role": "assistant", "id": name, "model": "m", "content": content, "usage": usage}

    main = line("1", "2026-01-01T00:00:00Z", said("a", "first"))
    main += line("4", "2026-01-01T00:00:07Z", said("a", "more"))
    main += line("3", "2026-01-01T00:00:09Z", said("c", "third"))
    sub = line("2", "2026-01-01T00:00:05Z", said("b", "second"), isSidechain=True, agentId="x")
    found = read_claude_code([SourceFile("s.jsonl", main), SourceFile("agent-x.jsonl", sub)])
    told = [(one.text, one.at, one.data.get("lane")) for one in found.steps if one.text != "m"]
    assert told == [
        ("first", 0, None),
        ("second", 5, "x"),
        ("more", 7, None),
        ("third", 9, None),
    ]
    assert call_usage(found) == found.usage
    assert found.usage == TokenUsage(input_uncached=3, output=6)


def test_a_call_that_a_person_refused_is_a_decision() -> None:
    text = golden("claude-code.jsonl").data.decode()
    refused = "The user doesn't want to proceed with this tool use."
    lines = [json.loads(one) for one in text.splitlines()]
    for one in lines:
        if isinstance(one.get("toolUseResult"), str):
            one["message"]["content"][0]["content"] = refused
    data = "".join(json.dumps(one) + "\n" for one in lines).encode()
    found = read_claude_code([SourceFile("a.jsonl", data)])
    (decision,) = [one for one in found.steps if one.kind == "decision"]
    assert decision.data["call"] == "toolu_01"
    assert (decision.data["decision"], decision.data["by"]) == ("reject", "person")


def test_a_rollout_of_codex_has_the_tokens_of_every_reply() -> None:
    found = read_codex([golden("codex.jsonl")])
    assert (found.agent_version, found.models) == ("0.171.0", ("gpt-5",))
    assert found.ending == "task_complete"
    # What was served as written to a cache is part of what OpenAI's format counts as read.
    served = TokenUsage(input_uncached=760, cache_read=880, output=84)
    assert found.usage == served
    assert call_usage(found) == served
    commands = [step for step in found.steps if step.kind == "command"]
    assert [(one.text, one.exit_code) for one in commands] == [
        ("ls -la; exit 3", 3),
        ("echo hello > greeting.txt", 0),
        ("cat greeting.txt", 0),
    ]


def test_an_older_rollout_of_codex_is_counted_from_its_sums() -> None:
    lines = golden("codex.jsonl").data.splitlines(keepends=True)
    old = b"".join(one for one in lines if b'"token_usage_record"' not in one)
    found = read_codex([SourceFile("old.jsonl", old)])
    assert found.usage == TokenUsage(input_uncached=760, cache_read=880, output=84)
    assert call_usage(found) == found.usage


def test_the_output_of_codex_exec_has_what_was_run_and_the_tokens_of_the_turn() -> None:
    found = read_codex_exec([golden("codex-exec.jsonl")])
    assert found.usage == TokenUsage(input_uncached=760, cache_read=880, output=84)
    commands = [step for step in found.steps if step.kind == "command"]
    assert (commands[0].text, commands[0].exit_code) == ("ls -la; exit 3", 3)
    assert commands[2].output == "hello\n"
    assert found.ending == "turn.completed"


def test_a_trajectory_of_mini_swe_agent_has_commands_codes_tokens_and_cost() -> None:
    found = read_mini_swe_agent([golden("mini-swe-agent.traj.json")])
    assert (found.agent_version, found.ending) == ("2.4.6", "Submitted")
    assert found.usage == TokenUsage(input_uncached=520, cache_read=560, output=49, reasoning=4)
    assert call_usage(found) == found.usage
    assert found.cost_microusd == 1250
    commands = [step for step in found.steps if step.kind == "command"]
    assert [(one.text, one.exit_code) for one in commands] == [
        ("ls; exit 3", 3),
        ("echo hello > greeting.txt", 0),
        ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", None),
    ]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("claude-code.jsonl", read_claude_code),
        ("claude-code-stream.jsonl", read_claude_code),
        ("codex.jsonl", read_codex),
        ("codex-exec.jsonl", read_codex_exec),
    ],
)
def test_a_last_line_that_broke_off_is_left_out_and_told(name: str, read: Reader) -> None:
    whole = golden(name)
    lines = whole.data.splitlines(keepends=True)
    cut = read([SourceFile(name, whole.data[:-20])])
    assert cut.told == (f"{name}: line {len(lines)} broke off and is left out",)
    assert cut.steps[0] == read([whole]).steps[0]


def test_every_fault_of_a_file_is_named_at_once_with_line_field_and_remedy() -> None:
    good = golden("claude-code.jsonl").data.splitlines(keepends=True)
    broken = json.loads(good[3])
    broken["message"]["usage"]["input_tokens"] = "many"
    broken["message"]["content"] = 7
    data = good[1] + b"{nothing\n" + json.dumps(broken).encode() + b"\n[]\n"
    with pytest.raises(InvalidInput) as caught:
        read_claude_code([SourceFile("broken.jsonl", data)])
    told = str(caught.value)
    assert told.startswith("broken.jsonl: 5 faults")
    assert "line 2: no JSON" in told
    assert "line 3, message.usage.input_tokens" in told
    assert "line 3, message.content.str" in told
    assert "line 4: is no JSON object" in told
    assert all(fault.remedy for fault in caught.value.faults)


def test_aiders_chat_is_told_by_turns_with_the_files_that_it_edited() -> None:
    found = read_aider([golden("aider.chat.history.md")])
    assert (found.agent, found.agent_version, found.models) == (
        "aider",
        "0.86.2",
        ("openai/small-chat",),
    )
    assert found.started_at == 1796090146.0
    said = [(one.data["role"], one.text) for one in found.steps if one.kind == "message"]
    assert said[0] == ("user", "Write note.txt with hello and make main.py print 2.")
    assert said[1][0] == "agent"
    assert "note.txt\n```\nhello\n```" in said[1][1]
    edits = [one.text for one in found.steps if one.kind == "edit"]
    assert edits == ["main.py", "note.txt"] * 4
    assert fates_of(found.steps) == {Fate.ACTED_ON: 4}


def test_what_stands_in_a_fence_is_the_models_own() -> None:
    begun = b"# aider chat started at 2026-12-01 01:55:46\n"
    chat = begun + b"#### do\n\na:\n```\n> x\n#### y\n```\n> Tokens"
    found = read_aider([SourceFile("chat.md", chat)])
    said = [one.text for one in found.steps if one.kind == "message"]
    assert said == ["do", "a:\n```\n> x\n#### y\n```"]


@pytest.mark.parametrize(
    ("read", "data", "told"),
    [
        (read_claude_code, b"", "holds no line of a session"),
        (read_aider, b"#### hello", "holds no line `# aider chat started at`"),
        (read_codex, b'{"type": "x"}\n', "holds no line `session_meta`"),
        (read_codex_exec, b'{"type": "x"}\n', "holds no line `thread.started`"),
        (read_mini_swe_agent, b"\xff\xfe", "is not UTF-8"),
        (read_mini_swe_agent, b"[]", "is no JSON object"),
        (read_mini_swe_agent, b'{"info": {}}', "trajectory_format: Field required"),
        (
            read_mini_swe_agent,
            b'{"trajectory_format": "x-9", "info": {}, "messages": [{"role": "user"}]}',
            "'x-9' is not known",
        ),
        (read_mini_swe_agent, b"[" * 200_000, "nested too deeply"),
    ],
)
def test_what_is_no_recording_is_refused(read: Reader, data: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read([SourceFile("file", data)])
    assert told in str(caught.value)
