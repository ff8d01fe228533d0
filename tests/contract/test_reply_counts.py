"""What became of a language model's replies, counted over a campaign, on both databases."""

from models.schemas.model_replies import ModelReplies
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.transcript import Fate
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.reply_counts import replies_by_system, replies_of
from models.storage.runs import list_runs
from models.storage.transaction import Database
from scheduler.boards.reply_text import reply_facts
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    scripted_systems,
    write_campaign,
)

SOLVED = ModelReplies(fates={Fate.ACTED_ON: 3, Fate.NUDGED: 1}, first_solved_turn=3, noticed=True)
UNNOTICED = ModelReplies(fates={Fate.ACTED_ON: 12}, first_solved_turn=5, noticed=False)
STUCK = ModelReplies(fates={Fate.NUDGED: 3}, noticed=False)


def write_chat_campaign(database: Database) -> tuple[str, dict[str, list[int]]]:
    chat = {"name": "chat", "agent": "chat", "settings": {"model": "m"}}
    scripted = scripted_systems(1)[0].model_dump(mode="json")
    campaign = write_campaign(database, campaign_spec(repeats=6, systems=[chat, scripted]))
    runs: dict[str, list[int]] = {}
    with database.read() as session:
        for one in list_runs(session, RunFilter(campaign_id=campaign)):
            runs.setdefault(one.system, []).append(one.id)
    return campaign, runs


def end(database: Database, run: int, replies: ModelReplies | None, *, grade: bool = True) -> None:
    with database.transaction() as session:
        order = claim(session, run, Stage.AGENT, "w", NOW, TERMS)
        assert order is not None
        told = agent_result().model_copy(update={"replies": replies})
        finish_agent(session, order, told, NOW)
        if grade:
            graded = claim(session, run, Stage.GRADE, "w", NOW, TERMS)
            assert graded is not None
            finish_grade(session, graded, grade_result(graded), NOW)


def test_every_fate_is_summed_by_system_and_unnoticed_runs_keep_their_turns(
    database: Database,
) -> None:
    campaign, runs = write_chat_campaign(database)
    chat = runs["chat"]
    for run, replies in zip(chat, [SOLVED, UNNOTICED, UNNOTICED, STUCK], strict=False):
        end(database, run, replies)
    end(database, chat[4], SOLVED, grade=False)
    for run in runs["system-0"][:2]:
        end(database, run, None)
    with database.read() as session:
        (told,) = replies_by_system(session, [campaign])
        kept = [replies_of(session, run) for run in (chat[1], chat[5], runs["system-0"][0])]
    assert kept == [UNNOTICED, None, None]
    assert told.model_dump(mode="json", exclude={"system_id"}) == {
        "system": "chat",
        "runs": 4,
        "fates": {"acted_on": 27, "nudged": 4, "truncated": 0, "refused": 0, "empty": 0},
        "solved": 3,
        "unnoticed": {"5": 2},
    }
    assert reply_facts(told) == [
        ("replies", "31 in 4 runs: 27 acted on, 4 nudged, 0 truncated, 0 refused, 0 empty"),
        ("visible tests", "passed at some turn in 3 of 4 runs"),
        (" not noticed", "in 2 of these, solved first after turn 5 (2 runs)"),
    ]
