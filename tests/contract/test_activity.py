"""The live view over rows of both kinds of database: what it says, and what it costs."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session

from models.clock import FixedClock
from models.errors import LeaseLost
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import RunOrder, Stage
from models.schemas.worker import WorkerRecord
from models.storage.activity import leased_runs, queue_loads, recent_attempts
from models.storage.attempt_tallies import spoiled_attempts, spoiled_of_farm
from models.storage.campaign_states import change_campaign
from models.storage.elections import take_office
from models.storage.leases import claim, expire, finish_agent, finish_grade, void_attempt
from models.storage.transaction import Database
from models.storage.workers import register_worker
from models.verdicts import AttemptEnding, Component, VoidCategory
from scheduler.activity.look import ActivityLooks
from scheduler.dispatch import top_up
from tasks_catalog.catalog import open_catalog
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    variant,
    write_campaign,
)

CATALOG = Path(__file__).resolve().parents[2] / "tasks_catalog"
ASKED: dict[str, Callable[[Session], object]] = {
    "leased": leased_runs,
    "queues": lambda session: queue_loads(session, ["demo-1"]),
    "recent": lambda session: recent_attempts(session, ["demo-1"]),
    "spoiled": lambda session: spoiled_attempts(session, ["demo-1"]),
    "spoiled of the farm": spoiled_of_farm,
}
OTHER_ATTEMPTS = """
INSERT INTO attempts (run_id, token, stage, number, worker, ending, started_at, detail, toolchain,
                      isolation)
