"""What became of a language model's replies, counted over a campaign, on both databases."""

import json

import pytest

from models.errors import LeaseLost
from models.schemas.attempt import AgentResult, StageVoid
from models.schemas.campaign import CampaignSpec
from models.schemas.model_replies import ModelReplies
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.transcript import Fate
from models.storage.leases import claim, expire, finish_agent, finish_grade, void_attempt
from models.storage.reply_counts import replies_by_system, replies_of, replies_text
from models.storage.runs import attempts_of, list_runs
from models.storage.transaction import Database
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.boards.reply_text import reply_facts, run_replies_text, solved_text
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    scripted_systems,
    write_campaign,
)

SOLVED = ModelReplies(
    fates={Fate.ACTED_ON: 3, Fate.NUDGED: 1}, measured=True, first_solved_turn=3, noticed=True
)
UNNOTICED = ModelReplies(
    fates={Fate.ACTED_ON: 12}, measured=True, first_solved_turn=5, noticed=False
)
STUCK = ModelReplies(fates={Fate.NUDGED: 3}, measured=True, noticed=False)
UNTOLD = ModelReplies(told_by="agent", fates=None, measured=False, noticed=False)
TOLD = ModelReplies(told_by="agent", fates={Fate.ACTED_ON: 2}, measured=False, noticed=True)
REPLAYED = SOLVED.model_copy(update={"told_by": "recording"})


def chat_spec(max_attempts: int = 1) -> CampaignSpec:
    chat: dict[str, object] = {"name": "chat", "agent": "chat", "settings": {"model": "m"}}
    scripted = scripted_systems(1)[0].model_dump(mode="json")
    return campaign_spec(repeats=6, systems=[chat, scripted], policy={"max_attempts": max_attempts})


def runs_by_system(database: Database, campaign: str) -> dict[str, list[int]]:
    runs: dict[str, list[int]] = {}
    with database.read() as session:
        for one in list_runs(session, RunFilter(campaign_id=campaign)):
            runs.setdefault(one.system, []).append(one.id)
    return runs


def work(database: Database, run: int, replies: ModelReplies | None) -> None:
    with database.transaction() as session:
        order = claim(session, run, Stage.AGENT, "w", NOW, TERMS)
        assert order is not None
        finish_agent(session, order, telling(replies), NOW)


def telling(replies: ModelReplies | None) -> AgentResult:
    return agent_result().model_copy(update={"replies": replies})


def grade(database: Database, run: int, *, void: bool = False) -> None:
    with database.transaction() as session:
        order = claim(session, run, Stage.GRADE, "w", NOW, TERMS)
        assert order is not None
        if void:
            full = StageVoid(category=VoidCategory.DISK_FULL, detail="")
            void_attempt(session, order, full, NOW)
        else:
            finish_grade(session, order, grade_result(order), NOW)


def test_every_fate_is_summed_by_system_and_unnoticed_runs_keep_their_turns(
    database: Database,
) -> None:
    campaign = write_campaign(database, chat_spec())
    runs = runs_by_system(database, campaign)
    chat = runs["chat"]
    for run, replies in zip(chat, [SOLVED, UNNOTICED, UNNOTICED, STUCK], strict=False):
        work(database, run, replies)
        grade(database, run)
    work(database, chat[4], SOLVED)
    for run in runs["system-0"][:2]:
        work(database, run, None)
        grade(database, run)
    with database.read() as session:
        (told,) = replies_by_system(session, [campaign])
        kept = [replies_of(session, run) for run in (chat[1], chat[5], runs["system-0"][0])]
    assert kept == [UNNOTICED, None, None]
    assert told.model_dump(mode="json", exclude={"system_id"}) == {
        "system": "chat",
        "told_by": "farm",
        "runs": 4,
        "untold": 0,
        "measured": 4,
        "fates": {"acted_on": 27, "nudged": 4, "truncated": 0, "refused": 0, "empty": 0},
        "solved": 3,
        "unnoticed": {"5": 2},
    }
    assert reply_facts(told) == [
        ("replies", "31 in 4 runs: 27 acted on, 4 nudged, 0 truncated, 0 refused, 0 empty"),
        ("visible tests", "passed at some turn in 3 of 4 runs"),
        (" not noticed", "in 2 of these, solved first after turn 5 (2 runs)"),
    ]


