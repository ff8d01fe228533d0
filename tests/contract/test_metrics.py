"""Figures for Prometheus: scraped over HTTP, parsed by its own parser, equal to the rows."""

import io
import json
import logging
import os
import signal
import urllib.request
from collections.abc import Callable

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from models.clock import FixedClock
from models.errors import LeaseLost
from models.event_log import begin_log, event
from models.metrics_server import serve_metrics
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import Stage
from models.schemas.worker import WorkerRecord
from models.storage.campaign_states import change_campaign
from models.storage.leases import claim, expire, finish_agent, finish_grade, void_attempt
from models.storage.transaction import Database
from models.storage.workers import list_workers
from models.verdicts import VoidCategory
from scheduler.metrics.farm_collector import KEPT_S, FarmCollector
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)
from workers.stage_tallies import StageEnding, StageTallies

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scraped(port: int) -> Samples:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        told = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(told)
        for sample in family.samples
    }


def served(collector: FarmCollector | StageTallies) -> Callable[[], Samples]:
    registry = CollectorRegistry()
    registry.register(collector)
    port = serve_metrics(registry, "127.0.0.1", 0)
    return lambda: scraped(port)


def spoil(database: Database) -> None:
    """Run 1 ends well; 2 is void once; 3 is lost, and its worker comes too late."""
    with database.transaction() as session:
        order = claim(session, 1, Stage.AGENT, "a@one", NOW, TERMS)
        assert order
        finish_agent(session, order, agent_result(), NOW + 1)
        order = claim(session, 1, Stage.GRADE, "g@one", NOW + 1, TERMS)
        assert order
        finish_grade(session, order, grade_result(order), NOW + 2)
        order = claim(session, 2, Stage.AGENT, "a@one", NOW, TERMS)
        assert order
        void_attempt(
            session, order, StageVoid(category=VoidCategory.DISK_FULL, detail="full"), NOW + 1
        )
        late = claim(session, 3, Stage.AGENT, "a@one", NOW, TERMS)
        assert late
    with database.transaction() as session:
        expire(session, NOW + 61, 5)
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_agent(session, late, agent_result(), NOW + 62)


def test_a_scrape_tells_what_the_rows_say_and_a_restart_loses_no_count(database: Database) -> None:
    write_campaign(database, campaign_spec(repeats=5))
    spoil(database)
    for clock in (FixedClock(NOW + 63), FixedClock(NOW + 90)):
        told = served(FarmCollector(database, clock))()
        assert told["gradefarm_database_up", ()] == 1
        assert told["gradefarm_runs", (("state", "planned"),)] == 9
        assert told["gradefarm_runs_ended_total", (("ending", "passed"),)] == 1
        full = (("category", "disk_full"), ("component", "disk"))
        lost = (("category", "worker_lost"), ("component", "worker"))
        assert told["gradefarm_void_attempts_total", full] == 1
        assert told["gradefarm_void_attempts_total", lost] == 1
        assert told["gradefarm_lease_expiries_total", ()] == 1
        assert told["gradefarm_fenced_writes_total", ()] == 1
        assert told["gradefarm_queue_waiting", (("queue", "agent.python"),)] == 9
        assert told["gradefarm_campaigns", (("state", "running"),)] == 1
        assert told["gradefarm_scheduler_in_office", ()] == 0
    with database.engine.connect() as connection:
        kept = connection.execute(text("SELECT sum(attempts) FROM attempt_tallies")).scalar_one()
    assert kept == 3


def test_nothing_waits_in_a_campaign_that_is_paused(sqlite: Database) -> None:
    paused = write_campaign(sqlite)
    with sqlite.transaction() as session:
        assert change_campaign(session, paused, (CampaignState.RUNNING,), CampaignState.PAUSED)
    told = served(FarmCollector(sqlite, FixedClock(NOW)))()
    assert told["gradefarm_runs", (("state", "planned"),)] == 4
    assert not any(name == "gradefarm_queue_waiting" for name, _ in told)


def test_scrapes_that_follow_each_other_ask_the_database_once(sqlite: Database) -> None:
    write_campaign(sqlite)
    clock = FixedClock(NOW)
    scrape = served(FarmCollector(sqlite, clock))
    planned = ("gradefarm_runs", (("state", "planned"),))
    assert scrape()[planned] == 4
    write_campaign(sqlite)
    assert scrape()[planned] == 4
    clock.advance(KEPT_S)
    assert scrape()[planned] == 8


