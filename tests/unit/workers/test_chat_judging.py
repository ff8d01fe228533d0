"""Every reply has one fate; nudges, repeats and budgets end where they say."""

from dataclasses import replace

import pytest

from models.errors import InvalidInput
from models.schemas.agents import validate_settings
from models.schemas.chat_settings import ChatSettings
from models.schemas.transcript import Fate
from models.verdicts import StopReason
from workers.agents.chat.actions import (
    DoneAction,
    EditAction,
    Malformed,
    ShellAction,
    WriteAction,
)
from workers.agents.chat.conversation import NOTHING, Conversation, Heard, Said
from workers.agents.chat.judging import (
    Progress,
    Spent,
    after,
    judge,
    one_too_many,
    used_up,
    warning,
)
from workers.agents.chat.prompts import (
    SHOWN,
    command_result,
    first_message,
    nudge,
    system_prompt,
)
from workers.agents.chat.replies import CalledTool, Reply
from workers.agents.chat.text_grammar import read_actions, read_files

LOOP = ChatSettings(model="m")
TOOLS = ChatSettings(model="m", tools=True)
ONE_SHOT = ChatSettings(model="m", mode="one-shot")
GOOD = Reply("```shell\nls\n```")
PLENTY = Spent(left_s=100, wall_s=100)


@pytest.mark.parametrize(
    ("reply", "settings", "fate"),
    [
        (GOOD, LOOP, Fate.ACTED_ON),
        (replace(GOOD, stop="unknown"), LOOP, Fate.ACTED_ON),
        (replace(GOOD, stop="length"), LOOP, Fate.TRUNCATED),
        (replace(GOOD, stop="cut"), LOOP, Fate.TRUNCATED),
        (Reply("", stop="cut"), LOOP, Fate.TRUNCATED),
        (replace(GOOD, stop="refusal"), LOOP, Fate.REFUSED),
        (Reply(" \n"), LOOP, Fate.EMPTY),
        (Reply("", (CalledTool("1", "done", ""),), "tool"), TOOLS, Fate.ACTED_ON),
        (GOOD, TOOLS, Fate.NUDGED),
        (Reply("I will."), LOOP, Fate.NUDGED),
        (GOOD, ONE_SHOT, Fate.NUDGED),
        (Reply("```write a\nx\n```"), ONE_SHOT, Fate.ACTED_ON),
    ],
)
def test_a_reply_has_one_fate(reply: Reply, settings: ChatSettings, fate: Fate) -> None:
    judged = judge(reply, settings)
    assert judged.fate is fate
    assert bool(judged.actions) == (fate is Fate.ACTED_ON) != bool(judged.why)


def told(settings: ChatSettings, *replies: Reply) -> Progress:
    progress = Progress()
    for reply in replies:
        progress = after(progress, reply, judge(reply, settings))
    return progress


def test_fates_are_counted_and_none_is_lost() -> None:
    progress = told(LOOP, GOOD, Reply(""), Reply("x"), replace(GOOD, stop="cut"), GOOD)
    counts = {Fate.ACTED_ON: 2, Fate.EMPTY: 1, Fate.NUDGED: 1, Fate.TRUNCATED: 1}
    assert progress.fates == counts
    assert progress.turns == sum(counts.values()) - 1, "a reply that broke off is no turn"
    assert progress.fruitless == 0


def test_identical_malformed_replies_end_the_run_at_their_limit() -> None:
    same = [Reply("I would.") for _ in range(3)]
    assert one_too_many(told(LOOP, *same[:2]), LOOP) is None
    assert one_too_many(told(LOOP, *same), LOOP) == (
        "3 replies in a row were the same and held no action"
    )
    assert one_too_many(told(LOOP, same[0], same[0], GOOD, same[0]), LOOP) is None


def test_what_the_provider_broke_off_is_no_malformed_reply_of_the_model() -> None:
    cut = [Reply("I wou", stop=stop) for stop in ("cut", "error") * 9]
    progress = told(LOOP, Reply("I would."), *cut)
    assert (progress.cut, progress.fruitless, progress.alike, progress.turns) == (18, 1, 1, 1)
    assert one_too_many(progress, LOOP) is None
    again = told(LOOP, *cut, GOOD)
    assert (again.cut, again.turns) == (0, 1)


def test_calls_are_alike_whatever_their_ids() -> None:
    calls = [Reply("", (CalledTool(str(n), "rm", "{}"),), "tool") for n in range(3)]
    assert told(TOOLS, *calls).alike == 3


