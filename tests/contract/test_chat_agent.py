"""The farm's own agent, through a real gateway to a local model server, in a real sandbox."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from models.errors import Infrastructure
from models.schemas.budget import Used
from models.schemas.transcript import Fate
from models.verdicts import StopReason, VoidCategory
from tests.contract.agent_bench import LANGUAGE, TASK, Ran, Workplace, agent_workplace
from tests.fakes.model_server import Fault, Script, by_turn
from tests.fakes.model_wires import RAW, Ask, Reply, ToolCall
from tests.fakes.running_gateway import CHAT, CLAUDE
from workers.stage_stopped import StageStopped

pytestmark = pytest.mark.real

SPOILT = "breakerguard/breaker.py"
SPOIL = Reply(f"I break it.\n```shell\nmv {SPOILT} kept.py\n```")
MEND = Reply(f"```shell\nmv kept.py {SPOILT}; echo mended > note.txt\n```")
DONE = Reply("```done\n```")
LOOK = Reply("```shell\nls\n```")
MODELS = {"openai-chat": CHAT, "anthropic": CLAUDE}


@pytest.fixture(scope="module")
def machine() -> Iterator[Workplace]:
    with agent_workplace() as place:
        yield place


@pytest.fixture
def workplace(machine: Workplace) -> Workplace:
    machine.server.fault = lambda _number, _ask: None
    machine.server.asks.clear()
    machine.server.ledger.served.clear()
    return machine


def chat(
    workplace: Workplace, script: Script | tuple[Reply, ...], repeat: int = 1, **settings: Any
) -> Ran:
    limits = {name: settings.pop(name) for name in list(settings) if name.startswith("agent_")}
    workplace.server.script = by_turn(*script) if isinstance(script, tuple) else script
    return workplace.run("chat", {"model": CHAT, **settings}, repeat, **limits)


def tools(name: str, **arguments: str) -> Reply:
    return Reply(tool_calls=(ToolCall(name, json.dumps(arguments)),), stop="tool")


def told(ask: Ask) -> str:
    """The last thing that the model was told."""
    return json.dumps(ask.body["messages"][-1])


@pytest.mark.parametrize("wire", MODELS)
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("native", [True, False])
def test_a_ticket_is_worked_on_until_done_and_every_token_is_counted(
    workplace: Workplace, wire: str, stream: bool, native: bool
) -> None:
    by_text = (
        Reply("```write a/new.txt\none\ntwo\n```"),
        Reply("```edit a/new.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```"),
        Reply("```shell\ncat a/new.txt\n```"),
        DONE,
    )
    by_tool = (
        tools("write_file", path="a/new.txt", content="one\ntwo\n"),
        tools("edit_file", path="a/new.txt", search="two", replace="2"),
        tools("shell", command="cat a/new.txt"),
        tools("done"),
    )
    ran = chat(
        workplace,
        by_tool if native else by_text,
        wire=wire,
        model=MODELS[wire],
        stream=stream,
        tools=native,
    )
    ending = ran.ending
    assert ending.stop_reason is StopReason.DONE_GATE
    assert ran.files["a/new.txt"] == b"one\n2\n"
    assert ending.fates == {Fate.ACTED_ON: 4}
    assert ending.first_solved_turn == 1
    assert ending.tokens == workplace.server.ledger.usage().total > 0
    assert ran.work.used == Used(cost_microusd=ending.cost_microusd, tokens=ending.tokens)
    assert ending.cost_microusd
    kinds = [step.kind for step in ending.steps]
    turn = ["model_call", "message"]
    assert kinds == [*turn, "edit", *turn, "edit", *turn, "command", *turn, "decision"]
    assert "one\\\\n2" in json.dumps(told(workplace.server.asks[3]))


def test_one_reply_holds_the_files(workplace: Workplace) -> None:
    answer = Reply("```write a.txt\n1\n```\n```write b/c.txt\n2\n```")
    ran = chat(workplace, (Reply("which files?"), answer), mode="one-shot")
    assert ran.ending.stop_reason is StopReason.DONE
    assert (ran.files["a.txt"], ran.files["b/c.txt"]) == (b"1\n", b"2\n")
    assert ran.ending.fates == {Fate.NUDGED: 1, Fate.ACTED_ON: 1}
    first = told(workplace.server.asks[0])
    assert "class" in first, "the prompt holds what is in the starter's files"


def test_done_is_not_accepted_while_the_visible_tests_fail(workplace: Workplace) -> None:
    ran = chat(workplace, (SPOIL, DONE, MEND, DONE))
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert "the tests of the folder fail" in told(workplace.server.asks[2])
    decisions = [step.data["green"] for step in ran.ending.steps if step.kind == "decision"]
    assert decisions == [False, True]
    assert ran.ending.fates == {Fate.ACTED_ON: 4}


def test_without_its_gate_done_is_done(workplace: Workplace) -> None:
    ran = chat(workplace, (SPOIL, DONE), done_gate=False)
    assert ran.ending.stop_reason is StopReason.DONE
    assert ran.ending.first_solved_turn is None


def test_who_solves_it_and_does_not_notice_is_measured(workplace: Workplace) -> None:
    ran = chat(workplace, (SPOIL, MEND, SPOIL, LOOK), turns=4, warn_turns=2)
    assert ran.ending.stop_reason is StopReason.TURN_BUDGET
    assert ran.ending.first_solved_turn == 2
    assert "2 more replies" in told(workplace.server.asks[2])
    assert "replies left" not in told(workplace.server.asks[1])
    assert not any(step.kind == "decision" for step in ran.ending.steps)


def test_every_reply_has_its_fate_and_half_replies_are_not_acted_on(workplace: Workplace) -> None:
    replies = (
        Reply("```shell\ntouch half.txt\n```", cut_after=4),
        Reply("```shell\ntouch long.txt\n```", stop="length"),
        LOOK,
        Reply("I will not.", stop="refusal"),
        Reply(""),
        Reply("Hm."),
        DONE,
    )
    ran = chat(workplace, replies)
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert ran.ending.fates == {
        Fate.TRUNCATED: 2,
        Fate.ACTED_ON: 2,
        Fate.REFUSED: 1,
        Fate.EMPTY: 1,
        Fate.NUDGED: 1,
    }
    assert not {"half.txt", "long.txt"} & set(ran.files)
    assert len(workplace.server.asks) == sum(ran.ending.fates.values())


def test_the_same_malformed_reply_again_and_again_ends_the_run(workplace: Workplace) -> None:
    ran = chat(workplace, (LOOK, Reply("```bash\nls\n```")), identical_malformed=3, nudges=10)
    assert ran.ending.stop_reason is StopReason.REPEATED_MALFORMED
    assert ran.ending.fates == {Fate.ACTED_ON: 1, Fate.NUDGED: 3}
    assert ran.ending.steps[-1].kind == "limit"


def test_a_budget_of_tokens_or_money_ends_the_run_by_its_name(workplace: Workplace) -> None:
    used = chat(workplace, (LOOK, LOOK, DONE)).ending
    assert used.tokens
    assert used.cost_microusd
    few = chat(workplace, (LOOK,), tokens=used.tokens * 4, turns=1_000).ending
    assert few.stop_reason is StopReason.TOKEN_BUDGET
    assert few.tokens is not None
    assert few.tokens <= used.tokens * 4
    cheap = chat(workplace, (LOOK,), agent_cost_usd="0.05", turns=1_000).ending
    assert cheap.stop_reason is StopReason.COST_BUDGET
    assert cheap.cost_microusd is not None
    assert cheap.cost_microusd <= 50_000


@pytest.mark.parametrize("limit", [{"tokens": 10}, {"agent_cost_usd": "0.000001"}])
def test_a_limit_without_room_for_a_single_call_is_the_operators(
    workplace: Workplace, limit: dict[str, Any]
) -> None:
    with pytest.raises(Infrastructure, match="no room for a single call") as failed:
        chat(workplace, (LOOK,), **limit)
    assert failed.value.category == VoidCategory.OPERATOR


def test_a_budget_that_broken_replies_used_up_fails_nobody(workplace: Workplace) -> None:
    cut = replace(LOOK, cut_after=2)
    with pytest.raises(Infrastructure, match="broke off") as failed:
        chat(workplace, (cut, LOOK, cut, LOOK), tokens=40_000, turns=1_000)
    assert failed.value.category == VoidCategory.PROVIDER_UNAVAILABLE


def test_the_time_of_a_run_ends_it_also_while_the_model_thinks(workplace: Workplace) -> None:
    ran = chat(workplace, (LOOK, replace(LOOK, delay_s=5)), wall_s=2)
    assert ran.ending.stop_reason is StopReason.WALL_BUDGET
    assert sum(ran.ending.fates.values()) <= 1


def test_a_command_that_hangs_is_stopped_and_the_model_is_told(workplace: Workplace) -> None:
    ran = chat(workplace, (Reply("```shell\nsleep 60\n```"), DONE), command_s=1)
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert "stopped after 1 seconds" in told(workplace.server.asks[1])


def test_errors_of_the_provider_are_waited_out_and_cost_nothing(workplace: Workplace) -> None:
    plain = chat(workplace, (LOOK, DONE)).ending

    def busy(number: int, ask: Ask) -> Fault | None:
        return Fault(429, retry_after="0.2") if number % 2 else None

    before = workplace.server.ledger.requests
    workplace.server.fault = lambda number, ask: busy(number - before, ask)
    ran = chat(workplace, (LOOK, DONE))
    assert (ran.ending.stop_reason, ran.ending.tokens) == (StopReason.DONE_GATE, plain.tokens)
    assert workplace.server.ledger.requests - before == 4
    waited = [step.data["waited_ms"] for step in ran.ending.steps if step.kind == "model_call"]
    assert all(isinstance(ms, int) and ms >= 200 for ms in waited)


def test_a_provider_that_stays_away_voids_the_attempt_and_what_was_used_is_known(
    workplace: Workplace,
) -> None:
    def down(number: int, ask: Ask) -> Fault | None:
        return Fault(503) if ask.turn else None

    workplace.server.fault = down
    with pytest.raises(Infrastructure) as failed:
        chat(workplace, (LOOK,))
    assert failed.value.category == VoidCategory.PROVIDER_UNAVAILABLE
    used = workplace.works[-1].used
    assert used is not None
    assert used.tokens == workplace.server.ledger.usage().total > 0


def test_a_model_that_the_gateway_does_not_have_is_the_operators_to_mend(
    workplace: Workplace,
) -> None:
    with pytest.raises(Infrastructure) as failed:
        chat(workplace, (LOOK,), model="nobody")
    assert failed.value.category == VoidCategory.OPERATOR
    assert "nobody" in str(failed.value)


def test_a_request_that_the_provider_will_not_take_is_the_systems_own(
    workplace: Workplace,
) -> None:
    workplace.server.fault = lambda _number, ask: Fault(400) if ask.turn else None
    ran = chat(workplace, (LOOK,))
    assert ran.ending.stop_reason is StopReason.AGENT_CRASHED
    assert "400" in ran.ending.steps[-1].text


def test_a_stage_that_is_stopped_does_not_wait_for_the_model(workplace: Workplace) -> None:
    told_to_stop = threading.Event()

    def slow(ask: Ask) -> Reply:
        told_to_stop.set()
        return replace(LOOK, delay_s=3)

    workplace.server.script = slow
    with pytest.raises(StageStopped):
        workplace.run("chat", {"model": CHAT}, cancelled=told_to_stop.is_set)
    assert workplace.works[-1].used is not None


def test_every_run_is_a_conversation_of_its_own(workplace: Workplace) -> None:
    chat(workplace, (LOOK, DONE), seed=5)
    chat(workplace, (LOOK, DONE), seed=5)
    first, _, second, _ = workplace.server.asks
    assert first.body == second.body
    assert first.body["seed"] == 5
    assert first.key == second.key
    assert len(first.body["messages"]) == 2
    ticket = workplace.catalog.public_half(TASK, LANGUAGE).ticket
    assert ticket.strip() in first.body["messages"][1]["content"]
    ran = chat(workplace, (DONE,), repeat=3, seed=5)
    assert workplace.server.asks[-1].body["seed"] == 7
    assert ran.ending.steps[1].data["seed"] == 7


def test_edits_follow_no_link_out_of_the_sandbox(workplace: Workplace, tmp_path: Any) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("safe\n")
    tmp_path.chmod(0o777)
    outside.chmod(0o666)
    replies = (
        Reply(f"```shell\nln -s {outside} link.txt; ln -s {tmp_path} dir\n```"),
        Reply("```write link.txt\nbroken\n```"),
        Reply("```write dir/more.txt\nbroken\n```"),
        Reply("```edit link.txt\n<<<<<<< SEARCH\nsafe\n=======\nx\n>>>>>>> REPLACE\n```"),
        DONE,
    )
    ran = chat(workplace, replies)
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert outside.read_text() == "safe\n"
    assert [path.name for path in tmp_path.iterdir()] == ["outside.txt"]
    assert "can't be read" in told(workplace.server.asks[4])


def test_a_recording_is_fed_again_byte_for_byte_without_any_model(workplace: Workplace) -> None:
    replies = (SPOIL, DONE, MEND, Reply("Hm."), Reply("```write u.txt\nü\n```"), DONE)
    ran = chat(workplace, replies)
    recorded = workplace.record("chat", ran)
    asked = len(workplace.server.asks)
    again = workplace.run("replay", {"recordings": [recorded]})
    assert again.left == ran.left
    assert len(workplace.server.asks) == asked
    assert (again.ending.tokens, again.ending.cost_microusd) == (0, 0)
    assert again.ending.stop_reason is ran.ending.stop_reason
    assert again.ending.fates == ran.ending.fates
    assert again.ending.first_solved_turn == ran.ending.first_solved_turn
    story = [(one.kind, one.text, one.output, one.exit_code) for one in ran.ending.steps]
    replayed = [(one.kind, one.text, one.output, one.exit_code) for one in again.ending.steps]
    assert replayed == story


def test_a_replay_that_comes_out_otherwise_says_so(workplace: Workplace) -> None:
    actions: list[Any] = ["echo same", "cat /proc/sys/kernel/random/uuid", "exit 3"]
    recorded = workplace.record("scripted", workplace.run("scripted", {"actions": actions}))
    steps = workplace.run("replay", {"recordings": [recorded]}).ending.steps
    assert [one.kind for one in steps] == ["command", "command", "note", "command"]
    assert "step 2 of the recording came out otherwise: output" in steps[2].text


def test_a_replay_without_its_recording_is_the_operators_to_mend(workplace: Workplace) -> None:
    absent = "sha256:" + "0" * 64
    with pytest.raises(Infrastructure, match="is not there") as failed:
        workplace.run("replay", {"recordings": [absent]})
    assert failed.value.category == VoidCategory.OPERATOR
    claimed = workplace.record("preset", workplace.run("scripted", {"actions": ["true"]}))
    with pytest.raises(Infrastructure, match="can't be done again exactly"):
        workplace.run("replay", {"recordings": [claimed]})


HALF = "\ud83d"


@pytest.mark.parametrize("raw", ["[" * 1_200 + "]" * 1_200, "1" * 5_000])
def test_a_reply_is_whole_whatever_json_the_model_put_into_it(
    workplace: Workplace, raw: str
) -> None:
    """Anthropic puts what the model wrote as arguments into the body as it is."""
    odd = replace(tools("shell", command="ls", more=RAW), raw=raw)
    settings = {"model": CLAUDE, "wire": "anthropic", "tools": True, "stream": False}
    ran = chat(workplace, (odd, tools("done")), **settings)
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert ran.ending.fates == {Fate.NUDGED: 1, Fate.ACTED_ON: 1}
    assert ran.ending.tokens == workplace.server.ledger.usage().total


@pytest.mark.parametrize(
    "odd",
    [
        Reply(f"half {HALF}\n```write half.txt\n{HALF}\n```"),
        Reply("```shell\necho a\0b\n```"),
        Reply(f"```shell\ntrue {'#' * 200_000}\n```"),
        Reply("```write a\0b.txt\n1\n```"),
        tools("shell", command=f"echo {HALF}"),
        Reply(tool_calls=(ToolCall("shell", "[" * 100_000),), stop="tool"),
        Reply(tool_calls=(ToolCall("shell", '{"command": ' + "9" * 5_000 + "}"),), stop="tool"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_no_model_can_spoil_its_run_by_what_it_says(
    workplace: Workplace, odd: Reply, stream: bool
) -> None:
    native = bool(odd.tool_calls)
    done = tools("done") if native else DONE
    ran = chat(workplace, (odd, done), stream=stream, tools=native)
    assert ran.ending.stop_reason is StopReason.DONE_GATE
    assert workplace.record("chat", ran)
