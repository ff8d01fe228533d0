"""What a no-op run costs the farm beside a backlog of any size, and what it costs Celery alone.

For each size a farm of its own (SQLite, the embedded Valkey, the real scheduler) plans that many
runs of ten systems; then two real Celery workers take so many of them through claim and finish
of both stages, with no work between. In the same call as many messages, two for each run (of the
first 20,000), go through plain Celery with the same settings on the same kind of broker (a job
that only counts itself). Processor time, not wall time: of scheduler, workers and broker, as far
as it was used between the first and the last run that is counted. The database is part of the
processes that use it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from models.messaging.job_sender import JobSender
from models.messaging.messages import StageMessage
from models.schemas.campaign import CampaignKind
from models.schemas.run import Stage
from models.storage.campaigns import campaign_progress, list_campaigns
from models.storage.transaction import Database, open_database
from tests.benchmarks.farm_processes import BenchFarm, bench_farm
from tests.benchmarks.noop_worker import COUNTER, broker_client
from tests.benchmarks.trivial_catalog import LANGUAGE_ID, write_catalog

PROCESSES = 2
WARM_UP = 100
MOST_PLAIN = 20_000
"""What a message costs Celery does not depend on how many there were."""
PATIENCE_S = 6 * 3_600.0
COLUMNS = (
    "waiting runs",
    "planned a second (CPU)",
    "planner peak MiB",
    "database bytes a waiting run",
    "drained",
    "scheduler CPU ms a run",
    "workers CPU ms a run",
    "broker CPU ms a run",
    "sum",
    "scheduler MiB",
    "broker MiB",
    "messages in the broker at the end",
    "plain Celery: workers, sender, broker CPU ms a run",
    "sum",
)


def measure(sizes: tuple[tuple[int, int], ...]) -> str:
    """One row for each size of backlog with the number of its runs that are drained."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
    for size, drained in sizes:
        lines.append(_row(size, drained))
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def _row(size: int, drained: int) -> str:
    root = Path(tempfile.mkdtemp(prefix="gradefarm-bench-", dir="/var/tmp"))
    root.chmod(0o755)
    try:
        tasks, languages = write_catalog(root / "catalog", (1,))
        variables = {
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
            "GRADEFARM_SCRATCH": str(root / "scratch"),
        }
        with bench_farm(root / "home", variables, 0) as bench:
            planned = _plan(bench, size)
            counted, told = _drain(bench, size, drained)
            cells = [f"{size:,}", *planned, f"{counted:,}", *told]
        with bench_farm(root / "plain", variables, 0) as bench:
            cells += _plain(bench, min(counted, MOST_PLAIN))
        return "| " + " | ".join(cells) + " |"
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _plan(bench: BenchFarm, size: int) -> list[str]:
    """Runs planned in a second of the planner, its peak memory, and bytes of database a run."""
    before = os.times()
    words = [sys.executable, "-m", "tests.benchmarks.planning", str(size)]
    planner = subprocess.run(
        words, env=bench.environment, capture_output=True, text=True, check=True
    )
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    _, peak = (float(word) for word in planner.stdout.split())
    return [f"{size / used:,.0f}", f"{peak:.0f}", f"{_database_bytes(bench) / size:.0f}"]


def _database_bytes(bench: BenchFarm) -> int:
    return sum(path.stat().st_size for path in bench.settings.home.glob("farm.db*"))


def _drain(bench: BenchFarm, size: int, runs: int) -> tuple[int, list[str]]:
    """How many were counted, of those after the first: all that are left at most.

    And of these: processor milliseconds a run by process, and what they hold in memory meanwhile.
    """
    database = open_database(bench.settings.database_url)
    with database.read() as session:
        [campaign] = list_campaigns(session)
    assert campaign.kind is CampaignKind.EVALUATION
    _serve(bench, "farm")
    begun = _until(lambda: _passed(database, campaign.id), WARM_UP, bench)
    before = bench.cpu_s()
    ended = _until(lambda: _passed(database, campaign.id), min(begun + runs, size), bench)
    after = bench.cpu_s()
    most = _messages(bench)
    memory = bench.memory_mib()
    database.close()
    parts = [
        (after[name] - before[name]) / (ended - begun) * 1_000
        for name in ("scheduler", "worker", "broker")
    ]
    return ended - begun, [
        *(f"{part:.2f}" for part in parts),
        f"{sum(parts):.2f}",
        f"{memory['scheduler']:.0f}",
        f"{memory['broker']:.1f}",
        str(most),
    ]


def _plain(bench: BenchFarm, runs: int) -> list[str]:
    """The same for messages that ask for nothing: two for each run, since a run has two stages."""
    _serve(bench, "plain")
    client = broker_client(bench.settings)
    counted: Callable[[], int] = lambda: int(client.get(COUNTER) or 0) // 2  # noqa: E731
    sender = JobSender(bench.settings.broker_url, (LANGUAGE_ID,))
    sender.send(_messages_of(range(WARM_UP)))
    begun = _until(counted, WARM_UP, bench)
    own, before = time.process_time(), bench.cpu_s()
    for first in range(0, runs, 500):
        sender.send(_messages_of(range(first, min(runs, first + 500))))
    own = time.process_time() - own
    _until(counted, begun + runs, bench)
    after = bench.cpu_s()
    sender.close()
    parts = [
        (after["worker"] - before["worker"]) / runs * 1_000,
        own / runs * 1_000,
        (after["broker"] - before["broker"]) / runs * 1_000,
    ]
    return [", ".join(f"{part:.2f}" for part in parts), f"{sum(parts):.2f}"]


def _messages_of(runs: range) -> list[StageMessage]:
    return [
        StageMessage(
            run_id=run + 1,
            stage=stage,
            token_hint=0,
            agent="scripted",
            system="no-op",
            task="trivial-1",
            language=LANGUAGE_ID,
            repeat=1,
        )
        for run in runs
        for stage in Stage
    ]


def _serve(bench: BenchFarm, kind: str) -> None:
    log = (bench.settings.home / "noop.log").open("wb")
    bench.processes["worker"] = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.noop_worker", kind, str(PROCESSES)],
        env=bench.environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )


def _until(count: Callable[[], int], wanted: int, bench: BenchFarm) -> int:
    """Wait until so many are done; returns how many are. Raises where a process has ended."""
    give_up = time.monotonic() + PATIENCE_S
    while (done := count()) < wanted:
        for name, process in bench.processes.items():
            if process.poll() is not None:
                raise RuntimeError(f"the {name} has ended; see its log in {bench.settings.home}")
        if time.monotonic() > give_up:
            raise TimeoutError(f"only {done} of {wanted} runs were done")
        time.sleep(0.5)
    return done


def _passed(database: Database, campaign_id: str) -> int:
    with database.read() as session:
        return campaign_progress(session, campaign_id).passed


def _messages(bench: BenchFarm) -> int:
    client = broker_client(bench.settings)
    lists = [key for key in client.scan_iter() if client.type(key) == b"list"]
    return sum(int(client.llen(key)) for key in lists)