def test_malformed_replies_that_differ_end_the_run_after_the_last_nudge() -> None:
    patient = LOOP.model_copy(update={"nudges": 2})
    several = [Reply(f"hm {n}") for n in range(3)]
    assert one_too_many(told(patient, *several[:2]), patient) is None
    assert one_too_many(told(patient, *several), patient) == "3 replies in a row held no action"
    strict = patient.model_copy(update={"nudges": 0})
    assert one_too_many(told(strict, several[0]), strict) is not None


@pytest.mark.parametrize(
    ("spent", "turns", "reason"),
    [
        (PLENTY, 0, None),
        (PLENTY, 50, StopReason.TURN_BUDGET),
        (replace(PLENTY, left_s=0), 50, StopReason.WALL_BUDGET),
        (replace(PLENTY, tokens=10, most_tokens=10), 0, StopReason.TOKEN_BUDGET),
        (replace(PLENTY, tokens=9, most_tokens=10), 0, None),
        (replace(PLENTY, cost_microusd=7, most_cost_microusd=7), 50, StopReason.COST_BUDGET),
    ],
)
def test_a_budget_that_is_used_up_is_named(
    spent: Spent, turns: int, reason: StopReason | None
) -> None:
    assert used_up(Progress(turns=turns), spent, LOOP) is reason


def test_the_model_is_warned_before_a_budget_ends_and_not_sooner() -> None:
    assert warning(Progress(turns=46), PLENTY, LOOP) == ""
    assert "3 more replies" in warning(Progress(turns=47), PLENTY, LOOP)
    assert "1 more reply left" in warning(Progress(turns=49), PLENTY, LOOP)
    near = Spent(5, 100, 95, 999_000, 100, 1_000_000)
    text = warning(Progress(), near, LOOP)
    assert "5 seconds, 5 tokens, 0.0010 US dollars left" in text
    assert warning(Progress(), replace(near, left_s=50, most_tokens=None), ONE_SHOT) != ""


def test_what_broke_off_is_not_sent_back_as_a_call() -> None:
    call = CalledTool("1", "shell", '{"comm')
    begun = Conversation("s", (Heard("t"),))
    cut = begun.followed(Reply("", (call,), "cut"), Fate.TRUNCATED, "again")
    assert cut.messages[1:] == (Said(NOTHING), Heard("again"))
    nudged = begun.followed(Reply("", (call,), "tool"), Fate.NUDGED, "again")
    assert nudged.messages[1:] == (Said("", (call,)), Heard("", (("1", "again"),)))
    assert begun.messages == (Heard("t"),)


def test_the_blocks_of_a_prompt_are_read_as_what_they_show() -> None:
    shown = read_actions(system_prompt(LOOP))
    assert not isinstance(shown, Malformed)
    kinds = [type(one) for one in shown]
    assert kinds == [ShellAction, WriteAction, EditAction, DoneAction]
    assert isinstance(read_files(system_prompt(ONE_SHOT)), tuple)


def test_the_prompt_says_what_holds() -> None:
    assert "only while the tests" in system_prompt(LOOP)
    ungated = LOOP.model_copy(update={"done_gate": False})
    assert "only while the tests" not in system_prompt(ungated)
    assert "```shell" not in system_prompt(TOOLS)
    assert "one of your tools" in system_prompt(TOOLS)
    assert "write PATH" in nudge("no.", ONE_SHOT)


def test_a_one_shot_prompt_holds_the_files_and_a_loop_only_their_names() -> None:
    files = [("a.md", "```x\n```"), ("b.bin", None), ("c.py", "pass")]
    whole = first_message(ONE_SHOT, "Do it.", "sh run_tests.sh", files)
    assert "````\n```x\n```\n````" in whole
    assert "`b.bin` is no text" in whole
    names = first_message(LOOP, "Do it.", "sh run_tests.sh", files)
    assert "a.md\nb.bin\nc.py" in names
    assert "pass" not in names
    assert "`sh run_tests.sh`" in names


def test_long_output_is_shown_from_both_ends() -> None:
    shown = command_result("a" * SHOWN + "b" * SHOWN, "exit code 0")
    assert len(shown) < SHOWN + 100
    assert shown.startswith("aa")
    assert shown.endswith("bb\n[exit code 0]")
    assert f"{SHOWN} characters left out" in shown


def test_all_faults_of_chat_settings_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        validate_settings("chat", {"turns": 0, "wire": "grpc", "speed": 1})
    told_ = str(refused.value)
    for field in ("settings.model", "settings.turns", "settings.wire", "settings.speed"):
        assert field in told_
    with pytest.raises(InvalidInput) as refused:
        validate_settings(
            "chat",
            {
                "model": "m",
                "wire": "anthropic",
                "seed": 1,
                "temperature": 1.5,
                "mode": "one-shot",
                "tools": True,
            },
        )
    assert all(name in str(refused.value) for name in ("seed:", "temperature:", "tools:"))