SELECT id, 9, 'agent', 1, 'a@one', 'ok', 0.0, '', '', '' FROM runs
"""
WHOLE = ("SCAN runs", "SCAN attempts", "Seq Scan on runs", "Seq Scan on attempts")


def looks(database: Database, now: float) -> ActivityLooks:
    catalog = open_catalog(CATALOG / "bundled", CATALOG / "bundled", CATALOG / "languages")
    return ActivityLooks(database, catalog, TERMS, FixedClock(now))


def take(database: Database, run: int, stage: Stage, at: float, worker: str = "a@one") -> RunOrder:
    with database.transaction() as session:
        order = claim(session, run, stage, worker, at, TERMS)
    assert order is not None
    return order


def finish(database: Database, run: int, begun: float, took_s: float = 1.0) -> None:
    """Both stages of a run, one after the other."""
    order = take(database, run, Stage.AGENT, begun)
    with database.transaction() as session:
        finish_agent(session, order, agent_result(), begun + took_s)
    order = take(database, run, Stage.GRADE, begun + took_s)
    with database.transaction() as session:
        finish_grade(session, order, grade_result(order), begun + 2 * took_s)


def worker(name: str, *queues: str, **changes: object) -> WorkerRecord:
    return WorkerRecord.model_validate(
        {
            "name": name,
            "host": "one",
            "pid": 1,
            "roles": ("agent",) if name.startswith("a") else ("grade",),
            "queues": queues,
            "slots": 2,
            "toolchains": {"python": "python 3.11"},
            "isolation": "bubblewrap",
            "started_at": NOW,
            "beat_at": NOW,
            **changes,
        }
    )


def statements(database: Database, ask: Callable[[Session], object]) -> list[tuple[str, object]]:
    seen: list[tuple[str, object]] = []

    def note(_c: Connection, _x: object, statement: str, parameters: object, *_: object) -> None:
        seen.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.read() as session:
        ask(session)
    event.remove(database.engine, "before_cursor_execute", note)
    return seen


@pytest.mark.parametrize("name", ASKED)
def test_no_question_of_a_look_reads_all_runs_or_all_attempts(
    database: Database, name: str
) -> None:
    write_campaign(database, campaign_spec(repeats=500))
    finish(database, 1, NOW)
    with database.engine.begin() as connection:
        connection.exec_driver_sql(OTHER_ATTEMPTS)
        connection.exec_driver_sql("ANALYZE")
    asked = statements(database, ASKED[name])
    assert 1 <= len(asked) <= 8
    explain = "EXPLAIN" if database.is_postgresql else "EXPLAIN QUERY PLAN"
    with database.engine.connect() as connection:
        if database.is_postgresql:
            # So small a table is read whole for want of anything slower.
            connection.exec_driver_sql("SET enable_seqscan = off")
        steps = [
            str(row[-1])
            for statement, parameters in asked
            for row in connection.exec_driver_sql(f"{explain} {statement}", parameters)
        ]
    assert steps
    whole = [s for s in steps if s.strip("-> ").startswith(WHOLE) and "USING INDEX" not in s]
    # Backwards by the key, until the limit: SQLite has no other word for it.
    by_key = ["SCAN attempts"] if name == "recent" and not database.is_postgresql else []
    assert whole == by_key
    assert name != "recent" or "USE TEMP B-TREE FOR ORDER BY" not in steps


def test_a_look_asks_as_much_of_a_thousand_runs_as_of_four(database: Database) -> None:
    asked: list[int] = []
    for repeats in (2, 500):
        one = write_campaign(database, campaign_spec(repeats=repeats))
        watch = looks(database, NOW)
        asked.append(len(statements(database, lambda _, w=watch, c=one: w.look([c]))))
    assert asked[0] == asked[1] <= 30


def test_a_look_tells_who_does_what_and_how_fast_it_goes(database: Database) -> None:
    one = write_campaign(database, campaign_spec(repeats=10))
    for number in range(10):
        finish(database, number + 1, NOW + 4 * number, took_s=2.0)
    held = take(database, 11, Stage.AGENT, NOW + 40)
    with database.transaction() as session:
        take_office(session, "me", NOW + 40)
        register_worker(session, worker("a@one", "agent.python", beat_at=NOW + 40))
        register_worker(session, worker("g@one", "grade.python", beat_at=NOW + 40))
    assert top_up(database, NOW + 30, window=3, slot_s=60) == 3
    seen = looks(database, NOW + 40).look([one])
    assert [(q.queue, q.remaining, q.queued, q.leased) for q in seen.queues] == [
        ("agent.python", 10, 3, 1),
        ("grade.python", 10, 0, 0),
    ]
    assert seen.queues[0].oldest_queued_s == pytest.approx(10.0)
    assert seen.queues[0].mean_s == pytest.approx(2.0)
    assert seen.recent_per_s == pytest.approx(10 / 40)
    assert seen.overall_per_s == pytest.approx(10 / 40)
    assert seen.time_left.low_s is not None
    assert seen.time_left.high_s is not None
    assert seen.time_left.low_s <= 40 <= seen.time_left.high_s
    assert [run.run_id for run in seen.slowest] == [held.run_id]
    assert seen.slowest[0].limit_s is not None
    assert [(one.name, len(one.busy)) for one in seen.workers] == [("a@one", 1), ("g@one", 0)]
    assert seen.troubles == ()


def test_voids_are_told_by_reason_with_the_newest_detail(database: Database) -> None:
    one = write_campaign(database, campaign_spec(repeats=10))
    for number, at in ((1, NOW), (2, NOW + 5)):
        order = take(database, number, Stage.AGENT, at)
        void = StageVoid(category=VoidCategory.DISK_FULL, detail=f"disk of run {number} is full")
        with database.transaction() as session:
            void_attempt(session, order, void, at + 1)
    take(database, 3, Stage.AGENT, NOW)
    with database.transaction() as session:
        assert expire(session, NOW + 61, 10) == [3]
    seen = {one.category: one for one in looks(database, NOW + 70).look([one]).voids}
    full, lost = seen[VoidCategory.DISK_FULL], seen[VoidCategory.WORKER_LOST]
    assert (full.attempts, full.runs, full.newest_run) == (2, 0, 2)
    assert (full.component, full.newest_detail) == (Component.DISK, "disk of run 2 is full")
    assert (lost.attempts, lost.component) == (1, Component.WORKER)


def test_spoiled_attempts_are_counted_once_for_each_thing_that_happened(database: Database) -> None:
    write_campaign(database)
    order = take(database, 1, Stage.AGENT, NOW)
    with database.transaction() as session:
        expire(session, NOW + 61, 10)
    for _ in range(2):
        with pytest.raises(LeaseLost), database.transaction() as session:
            finish_agent(session, order, agent_result(), NOW + 70)
    with database.read() as session:
        counted = spoiled_of_farm(session)
    assert counted[AttemptEnding.LOST, VoidCategory.WORKER_LOST] == 1
    assert counted[AttemptEnding.FENCED, VoidCategory.LEASE_EXPIRED] == 1


def test_what_stands_still_is_told_with_its_remedy(database: Database) -> None:
    variants = (variant(), variant(language="go"))
    one = write_campaign(database, campaign_spec(repeats=2, variants=variants), variants)
    take(database, 1, Stage.AGENT, NOW)
    with database.transaction() as session:
        both = ("agent.python", "grade.python", "agent.go")
        register_worker(session, worker("a@one", *both, beat_at=NOW + 50))
    seen = looks(database, NOW + 50).look([one])
    told = {trouble.kind: trouble for trouble in seen.troubles}
    assert told["farm"].problem == "no scheduler is at work"
    assert told["queue_not_served"].queue == "grade.go"
    assert "--role grade --languages go" in told["queue_not_served"].remedy
    assert told["lease_not_renewed"].run_id == 1
    assert seen.time_left.low_s is None
    assert seen.time_left.why == "no worker serves grade.go"


@pytest.mark.parametrize(("role", "stands"), [("grade", False), ("agent", True)])
def test_a_language_that_is_being_made_ready_does_not_stand_still(
    database: Database, role: str, *, stands: bool
) -> None:
    variants = (variant(language="go"),)
    one = write_campaign(database, campaign_spec(repeats=2, variants=variants), variants)
    with database.transaction() as session:
        known = worker("a@one", "agent.go", beat_at=NOW + 50)
        register_worker(session, known.model_copy(update={"roles": (role,), "warming": ("go",)}))
    troubles = looks(database, NOW + 50).look([one]).troubles
    assert any(trouble.queue == "grade.go" for trouble in troubles) is stands


def test_a_paused_campaign_promises_no_end(database: Database) -> None:
    one = write_campaign(database, campaign_spec(repeats=10))
    for number in range(4):
        finish(database, number + 1, NOW + 4 * number)
    with database.transaction() as session:
        change_campaign(session, one, (CampaignState.RUNNING,), CampaignState.PAUSED)
        register_worker(session, worker("a@one", "agent.python", "grade.python"))
    seen = looks(database, NOW + 20).look([one])
    assert (seen.time_left.low_s, seen.time_left.why) == (None, "it is paused")
