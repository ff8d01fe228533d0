"""A farm of the first schema is upgraded with runs in every state, and drains."""

import time
from collections import Counter
from functools import partial

import pytest
from alembic import command
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from models.clock import FixedClock
from models.errors import Refused
from models.migrations.upgrade import (
    database_revision,
    migrating,
    newest_revision,
    upgrade_database,
)
from models.schemas.run import RunOrder, RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.attempt_tallies import spoiled_attempts, spoiled_of_farm
from models.storage.campaigns import campaign_progress
from models.storage.elections import TERM_S, take_office
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.runs import list_runs
from models.storage.transaction import Database, open_database
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.dispatch import send_pending, top_up
from scheduler.embedded_farm import farm_database
from scheduler.embedded_farm.farm_database import prepare_database
from scheduler.lease_reaper import reap
from tests.fakes.brokers import MemoryBroker
from tests.fakes.campaigns import (
    NOW,
    PUBLIC,
    SNAPSHOT,
    TERMS,
    UNIVERSE,
    agent_result,
    campaign_spec,
    grade_result,
)
from tests.migrations.test_migrations import empty, empty_postgresql, empty_sqlite, url_of

__all__ = ["empty", "empty_postgresql", "empty_sqlite"]

SPEC = campaign_spec(systems=2, repeats=4)
OLD_SPEC = SPEC.model_dump_json(
    exclude={
        "budget": True,
        "limits": {"agent_cost_usd", "agent_tokens"},
        "systems": {"__all__": {"max_concurrent", "starts_per_minute"}},
    }
)
OLD_LIMITS = SPEC.limits.model_dump_json(exclude={"agent_cost_usd", "agent_tokens"})
RUNS: tuple[tuple[int, int, RunState], ...] = (
    (1, 1, RunState.AGENT_LEASED),
    (2, 1, RunState.GRADE_LEASED),
    (1, 2, RunState.AGENT_LEASED),
    (2, 2, RunState.FROZEN),
    (1, 3, RunState.GRADE_QUEUED),
    (2, 3, RunState.AGENT_QUEUED),
    (1, 4, RunState.PLANNED),
    (2, 4, RunState.PLANNED),
)
"""(cell, repeat, state), in the order of the plan; the worker of the third never comes back."""
GRADING = (RunState.FROZEN, RunState.GRADE_QUEUED, RunState.GRADE_LEASED)


def write_row(connection: Connection, table: str, /, **values: object) -> None:
    names, places = ", ".join(values), ", ".join(f":{name}" for name in values)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), values)


def write_old_farm(database: Database) -> None:
    """What a farm of the first schema had in its tables, written without today's code."""
    with migrating(database) as config:
        command.upgrade(config, "0001")
    with database.migration() as connection:
        put = partial(write_row, connection)
        for pk, stage in ((1, "agent"), (2, "grade")):
            put("queues", pk=pk, name=f"{stage}.python", stage=stage)
            put(
                "systems",
                pk=pk,
                digest=SPEC.systems[pk - 1].id,
                name=f"system-{pk - 1}",
                agent="scripted",
                settings=f'{{"actions": ["{pk - 1}"]}}',
            )
        put(
            "variants",
            pk=1,
            task="circuit-breaker",
            language="python",
            universe=UNIVERSE,
            public_digest=PUBLIC,
        )
        put(
            "campaigns",
            pk=1,
            id="demo-1",
            kind="evaluation",
            state="running",
            priority=0,
            repeats=4,
            max_attempts=3,
            unproven=False,
            spec=OLD_SPEC,
            limits=OLD_LIMITS,
            total=8,
            planned=8,
            planned_at=NOW,
            created_at=NOW,
            problem="",
        )
        for pk in (1, 2):
            put("campaign_queues", campaign_pk=1, queue_pk=pk)
            put(
                "cells",
                pk=pk,
                campaign_pk=1,
                position=pk - 1,
                system_pk=pk,
                variant_pk=1,
                agent_queue_pk=1,
                grade_queue_pk=2,
            )
        for number, (cell, repeat, state) in enumerate(RUNS, start=1):
            leased = state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
            queued = state in (RunState.AGENT_QUEUED, RunState.GRADE_QUEUED)
            put(
                "runs",
                campaign_pk=1,
                cell_pk=cell,
                repeat=repeat,
                state=state.value,
                queue_pk=2 if state in GRADING else 1,
                token=1 if leased else 0,
                agent_tries=0,
                grade_tries=0,
                not_before=0.0,
                queued_until=NOW + 120 if queued else None,
                lease_until=NOW + 60 if leased else None,
                worker="old" if leased else None,
                snapshot=SNAPSHOT if state in GRADING else None,
                stop_reason="done" if state in GRADING else None,
                changed=True if state in GRADING else None,
            )
            if leased:
                put(
                    "attempts",
                    run_id=number,
                    token=1,
                    number=1,
                    worker="old",
                    ending="running",
                    stage="grade" if state in GRADING else "agent",
                    started_at=NOW,
                    detail="",
                    toolchain="",
                    isolation="",
                )


def held_before(run_id: int, stage: Stage) -> RunOrder:
    """What an old worker has in hand."""
    return RunOrder.model_construct(
        run_id=run_id,
        stage=stage,
        token=1,
        attempt_id=2,
        task="circuit-breaker",
        language="python",
        universe=UNIVERSE,
        system=SPEC.systems[0],
    )


