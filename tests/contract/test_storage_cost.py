"""What is asked all the time reads an index, never the table of all runs."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session

from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.system_limit import SystemLimit
from models.storage.campaign_endings import (
    campaigns_without_work,
    cancelled_with_work,
    used_up_campaigns,
)
from models.storage.campaigns import campaign_progress
from models.storage.dispatching import (
    Backlog,
    backlogs,
    candidates,
    extend_slots,
    overdue_queues,
    queued_counts,
    unqueue_all,
    unqueue_campaign,
    unqueue_overdue,
)
from models.storage.interruptions import (
    campaigns_to_stop,
    interrupt_campaign,
    runs_leased,
)
from models.storage.leases import earliest_lease_end, expire, is_held, renew
from models.storage.runs import list_runs
from models.storage.system_limits import refused_until
from models.storage.system_rooms import system_rooms
from models.storage.transaction import Database
from tests.fakes.campaigns import NOW, TERMS, write_campaign

LANES = [Backlog(1, 0, 1, "agent.python", Stage.AGENT, system) for system in (1, 2, 3)]
FULL = SystemLimit(max_concurrent=1)
ASKED: dict[str, Callable[[Session], object]] = {
    "backlogs": lambda session: backlogs(session, NOW),
    "queued_counts": queued_counts,
    "candidates": lambda session: candidates(session, dict.fromkeys(LANES, 5), NOW),
    "system_rooms": lambda session: system_rooms(session, ["0" * 16], [], NOW),
    "running": lambda session: refused_until(session, "0" * 16, FULL, NOW),
    "overdue_queues": lambda session: overdue_queues(session, NOW),
    "extend_slots": lambda session: extend_slots(session, 1, NOW, 60),
    "unqueue_overdue": lambda session: unqueue_overdue(session, 1, NOW),
    "unqueue_all": unqueue_all,
    "unqueue_campaign": lambda session: unqueue_campaign(session, "demo-1"),
    "earliest_lease_end": earliest_lease_end,
    "expire": lambda session: expire(session, NOW, 5),
    "renew": lambda session: renew(session, [(1, 1), (2, 1)], NOW, TERMS),
    "is_held": lambda session: is_held(session, 1, 1),
    "to_stop": campaigns_to_stop,
    "leased_runs": lambda session: runs_leased(session, "demo-1"),
    "interrupt": lambda session: interrupt_campaign(session, "demo-1", NOW),
    "without_work": campaigns_without_work,
    "used_up": used_up_campaigns,
    "cancelled": cancelled_with_work,
    "progress": lambda session: campaign_progress(session, "demo-1"),
    "leased": lambda session: list_runs(session, RunFilter("demo-1", state=RunState.AGENT_LEASED)),
    "listed": lambda session: list_runs(session, RunFilter("demo-1"), limit=5),
}


def plans_of(database: Database, ask: Callable[[Session], object]) -> list[str]:
    """The steps in which SQLite answers everything that `ask` asks."""
    seen: list[tuple[str, object]] = []

    def note(
        _connection: Connection, _cursor: object, statement: str, parameters: object, *_: object
    ) -> None:
        seen.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.transaction() as session:
        ask(session)
    event.remove(database.engine, "before_cursor_execute", note)
    with database.engine.connect() as connection:
        return [
            row[3]
            for statement, parameters in seen
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]


@pytest.mark.parametrize("name", ASKED)
def test_a_question_of_every_tick_never_reads_all_runs(sqlite: Database, name: str) -> None:
    write_campaign(sqlite)
    steps = plans_of(sqlite, ASKED[name])
    assert steps
    assert not [step for step in steps if step == "SCAN runs"]


def test_runs_are_listed_from_where_the_campaign_begins(sqlite: Database) -> None:
    ids = [write_campaign(sqlite) for _ in range(3)]
    with sqlite.read() as session:
        spans = [[run.id for run in list_runs(session, RunFilter(one))] for one in ids]
    assert all(before[-1] < after[0] for before, after in pairwise(spans))
