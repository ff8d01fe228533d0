"""Command-line agents that people use work in the sandbox on the farm's gateway."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from models.canonical import canonical_bytes
from models.errors import Infrastructure
from models.schemas.model_call import GrantReport, ModelCall, TokenUsage
from models.schemas.preset_settings import PresetName, PresetSettings
from models.schemas.transcript import Fate
from models.verdicts import StopReason, VoidCategory
from tests.conftest import miss
from tests.contract.agent_bench import Workplace, agent_workplace
from tests.fakes.model_server import by_turn
from tests.fakes.model_wires import Reply, ToolCall
from tests.fakes.running_gateway import CHAT, CLAUDE
from workers.agents.preset_agent import told_fates, told_steps
from workers.agents.presets import PRESETS, environment

SAID = {
    "type": "assistant",
    "session_id": "s",
    "message": {"id": "m0", "content": [{"type": "text", "text": "hello"}]},
}
FOR_EVERYBODY = "/usr/local/bin:/usr/bin"


def talk(tool: str, field: str) -> tuple[Reply, ...]:
    """A model that looks, writes a file and is done, by a tool of the program."""
    look, write = json.dumps({field: "ls; exit 3"}), json.dumps({field: "echo hello > note.txt"})
    return (
        Reply(
            "I look first.",
            tool_calls=(ToolCall(tool, look, "call_a"),),
            stop="tool",
            usage=TokenUsage(input_uncached=100, cache_read=20, output=15),
        ),
        Reply(
            "Now the file.",
            tool_calls=(ToolCall(tool, write, "call_b"),),
            stop="tool",
            usage=TokenUsage(input_uncached=200, cache_read=120, output=25, reasoning=5),
        ),
        Reply("Done.", usage=TokenUsage(input_uncached=220, cache_read=420, output=9)),
    )


@pytest.fixture(scope="module")
def workplace() -> Iterator[Workplace]:
    with agent_workplace() as place:
        yield place


@pytest.mark.parametrize("name", PresetName)
def test_every_preset_has_its_key_and_address_from_the_environment_alone(name: PresetName) -> None:
    preset = PRESETS[name]
    settings = PresetSettings(preset=name, model="m", program="/opt/agent")
    found = environment(settings, url="http://inside", key="secret-key")
    assert "http://inside" in found.values()
    assert "secret-key" in found.values()
    assert found["GRADEFARM_PROGRAM"] == "/opt/agent"
    assert not [value for value in found.values() if "{" in value]
    assert "secret-key" not in preset.script


def test_codex_works_in_the_sandbox_and_is_counted_by_the_gateway(workplace: Workplace) -> None:
    if shutil.which("codex", path=FOR_EVERYBODY) is None:
        miss("codex, installed for every user,")
    workplace.server.script = by_turn(*talk("exec_command", "cmd"))
    refuse_differences(workplace, "codex", CHAT)


def test_claude_code_works_in_the_sandbox_and_is_counted_by_the_gateway(
    workplace: Workplace,
) -> None:
    if shutil.which("claude", path=FOR_EVERYBODY) is None:
        pytest.skip("claude is not installed for every user, and too large for each CI")
    workplace.server.script = by_turn(*talk("Bash", "command"))
    refuse_differences(workplace, "claude-code", CLAUDE)


def test_mini_swe_agent_works_in_the_sandbox_and_is_counted_by_the_gateway(
    workplace: Workplace,
) -> None:
    if shutil.which("mini", path=FOR_EVERYBODY) is None:
        pytest.skip("mini-swe-agent is not installed for every user, and too large for each CI")
    *work, last = talk("bash", "command")
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    call = ToolCall("bash", json.dumps({"command": submit}), "call_c")
    workplace.server.script = by_turn(*work, replace(last, tool_calls=(call,), stop="tool"))
    refuse_differences(workplace, "mini-swe-agent", CHAT, (submit, None))


def test_aider_works_in_the_sandbox_and_is_counted_by_the_gateway(workplace: Workplace) -> None:
    if shutil.which("aider", path=FOR_EVERYBODY) is None:
        pytest.skip("aider is not installed for every user, and too large for each CI")
    said = "I write it.\n\nnote.txt\n```\nhello\n```\n"
    workplace.server.script = by_turn(Reply(said, usage=TokenUsage(input_uncached=90, output=12)))
    before = workplace.server.ledger.usage()
    ran = workplace.run("preset", {"preset": "aider", "model": CHAT})
    ending = ran.ending
    assert ending.stop_reason is StopReason.DONE, ending.steps
    assert ran.files["note.txt"] == b"hello\n"
    told = [one for one in ending.steps if one.data.get("told_by") == "agent"]
    assert [one.text for one in told if one.kind == "edit"] == ["note.txt"]
    assert ending.fates == {Fate.ACTED_ON: 1}
    assert ending.tokens == workplace.server.ledger.usage().total - before.total == 102


def refuse_differences(
    workplace: Workplace, preset: str, model: str, *more: tuple[str, int | None]
) -> None:
    """The program did what the model said, told so, and was counted to the token. `more`: commands
    by which it says that it is done."""
    before = workplace.server.ledger.usage()
    ran = workplace.run("preset", {"preset": preset, "model": model})
    ending = ran.ending
    assert ending.stop_reason is StopReason.DONE, ending.steps
    assert ran.files["note.txt"] == b"hello\n"
    told = [one for one in ending.steps if one.data.get("told_by") == "agent"]
    commands = [(one.text, one.exit_code) for one in told if one.kind == "command"]
    assert commands == [("ls; exit 3", 3), ("echo hello > note.txt", 0), *more]
    assert ending.fates == {Fate.ACTED_ON: 3}
    calls = [one for one in ending.steps if one.kind == "model_call"]
    assert len(calls) == 3
    # Each call stands where it happened: after the start, before what the program told at its end.
    assert [one.kind for one in ending.steps[:4]] == ["command", *["model_call"] * 3]
    assert [one.at for one in ending.steps] == sorted(one.at for one in ending.steps)
    assert calls[0].at < calls[2].at < told[0].at
    assert ending.tokens == workplace.server.ledger.usage().total - before.total == 1134
    assert ending.cost_microusd


def test_replies_that_a_program_does_not_tell_of_are_unknown_and_not_none() -> None:
    asked = {"number": 1, "wire": "openai-responses", "model": "m", "streamed": True}
    answered = GrantReport(calls=(ModelCall(**asked, status=200, stop="cut"),))
    refused = GrantReport(calls=(ModelCall(**asked, status=402, stop="refused"),))
    broken = told_steps(PresetName.CODEX, b'{"type":"thread.started","thread_id":"t"}\n')
    assert told_fates(broken, answered) is None
    assert told_fates(broken, refused) == told_fates(broken, GrantReport()) == {}
    said = told_steps(PresetName.CLAUDE_CODE, f"{json.dumps(SAID)}\n".encode())
    assert told_fates(said, answered) == {Fate.ACTED_ON: 1}


def test_a_program_that_is_not_there_is_the_operators_to_install(workplace: Workplace) -> None:
    for name, model in ((PresetName.CLAUDE_CODE, CLAUDE), (PresetName.MINI_SWE_AGENT, CHAT)):
        settings = {"preset": name.value, "model": model, "program": "/opt/never"}
        with pytest.raises(Infrastructure) as caught:
            workplace.run("preset", settings)
        assert caught.value.category == VoidCategory.OPERATOR
        assert "/opt/never" in caught.value.message


def test_an_agent_without_a_transcript_is_graded_all_the_same(workplace: Workplace) -> None:
    settings = {"preset": "codex", "model": CHAT, "program": "/bin/true"}
    ending = workplace.run("preset", settings).ending
    assert ending.stop_reason is StopReason.DONE
    assert [one.kind for one in ending.steps] == ["command", "note"]
    assert "holds no line `thread.started`" in ending.steps[1].text
    assert (ending.tokens, ending.cost_microusd) == (0, 0)


@pytest.mark.parametrize(
    "last",
    [
        '{"type":"result","subtype":"success","total_cost_usd":Infinity,"usage":{}}',
        '{"type":"result","subtype":"success","total_cost_usd":1e308,"usage":{}}',
        '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"\\ud83d"}]}}',
        "[" * 100_000,
        "\x00",
    ],
)
@pytest.mark.parametrize("name", PresetName)
def test_no_program_can_spoil_its_run_by_what_it_tells_of_itself(
    name: PresetName, last: str
) -> None:
    steps = told_steps(name, f"{json.dumps(SAID)}\n{last}\n".encode())
    assert steps
    canonical_bytes([step.model_dump(mode="json") for step in steps])
