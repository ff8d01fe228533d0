"""What the farm costs beyond the bare work of a run.

The floor does the same work in the same sandbox driver and nothing else: a fresh workspace, one
sandboxed no-op agent, so many sandboxed checks, the answer compared, one database row; no queue,
no lease, no snapshot, no record. Floor and farm take turns in one call, so that a drifting machine
hits both.
"""

import multiprocessing
import os
import shutil
import sqlite3
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec, SystemSpec
from models.storage.campaigns import campaign_progress
from models.storage.transaction import open_database
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from tests.benchmarks.farm_processes import BenchFarm, bench_farm, tree_cpu
from tests.benchmarks.trivial_catalog import write_catalog
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.selection import select_sandbox

WARM_UP_RUNS = 10

LIMITS = Limits(
    wall_s=10,
    cpu_s=10,
    memory_bytes=512 << 20,
    processes=128,
    output_bytes=1 << 20,
    disk_bytes=64 << 20,
    files=10_000,
)


@dataclass(frozen=True)
class Cost:
    """Of one graded run: processor milliseconds, and wall milliseconds at this parallelism."""

    cpu_ms: float
    wall_ms: float


def floor(starter: Path, scratch: Path, checks: int, runs: int, workers: int) -> Cost:
    """The bare work, by so many processes."""
    context = multiprocessing.get_context("spawn")
    share = runs // workers
    gate = context.Barrier(workers + 1)
    queue = context.Queue()
    processes = [
        context.Process(target=_floor_process, args=(starter, scratch, checks, share, gate, queue))
        for n in range(workers)
    ]
    for process in processes:
        process.start()
    gate.wait(120)
    begun = time.monotonic()
    cpu = sum(queue.get(timeout=600) for _ in processes)
    wall = time.monotonic() - begun
    for process in processes:
        process.join(30)
    done = share * workers
    return Cost(cpu / done * 1000, wall / done * 1000)


def _floor_process(starter, scratch, checks, runs, gate, queue) -> None:
    sandbox = select_sandbox(scratch, allow_unisolated=False)
    database = sqlite3.connect(scratch / f"floor-{os.getpid()}.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE result (run INTEGER PRIMARY KEY, passed INTEGER)")
    _floor_run(sandbox, starter, checks)
    gate.wait(120)
    before = tree_cpu(os.getpid())
    for run in range(runs):
        passed = _floor_run(sandbox, starter, checks)
        database.execute("INSERT INTO result VALUES (?, ?)", (run, passed))
    queue.put(tree_cpu(os.getpid()) - before)
    sandbox.close()


def _floor_run(sandbox, starter: Path, checks: int) -> bool:
    with sandbox.fresh_workspace(starter) as workspace:
        sandbox.run(_request(("/bin/true",), workspace.mount()))
        mount = Mount(workspace.merged, "/work", "ro")
        answers = [sandbox.run(_request(("/bin/echo", "ready"), mount)) for _ in range(checks)]
        return all(a.exit_code == 0 and a.stdout == b"ready\n" for a in answers)


def _request(argv: tuple[str, ...], mount: Mount) -> SandboxRequest:
    return SandboxRequest(
        argv=argv,
        stdin=b"",
        env={"PATH": "/usr/bin:/bin"},
        mounts=(mount,),
        workdir="/work",
        limits=LIMITS,
        cancelled=lambda: False,
    )


def farm(bench: BenchFarm, checks: int, runs: int) -> tuple[Cost, dict[str, float]]:
    """The same runs through the farm; also processor milliseconds a run by process."""
    database = open_database(bench.settings.database_url)
    settings = bench.settings
    catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
    before = bench.cpu_s()
    begun = time.monotonic()
    campaign = start_campaign(database, catalog, _spec(checks, runs), SystemClock(), unproven=True)
    while True:
        with database.read() as session:
            progress = campaign_progress(session, campaign)
        if progress.ended >= runs:
            break
        time.sleep(0.05)
    wall = time.monotonic() - begun
    time.sleep(0.5)
    after = bench.cpu_s()
    parts = {name: (after[name] - before[name]) / runs * 1000 for name in after}
    if progress.passed != runs:
        raise RuntimeError(f"only {progress.passed} of {runs} runs passed: nothing was measured")
    return Cost(sum(parts.values()), wall / runs * 1000), parts


def _spec(checks: int, runs: int) -> CampaignSpec:
    return CampaignSpec(
        name=f"trivial-{checks}",
        tasks=(f"trivial-{checks}",),
        languages=("plain",),
        repeats=runs,
        systems=(SystemSpec(name="no-op", agent="scripted", settings={"actions": ["true"]}),),
    )


def measure(rounds: int, runs: int) -> str:
    """The whole comparison as a table in Markdown."""
    root = Path(tempfile.mkdtemp(prefix="gradefarm-bench-", dir="/var/tmp"))
    root.chmod(0o755)
    rows: list[str] = []
    try:
        tasks, languages = write_catalog(root / "catalog", (1, 12))
        variables = {
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
            "GRADEFARM_SCRATCH": str(root / "scratch"),
        }
        for workers in (1, 2):
            with bench_farm(root / f"home-{workers}", variables, workers) as bench:
                for checks in (1, 12):
                    starter = tasks / f"trivial-{checks}" / "public" / "plain"
                    rows.append(_compare(bench, root, starter, checks, runs, workers, rounds))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    head = (
        "| checks | workers | floor CPU ms | farm CPU ms | CPU ratio (min-max) | floor wall ms "
        "| farm wall ms | wall ratio | farm CPU by process |\n|" + " --- |" * 9
    )
    return "\n".join([head, *rows])


def _compare(
    bench: BenchFarm, root: Path, starter: Path, checks: int, runs: int, workers: int, rounds: int
) -> str:
    scratch = root / "floor-scratch"
    scratch.mkdir(exist_ok=True, mode=0o755)
    floors: list[Cost] = []
    farms: list[Cost] = []
    parts: list[dict[str, float]] = []
    # The floor does one run before it is measured, too: what both open once is in neither figure.
    farm(bench, checks, WARM_UP_RUNS * workers)
    for _ in range(rounds):
        floors.append(floor(starter, scratch, checks, runs, workers))
        cost, split = farm(bench, checks, runs)
        farms.append(cost)
        parts.append(split)
    cpu = [a.cpu_ms / b.cpu_ms for a, b in zip(farms, floors, strict=True)]
    wall = [a.wall_ms / b.wall_ms for a, b in zip(farms, floors, strict=True)]
    mid = statistics.median
    split = ", ".join(f"{name} {mid(p[name] for p in parts):.1f}" for name in parts[0])
    return (
        f"| {checks} | {workers} | {mid(c.cpu_ms for c in floors):.1f} "
        f"| {mid(c.cpu_ms for c in farms):.1f} | {mid(cpu):.2f} ({min(cpu):.2f}-{max(cpu):.2f}) "
        f"| {mid(c.wall_ms for c in floors):.1f} | {mid(c.wall_ms for c in farms):.1f} "
        f"| {mid(wall):.2f} | {split} |"
    )
