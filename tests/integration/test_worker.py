"""A real broker, a real worker, real sandboxes: every way to end says what it should."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import psutil
import pytest

from models.clock import SystemClock
from models.errors import FarmError
from models.messaging.broker_memory import open_broker_memory
from models.messaging.celery_factory import build_celery
from models.messaging.job_sender import JobSender
from models.migrations.upgrade import upgrade_database
from models.schemas.campaign import CampaignSpec
from models.schemas.check_report import CheckReport
from models.schemas.run import ENDS, RunState
from models.schemas.run_filter import RunFilter
from models.settings import Settings, broker_socket, read_settings
from models.storage.artifact_opening import open_artifacts
from models.storage.results import find_report
from models.storage.runs import attempts_of, list_runs
from models.storage.transaction import Database, open_database
from models.storage.workers import list_workers
from models.verdicts import CheckOutcome, StopReason, Verdict
from scheduler.campaign_lifecycle import start_campaign
from scheduler.embedded_farm.broker import (
    broker_answers,
    broker_command,
    find_broker_binary,
    prepare_broker,
)
from scheduler.scheduler_loop import run_scheduler
from tasks_catalog.catalog import open_catalog
from tests.conftest import miss
from tests.integration.summing_catalog import SECRET, TRICKS, write_catalog
from workers.sandbox.selection import select_sandbox

pytestmark = [pytest.mark.real, pytest.mark.slow]

LANGUAGES = Path(__file__).resolve().parents[2] / "tasks_catalog" / "languages"
PATIENCE_S = 200.0

EXPECTED = {
    "loops": {CheckOutcome.TIMEOUT},
    "hoards": {CheckOutcome.MEMORY},
    "forks": {CheckOutcome.CRASH},
    "floods": {CheckOutcome.OUTPUT_LIMIT},
    "raises": {CheckOutcome.CRASH},
    "dies": {CheckOutcome.CRASH},
    "silent": {CheckOutcome.WRONG},
    "forges": {CheckOutcome.WRONG},
    "garbles": {CheckOutcome.PROTOCOL},
    "solves": {CheckOutcome.PASSED},
}


def systems() -> list[dict[str, object]]:
    tricks: list[dict[str, object]] = [
        {
            "name": name,
            "agent": "scripted",
            "settings": {"actions": [f"cp tricks/{name}.py main.py; echo mine > tests/note.txt"]},
        }
        for name in TRICKS
    ]
    subjects: list[dict[str, object]] = [
        {"name": "reference", "agent": "reference"},
        {"name": "fault", "agent": "subject", "settings": {"subject": "fault:drops-sign"}},
        {"name": "idle", "agent": "idle"},
    ]
    return tricks + subjects


@dataclass
class Farm:
    """Broker, scheduler and one worker, with a campaign of every trick that ran to its end."""

    settings: Settings
    database: Database
    worker: "subprocess.Popen[bytes]"
    worker_log: Path

    def report(self, system: str) -> tuple[Verdict, bool, CheckReport]:
        with self.database.read() as session:
            run = next(r for r in list_runs(session, RunFilter()) if r.system == system)
            found = find_report(session, run.id)
        assert found is not None
        kept = open_artifacts(self.settings.artifacts_url).get(found.report)
        return found.verdict, found.undelivered, CheckReport.model_validate_json(kept)


@dataclass
class Ground:
    """A broker and a scheduler over an empty database; `start` starts a worker."""

    settings: Settings
    database: Database
    start: Callable[..., "subprocess.Popen[bytes]"]
    log: Path


@contextmanager
def open_ground() -> Iterator[Ground]:
    root = Path(tempfile.mkdtemp(prefix="gradefarm-worker-", dir="/var/tmp"))
    root.chmod(0o755)
    write_catalog(root / "catalog", LANGUAGES)
    environment = {
        "GRADEFARM_HOME": str(root / "home"),
        "GRADEFARM_SCRATCH": str(root / "scratch"),
        "GRADEFARM_CATALOG_PUBLIC": str(root / "catalog" / "tasks"),
        "GRADEFARM_CATALOG_SEALED": str(root / "catalog" / "tasks"),
        "GRADEFARM_LANGUAGES": str(root / "catalog" / "languages"),
    }
    settings = read_settings(environment)
    processes: list[subprocess.Popen[bytes]] = []
    stop = threading.Event()
    scheduler: threading.Thread | None = None
    try:
        select_sandbox(settings.scratch).close()
        prepare_broker(settings.home)
        binary = find_broker_binary()
        processes.append(subprocess.Popen(broker_command(binary.path, settings.home)))
    except FarmError as error:
        miss(str(error))
    try:
        wait_for(lambda: broker_answers(broker_socket(settings.home)), 20)
        upgrade_database(settings.database_url)
        database = open_database(settings.database_url)
        log = root / "worker.log"

        def start(slots: int, name: str, **changes: str) -> "subprocess.Popen[bytes]":
            processes.append(start_worker({**environment, **changes}, log, slots, name))
            return processes[-1]

        scheduler = start_scheduler(settings, stop)
        yield Ground(settings, database, start, log)
        database.close()
    finally:
        stop.set()
        if scheduler is not None:
            scheduler.join(10)
        for process in reversed(processes):
            process.terminate()
            process.wait(30)
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def farm() -> Iterator[Farm]:
    with open_ground() as ground:
        worker = ground.start(2, "tester")
        start_tricks(ground, systems(), repeats=1)
        assert wait_for(lambda: all_ended(ground.database), PATIENCE_S), ground.log.read_text()
        yield Farm(ground.settings, ground.database, worker, ground.log)


def start_worker(
    environment: dict[str, str], log: Path, slots: int, name: str
) -> "subprocess.Popen[bytes]":
    command = ["worker", "--role", "all", "--concurrency", str(slots), "--name", name]
    return subprocess.Popen(
        [sys.executable, "-m", "scheduler.cli.main", *command],
        env={**os.environ, **environment},
        stdout=log.open("ab"),
        stderr=subprocess.STDOUT,
    )


def start_scheduler(settings: Settings, stop: threading.Event) -> threading.Thread:
    def work() -> None:
        database = open_database(settings.database_url)
        sender = JobSender(settings.broker_url, ("python",))
        memory = open_broker_memory(settings.broker_url)
        run_scheduler(database, sender, memory, settings, SystemClock(), stop)
        sender.close()
        database.close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def start_tricks(ground: Ground, chosen: list[dict[str, object]], repeats: int) -> None:
    settings = ground.settings
    catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
    spec = CampaignSpec.model_validate(
        {
            "name": "tricks",
            "tasks": ["summing"],
            "languages": ["python"],
            "repeats": repeats,
            "systems": chosen,
        }
    )
    start_campaign(ground.database, catalog, spec, SystemClock(), unproven=True)


def all_ended(database: Database) -> bool:
    with database.read() as session:
        return all(run.state in ENDS for run in list_runs(session, RunFilter()))


def wait_for(condition: object, seconds: float) -> bool:
    assert callable(condition)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("trick", sorted(TRICKS))
def test_a_trick_is_worth_what_the_farm_measured(farm: Farm, trick: str) -> None:
    verdict, undelivered, report = farm.report(trick)
    assert {check.outcome for check in report.checks} == EXPECTED[trick]
    assert verdict is (Verdict.PASSED if trick == "solves" else Verdict.FAILED)
    assert not undelivered


def test_the_subjects_prove_the_verifier(farm: Farm) -> None:
    assert farm.report("reference")[0] is Verdict.PASSED
    verdict, _, report = farm.report("fault")
    assert verdict is Verdict.FAILED
    assert report.failing() == ("hidden-sum",)


def test_an_agent_that_changed_nothing_is_undelivered(farm: Farm) -> None:
    verdict, undelivered, _ = farm.report("idle")
    assert verdict is Verdict.FAILED
    assert undelivered


def test_every_run_was_graded_at_its_first_attempt(farm: Farm) -> None:
    with farm.database.read() as session:
        runs = list_runs(session, RunFilter())
    assert {run.state for run in runs} == {RunState.GRADED}
    assert {run.stop_reason for run in runs} == {StopReason.DONE}


def test_the_evidence_says_what_was_printed_and_what_was_wrong(farm: Farm) -> None:
    _, _, report = farm.report("forges")
    evidence = report.checks[0].evidence
    assert evidence is not None
    assert "outcome" in evidence.stdout_text
    assert evidence.difference == "/0: got an object of 2 keys, not the expected type"


def test_the_worker_registered_what_it_can_do(farm: Farm) -> None:
    with farm.database.read() as session:
        (worker,) = list_workers(session)
    assert worker.name.startswith("tester@")
    assert worker.roles == ("agent", "grade")
    assert worker.toolchains["python"].startswith("python 3.")
    assert set(worker.queues) == {"agent.python", "grade.python", "subject.python"}


def test_a_worker_answers_monitors_and_takes_no_orders_over_the_broker(farm: Farm) -> None:
    control = cast("Any", build_celery(farm.settings.broker_url, ("python",))).control
    for order in ("shutdown", "pool_shrink", "disable_events"):
        control.broadcast(order)
    control.cancel_consumer("grade.python")
    told = control.inspect(timeout=10)
    (queues,) = told.active_queues().values()
    assert "grade.python" in {queue["name"] for queue in queues}
    (stats,) = told.stats().values()
    assert stats["pool"]["max-concurrency"] == 2
    assert farm.worker.poll() is None
    assert farm.worker_log.read_text().count("order_refused") == 4


def test_nothing_that_the_worker_logged_holds_an_expected_value(farm: Farm) -> None:
    text = farm.worker_log.read_text()
    assert "ready     python" in text
    assert "hidden-sum" not in text
    assert str(SECRET) not in text
    assert "Traceback" not in text


def test_no_judged_process_is_left(farm: Farm) -> None:
    below = psutil.Process(farm.worker.pid).children(recursive=True)
    lines = [" ".join(process.cmdline()) for process in below]
    assert not [line for line in lines if "main.py" in line and "scheduler.cli" not in line]


def test_a_worker_that_can_keep_nothing_does_not_eat_the_campaign() -> None:
    with open_ground() as ground:
        ground.start(1, "broken", GRADEFARM_ARTIFACTS_URL="file:///dev/null/artifacts")
        start_tricks(ground, [{"name": "idle", "agent": "idle"}], repeats=12)

        def rests() -> bool:
            with ground.database.read() as session:
                return any(worker.resting == ("python",) for worker in list_workers(session))

        def attempts() -> int:
            with ground.database.read() as session:
                runs = list_runs(session, RunFilter())
                return sum(len(attempts_of(session, run.id)) for run in runs)

        assert wait_for(rests, 60), ground.log.read_text()[-4_000:]
        made = attempts()
        time.sleep(3)
        assert attempts() == made
        assert made < 12
        with ground.database.read() as session:
            (worker,) = list_workers(session)
            assert (worker.queues, worker.toolchains) == ((), {})
            assert {run.state for run in list_runs(session, RunFilter())}.isdisjoint(ENDS)
        ground.start(1, "healthy")
        assert wait_for(lambda: all_ended(ground.database), 120), ground.log.read_text()[-4_000:]
        with ground.database.read() as session:
            found = list_runs(session, RunFilter())
        assert {run.state for run in found} == {RunState.GRADED}
