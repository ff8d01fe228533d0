"""Real workers, told to stop, killed, broken or outdated: nothing is lost, nobody is blamed."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import models
from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec
from models.schemas.run import ENDS, RunState
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.schemas.worker import Duty
from models.storage.farm_protocol import set_farm_protocol
from models.storage.runs import attempts_of, list_runs
from models.storage.transaction import Database, open_database
from models.storage.workers import list_workers
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.campaign_lifecycle import (
    cancel_campaign,
    interrupt_work,
    pause_campaign,
    start_campaign,
)
from tasks_catalog.catalog import open_catalog
from tests.benchmarks.farm_processes import BenchFarm, bench_farm
from tests.benchmarks.trivial_catalog import write_catalog

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

CODE = Path(models.__file__).resolve().parents[1]
OLD_PROTOCOL = 1
PATIENCE_S = 180
"""For a slow machine: whatever is waited for is seen at once."""


@dataclass
class Bench:
    """A farm of processes: broker and scheduler run, workers are started by the tests."""

    farm: BenchFarm
    database: Database

    def work(self, name: str, **changes: str) -> "subprocess.Popen[bytes]":
        """Start a worker for both stages with one slot and wait until it has registered."""
        kept = self.farm.environment
        self.farm.environment = kept | changes
        words = ("worker", "--role", "all", "--concurrency", "1", "--name", f"{name}@here")
        self.farm.start(name, *words)
        self.farm.environment = kept
        until(lambda: self.is_registered(f"{name}@here"))
        return self.farm.processes[name]

    def is_registered(self, name: str) -> bool:
        with self.database.read() as session:
            return any(w.name == name and w.queues for w in list_workers(session))

    def ask(self, *actions: str, repeats: int = 1, max_attempts: int = 3) -> str:
        """Start a campaign with one system for each of `actions`; its id."""
        settings = self.farm.settings
        spec = CampaignSpec.model_validate(
            {
                "name": "life",
                "tasks": ["trivial-1"],
                "languages": ["plain"],
                "repeats": repeats,
                "policy": {"max_attempts": max_attempts},
                "systems": [
                    {"name": f"s{n}", "agent": "scripted", "settings": {"actions": [action]}}
                    for n, action in enumerate(actions)
                ],
            }
        )
        catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
        return start_campaign(self.database, catalog, spec, SystemClock(), unproven=True)

    def runs(self, campaign: str) -> list[RunView]:
        with self.database.read() as session:
            return list_runs(session, RunFilter(campaign))

    def attempts(self, run: RunView) -> list[AttemptView]:
        with self.database.read() as session:
            return attempts_of(session, run.id)

    def counted(self, campaign: str) -> Counter[tuple[str, str]]:
        return Counter(
            (one.stage.value, one.ending.value)
            for run in self.runs(campaign)
            for one in self.attempts(run)
        )

    def ended(self, campaign: str) -> bool:
        return all(run.state in ENDS for run in self.runs(campaign))

    def say(self, *words: str) -> str:
        """What a command prints."""
        command = [sys.executable, "-m", "scheduler.cli.main", *words]
        done = subprocess.run(
            command,
            check=False,
            env=self.farm.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def cancel(self, campaign: str) -> None:
        cancel_campaign(self.database, campaign, SystemClock())


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    root = Path(tempfile.mkdtemp(prefix="gradefarm-life-", dir="/var/tmp"))
    root.chmod(0o755)
    tasks, languages = write_catalog(root / "catalog", (1,))
    extra = {
        "GRADEFARM_SCRATCH": str(root / "scratch"),
        "GRADEFARM_CATALOG_PUBLIC": str(tasks),
        "GRADEFARM_CATALOG_SEALED": str(tasks),
        "GRADEFARM_LANGUAGES": str(languages),
        "GRADEFARM_LEASE_S": "9",
        "GRADEFARM_BEAT_S": "1",
        "GRADEFARM_QUEUE_SLOT_S": "10",
    }
    with bench_farm(root / "home", extra, slots=0) as farm:
        database = open_database(farm.settings.database_url)
        yield Bench(farm, database)
        for process in farm.processes.values():
            if process.poll() is None:
                process.kill()
        database.close()
    shutil.rmtree(root, ignore_errors=True)


def until(fact: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not fact():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.1)


def asleep(word: str) -> list[psutil.Process]:
    """The sandboxed processes that were started as `sleep <word>`."""
    return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", word]]


def end(process: "subprocess.Popen[bytes]", *numbers: signal.Signals) -> int:
    for number in numbers:
        process.send_signal(number)
        time.sleep(0.3)
    return process.wait(PATIENCE_S)


def test_a_worker_that_is_told_to_end_finishes_what_it_has(bench: Bench) -> None:
    worker = bench.work("gentle")
    campaign = bench.ask("sleep 4.01; echo x > r.txt", "sleep 0.01")
    until(lambda: asleep("4.01"))
    alive = bench.farm.settings.home / "worker" / "gentle@here.alive"
    assert time.time() - alive.stat().st_mtime < 30
    assert end(worker, signal.SIGTERM) == 0
    assert not alive.exists()
    first = next(run for run in bench.runs(campaign) if run.system == "s0")
    assert [one.ending for one in bench.attempts(first)][:1] == [AttemptEnding.OK]
    assert AttemptEnding.INTERRUPTED not in {e for _, e in bench.counted(campaign)}
    bench.work("next")
    until(lambda: bench.ended(campaign))
    assert bench.counted(campaign) == {("agent", "ok"): 2, ("grade", "ok"): 2}
    assert end(bench.farm.processes["next"], signal.SIGTERM) == 0


def test_what_lasts_too_long_is_handed_back_and_no_sandbox_is_left(bench: Bench) -> None:
    worker = bench.work("hasty")
    campaign = bench.ask("sleep 600.02")
    until(lambda: asleep("600.02"))
    assert end(worker, signal.SIGTERM, signal.SIGTERM) == 0
    assert not asleep("600.02")
    (run,) = bench.runs(campaign)
    assert run.state in (RunState.PLANNED, RunState.AGENT_QUEUED)
    (attempt,) = bench.attempts(run)
    assert attempt.ending is AttemptEnding.INTERRUPTED
    bench.cancel(campaign)
    worker = bench.work("graceless", GRADEFARM_SHUTDOWN_S="1")
    campaign = bench.ask("sleep 600.03")
    until(lambda: asleep("600.03"))
    assert end(worker, signal.SIGTERM) == 0
    assert not asleep("600.03")
    assert bench.counted(campaign) == {("agent", "interrupted"): 1}
    bench.cancel(campaign)


def test_pausing_now_stops_what_is_at_work(bench: Bench) -> None:
    worker = bench.work("paused")
    campaign = bench.ask("sleep 600.04")
    until(lambda: asleep("600.04"))
    pause_campaign(bench.database, campaign)
    assert interrupt_work(bench.database, campaign, SystemClock()) == (1, 0)
    until(lambda: not asleep("600.04"))
    assert bench.counted(campaign) == {("agent", "interrupted"): 1}
    bench.cancel(campaign)
    # The worker goes on.
    campaign = bench.ask("sleep 0.05")
    until(lambda: bench.ended(campaign))
    assert end(worker, signal.SIGTERM) == 0


def test_a_killed_worker_leaves_no_sandbox_and_a_poison_run_ends_void(bench: Bench) -> None:
    worker = bench.work("victim")
    campaign = bench.ask("sleep 600.06", "sleep 0.06", max_attempts=2)
    until(lambda: asleep("600.06"))
    worker.kill()
    worker.wait()
    until(lambda: not asleep("600.06"))
    worker = bench.work("second")
    until(lambda: asleep("600.06"))
    child = next(p for p in asleep("600.06")[0].parents() if p.ppid() == worker.pid)
    child.kill()
    until(lambda: bench.ended(campaign))
    poison, other = sorted(bench.runs(campaign), key=lambda run: run.system)
    assert (poison.state, poison.void_category) == (RunState.VOID, VoidCategory.WORKER_LOST)
    assert other.state is RunState.GRADED
    assert not asleep("600.06")
    assert "worker_lost (blamed: worker)" in bench.say("runs", "show", str(poison.id))
    assert end(worker, signal.SIGTERM) == 0


def test_a_rolling_restart_loses_nothing_and_burns_no_try(bench: Bench) -> None:
    campaign = bench.ask("sleep 1.5", repeats=8)
    for name in ("one", "two"):
        bench.work(name)
    for number, name in enumerate(("one", "two", "one", "two")):
        time.sleep(1)
        assert end(bench.farm.processes[name], signal.SIGTERM) == 0
        if number < 2:
            bench.work(name)
    bench.work("last")
    until(lambda: bench.ended(campaign))
    assert bench.counted(campaign) == {("agent", "ok"): 8, ("grade", "ok"): 8}
    assert end(bench.farm.processes["last"], signal.SIGTERM) == 0


def test_an_old_worker_takes_nothing_more_when_the_farm_moves_on(
    bench: Bench, tmp_path: Path
) -> None:
    old = _old_code(tmp_path / "old")
    environment = bench.farm.environment | {"PYTHONPATH": str(old)}
    _set_protocol(bench, OLD_PROTOCOL)
    assert bench.farm.processes["scheduler"].wait(PATIENCE_S) == 4
    bench.farm.environment, kept = environment, bench.farm.environment
    bench.farm.start("old-scheduler", "scheduler")
    old_worker = bench.work("old")
    campaign = bench.ask("sleep 6.07", "sleep 0.07", "sleep 0.08")
    until(lambda: asleep("6.07"))
    bench.farm.environment = kept
    assert "old@here speaks protocol 1" in bench.say("db", "upgrade")
    moved_on = time.time()
    assert bench.farm.processes["old-scheduler"].wait(PATIENCE_S) == 4
    assert old_worker.wait(PATIENCE_S) == 4
    bench.farm.start("scheduler", "scheduler")
    bench.work("new")
    until(lambda: bench.ended(campaign))
    assert bench.counted(campaign) == {("agent", "ok"): 3, ("grade", "ok"): 3}
    by_old = [a for r in bench.runs(campaign) for a in bench.attempts(r) if a.worker == "old@here"]
    assert by_old
    assert max(one.started_at for one in by_old) < moved_on + 1
    assert end(bench.farm.processes["new"], signal.SIGTERM) == 0


def _old_code(folder: Path) -> Path:
    """This code, but for the number of its protocol."""
    for package in ("models", "tasks_catalog", "workers", "scheduler"):
        ignored = shutil.ignore_patterns("__pycache__", "bundled")
        shutil.copytree(CODE / package, folder / package, ignore=ignored)
    file = folder / "models" / "protocol.py"
    text = file.read_text()
    file.write_text(text.replace("PROTOCOL = 2\n", f"PROTOCOL = {OLD_PROTOCOL}\n", 1))
    assert file.read_text() != text
    return folder


def _set_protocol(bench: Bench, protocol: int) -> None:
    with bench.database.transaction() as session:
        set_farm_protocol(session, protocol)


def test_a_broken_worker_beside_a_healthy_one_is_named_with_its_reason(bench: Bench) -> None:
    bench.work("broken", GRADEFARM_ARTIFACTS_URL="file:///dev/null/artifacts")
    campaign = bench.ask("sleep 0.09", repeats=6, max_attempts=20)

    def rests() -> bool:
        with bench.database.read() as session:
            return any(one.rests for one in list_workers(session) if one.name == "broken@here")

    until(rests)
    bench.work("healthy")
    until(lambda: bench.ended(campaign))
    assert {run.state for run in bench.runs(campaign)} == {RunState.GRADED}
    shown = bench.say("workers")
    assert "broken@here rests in plain after 3 void stages in a row, last" in shown
    with bench.database.read() as session:
        found = {one.name: one for one in list_workers(session)}
    assert found["healthy@here"].orders.duty is Duty.SERVE
    assert found["healthy@here"].rests == ()
    for name in ("broken", "healthy"):
        assert end(bench.farm.processes[name], signal.SIGTERM) == 0