def test_what_a_worker_brought_too_late_is_counted_nowhere(database: Database) -> None:
    campaign = write_campaign(database, chat_spec(max_attempts=2))
    run, other = runs_by_system(database, campaign)["chat"][:2]
    late = NOW + TERMS.lease_s + 1
    with database.transaction() as session:
        orders = [claim(session, each, Stage.AGENT, "w", NOW, TERMS) for each in (run, other)]
        assert len(expire(session, late, 10)) == 2
    for order in orders:
        assert order is not None
        with pytest.raises(LeaseLost), database.transaction() as session:
            finish_agent(session, order, telling(UNNOTICED), late)
    work(database, run, SOLVED)
    grade(database, run)
    with database.read() as session:
        endings = [(one.stage, one.ending) for one in attempts_of(session, run)]
        (told,) = replies_by_system(session, [campaign])
        kept = [replies_of(session, each) for each in (run, other)]
    assert (Stage.AGENT, AttemptEnding.FENCED) in endings
    assert (told.runs, told.fates and told.fates[Fate.ACTED_ON], told.unnoticed) == (1, 3, {})
    assert kept == [SOLVED, None]


def test_a_regrade_tells_of_the_runs_that_it_graded_itself(database: Database) -> None:
    source = write_campaign(database, chat_spec())
    worked = runs_by_system(database, source)["chat"][:3]
    for run, replies in zip(worked, [SOLVED, STUCK, UNNOTICED], strict=True):
        work(database, run, replies)
    for run, void in zip(worked, [True, False, False], strict=True):
        grade(database, run, void=void)
    regrade = write_campaign(database, chat_spec(), regrades=source)
    again = runs_by_system(database, regrade)["chat"][:3]
    for run, void in zip(again, [False, True, False], strict=True):
        grade(database, run, void=void)
    with database.read() as session:
        ((before,), (after,)) = (replies_by_system(session, [one]) for one in (source, regrade))
    assert [one.fates and one.fates[Fate.NUDGED] for one in (before, after)] == [3, 1]
    assert [(one.runs, one.solved) for one in (before, after)] == [(2, 1), (2, 2)]


def test_replies_that_nobody_told_of_are_unknown_and_never_zero(database: Database) -> None:
    preset = {"name": "codex", "agent": "preset", "settings": {"preset": "codex", "model": "m"}}
    campaign = write_campaign(database, campaign_spec(repeats=3, systems=[preset]))
    (runs,) = runs_by_system(database, campaign).values()
    for run in runs[:2]:
        work(database, run, UNTOLD)
        grade(database, run)
    with database.read() as session:
        (unknown,) = replies_by_system(session, [campaign])
    assert (unknown.runs, unknown.untold, unknown.fates, unknown.measured) == (2, 2, None, 0)
    own = "(by the agent's own account)"
    assert reply_facts(unknown) == [
        ("replies", f"not told in 2 runs {own}"),
        ("visible tests", "not looked at while it worked"),
    ]
    work(database, runs[2], TOLD)
    grade(database, runs[2])
    with database.read() as session:
        (partly,) = replies_by_system(session, [campaign])
    counted = "2 in 1 run: 2 acted on, 0 nudged, 0 truncated, 0 refused, 0 empty"
    assert reply_facts(partly)[0] == ("replies", f"{counted}; not told in 2 runs {own}")
    assert run_replies_text(UNTOLD) == f"not told {own}"
    assert run_replies_text(TOLD) == f"2: 2 acted on {own}"
    assert solved_text(TOLD) == "tests were not looked at after every turn"


def test_replies_of_a_recording_that_was_fed_again_are_told_as_such() -> None:
    told = run_replies_text(REPLAYED)
    assert told == "4: 3 acted on, 1 nudged (by the recording that was fed again)"
    assert json.loads(replies_text(REPLAYED))["told_by"] == "recording"