def test_a_worker_whose_row_cannot_be_read_is_left_out_and_hides_no_other(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    said = WorkerRecord(
        name="good",
        host="here",
        pid=1,
        roles=("agent",),
        queues=(),
        slots=3,
        toolchains={},
        isolation="bubblewrap",
        started_at=NOW,
        beat_at=NOW,
    ).model_dump(mode="json")
    documents = {
        "good": {**said, "fields": "of a newer worker", "orders": {"and": "within"}},
        "empty": {},
        "huge": {**said, "slots": 10**400},
        "timeless": {**said, "started_at": float("inf")},
    }
    here = database.engine.dialect.name
    insert = text(
        "INSERT INTO workers (name, document, started_at, beat_at)"
        " VALUES (:name, :document, 1, :at)"
    )
    with database.transaction() as session:
        for name, document in documents.items():
            row = {"name": f"{name}@{here}", "document": json.dumps(document), "at": NOW}
            session.execute(insert, row)
    with database.read() as session:
        assert [worker.name for worker in list_workers(session)] == [f"good@{here}"]
        list_workers(session)
    assert caplog.messages == ["a worker's row can't be read"] * 3
    told = served(FarmCollector(database, FixedClock(NOW)))()
    assert told["gradefarm_worker_slots", (("role", "agent"),)] == 3


def test_figures_that_cannot_be_made_hide_no_others(
    sqlite: Database, caplog: pytest.LogCaptureFixture
) -> None:
    write_campaign(sqlite)
    with sqlite.transaction() as session:
        assert claim(session, 1, Stage.AGENT, "a@one", NOW, TERMS)
    with sqlite.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE campaigns SET limits = 'none'")
    told = served(FarmCollector(sqlite, FixedClock(NOW)))()
    assert told["gradefarm_database_up", ()] == 1
    assert told["gradefarm_runs", (("state", "agent_leased"),)] == 1
    assert ("gradefarm_scheduler_in_office", ()) in told
    assert told["gradefarm_worker_slots", (("role", "agent"),)] == 0
    assert not any(name == "gradefarm_worker_busy" for name, _ in told)
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]


def test_without_a_database_the_scrape_says_so_and_answers(sqlite: Database) -> None:
    scrape = served(FarmCollector(sqlite, FixedClock(NOW)))
    with sqlite.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE campaigns RENAME TO elsewhere")
    assert scrape() == {("gradefarm_database_up", ()): 0}


def test_what_pool_children_counted_outlives_them_even_if_they_are_killed() -> None:
    tallies = StageTallies(["python"])
    scrape = served(tallies)
    children: list[int] = []
    for _ in range(4):
        if (child := os.fork()) == 0:
            for _ in range(50):
                tallies.note(Stage.GRADE, "python", StageEnding.DONE, 0.25)
            os.kill(os.getpid(), signal.SIGKILL)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    tallies.note_failed_renewal()
    told = scrape()
    labels = (("language", "python"), ("stage", "grade"))
    assert told["gradefarm_worker_stages_total", (("ending", "done"), *labels)] == 200
    assert told["gradefarm_worker_stage_seconds_count", labels] == 200
    assert told["gradefarm_worker_stage_seconds_sum", labels] == 50
    assert told["gradefarm_worker_renewals_failed_total", ()] == 1


def test_logs_are_one_json_object_a_line_with_the_same_keys_everywhere() -> None:
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    try:
        formatter = begin_log("worker", "json", to=stream)
        formatter.name_worker("agent@one")
        logging.getLogger("workers.jobs").warning("x", extra=event("stage_void", run=7, token=2))
        logging.getLogger("kombu").error("the broker\nis away")
    finally:
        root.handlers[:], root.level = handlers, level
    void, other = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert (void["event"], void["run"], void["token"]) == ("stage_void", 7, 2)
    assert (void["role"], void["worker"], void["level"]) == ("worker", "agent@one", "warning")
    assert (other["event"], other["text"]) == ("message", "the broker\nis away")
    assert void.keys() >= {"time"} <= other.keys()
