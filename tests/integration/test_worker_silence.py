"""Jobs while their database comes and goes: nothing that was done is thrown away for it."""

import threading
import time

import pytest
from sqlalchemy import text

from models.schemas.run import RunState, Stage
from models.storage.transaction import Database
from models.verdicts import AttemptEnding, Verdict
from tests.integration.job_bench import Bench

pytestmark = pytest.mark.real

WORKS = {"actions": ["sleep 1; echo worked > result.txt"]}


def _take_away(database: Database, table: str) -> None:
    with database.transaction() as session:
        session.execute(text(f"ALTER TABLE {table} RENAME TO {table}_away"))


def _bring_back(database: Database, table: str) -> None:
    with database.transaction() as session:
        session.execute(text(f"ALTER TABLE {table}_away RENAME TO {table}"))


def test_a_database_that_is_away_for_a_question_costs_no_try(bench: Bench) -> None:
    run = bench.start("reference")
    bench.work(run, Stage.AGENT)
    _take_away(bench.database, "gate_decisions")
    assert bench.work(run, Stage.GRADE).state is RunState.FROZEN
    given_back = bench.attempts(run)[-1]
    assert (given_back.ending, given_back.category) == (AttemptEnding.INTERRUPTED, None)
    _bring_back(bench.database, "gate_decisions")
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED


def test_a_result_waits_for_the_database_as_long_as_the_lease_is_held(bench: Bench) -> None:
    run = bench.start("scripted", WORKS)

    def go_and_come() -> None:
        time.sleep(0.7)
        _take_away(bench.database, "attempts")
        # Longer than a lease: renewals go through all the while.
        time.sleep(5.0)
        _bring_back(bench.database, "attempts")

    away = threading.Thread(target=go_and_come)
    away.start()
    after = bench.work(run, Stage.AGENT)
    away.join()
    assert after.state is RunState.FROZEN
    (attempt,) = bench.attempts(run)
    assert attempt.ending is AttemptEnding.OK