def drain(database: Database, now: float) -> None:
    """Do what messages ask for, and nothing else, until none is sent any more."""
    broker = MemoryBroker()
    while top_up(database, now, window=4, slot_s=120):
        send_pending(database, broker)
        sent = [message for queue in broker.queues.values() for message in queue]
        broker.queues.clear()
        for message in sent:
            with database.transaction() as session:
                order = claim(session, message.run_id, message.stage, "new", now, TERMS)
                if order is None:
                    continue
                if message.stage is Stage.AGENT:
                    finish_agent(session, order, agent_result(), now)
                else:
                    finish_grade(session, order, grade_result(order), now)


def test_a_farm_of_the_first_schema_drains_after_the_upgrade(empty: Database) -> None:
    write_old_farm(empty)
    began = time.time()
    upgrade_database(url_of(empty), lease_s=1_000)
    with empty.transaction() as session:
        finish_agent(session, held_before(1, Stage.AGENT), agent_result(), NOW)
    with empty.transaction() as session:
        order = held_before(2, Stage.GRADE)
        finish_grade(session, order, grade_result(order), NOW)
    # Every lease had run out: while the table was locked, nobody could renew one.
    assert reap(empty, began + 999) == []
    later = time.time() + 1_001
    assert reap(empty, later) == [3]
    drain(empty, later + 500)
    with empty.read() as session:
        progress = campaign_progress(session, "demo-1")
        states = Counter(run.state for run in list_runs(session, RunFilter("demo-1")))
    assert (progress.passed, progress.ended) == (8, 8)
    assert states == {RunState.GRADED: 8}


def test_attempts_that_were_spoiled_before_they_were_counted_are_counted(empty: Database) -> None:
    write_old_farm(empty)
    former = (
        ("void", "disk_full", "first"),
        ("void", "disk_full", "newest"),
        ("lost", "worker_lost", "silent"),
        ("fenced", None, "late"),
        ("interrupted", "operator", "paused"),
        ("ok", None, ""),
    )
    with empty.migration() as connection:
        for token, (ending, category, detail) in enumerate(former, start=2):
            write_row(
                connection,
                "attempts",
                run_id=4,
                token=token,
                number=token,
                worker="old",
                ending=ending,
                category=category,
                stage="agent",
                started_at=NOW,
                ended_at=NOW + token,
                detail=detail,
                toolchain="",
                isolation="",
            )
    upgrade_database(url_of(empty))
    with empty.read() as session:
        assert spoiled_of_farm(session) == {
            (AttemptEnding.VOID, VoidCategory.DISK_FULL): 2,
            (AttemptEnding.LOST, VoidCategory.WORKER_LOST): 1,
            (AttemptEnding.FENCED, VoidCategory.UNKNOWN): 1,
        }
        told = {one.category: one for one in spoiled_attempts(session, ["demo-1"])}
    newest = told[VoidCategory.DISK_FULL]
    assert (newest.attempts, newest.newest_detail, newest.newest_at) == (2, "newest", NOW + 3)


def test_a_planner_of_the_first_schema_that_goes_on_inserts_nothing(empty: Database) -> None:
    write_old_farm(empty)
    upgrade_database(url_of(empty))
    old_insert = text(
        "INSERT INTO runs (campaign_pk, cell_pk, repeat, queue_pk, state, token, agent_tries, "
        "grade_tries, not_before) VALUES (1, 1, 5, 1, 'planned', 0, 0, 0, 0.0) "
        "ON CONFLICT DO NOTHING"
    )
    with pytest.raises(IntegrityError, match="system_pk"), empty.migration() as connection:
        connection.execute(old_insert)
    with empty.read() as session:
        assert len(list_runs(session, RunFilter("demo-1"))) == len(RUNS)


def test_a_scheduler_of_the_first_schema_never_takes_office_again(empty: Database) -> None:
    write_old_farm(empty)
    lease = {"pk": 1, "owner": "old", "until": 0.0, "epoch": "e"}
    with empty.migration() as connection:
        write_row(connection, "scheduler_lease", **lease)
    upgrade_database(url_of(empty))
    old_offer = text(
        "INSERT INTO scheduler_lease (pk, owner, until, epoch) VALUES (1, 'old', 0.0, 'e') "
        "ON CONFLICT DO NOTHING"
    )
    with pytest.raises(IntegrityError, match="protocol"), empty.migration() as connection:
        connection.execute(old_offer)
    with empty.transaction() as session:
        assert take_office(session, "new", NOW) == "e"


def test_up_upgrades_nothing_while_an_unknowing_scheduler_is_at_work(
    empty_sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two seconds more than a term are waited for: none here.
    monkeypatch.setattr(farm_database, "TERM_S", -2.0)
    database, clock = open_database(empty_sqlite), FixedClock(NOW)
    write_old_farm(database)
    lease = {"pk": 1, "owner": "old", "until": NOW + TERM_S, "epoch": "e"}
    with database.migration() as connection:
        write_row(connection, "scheduler_lease", **lease)
    with pytest.raises(Refused, match="the scheduler old is at work"):
        prepare_database(empty_sqlite, clock, TERMS.lease_s)
    assert database_revision(database) == "0001"
    with database.migration() as connection:
        connection.execute(text("UPDATE scheduler_lease SET until = 0"))
    prepare_database(empty_sqlite, clock, TERMS.lease_s)[0].close()
    assert database_revision(database) == newest_revision()
    database.close()
