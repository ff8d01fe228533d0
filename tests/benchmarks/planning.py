"""Plans and starts large campaigns: time, memory of the planner, size of the database, queue."""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec, SystemSpec
from models.storage.transaction import open_database
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from tests.benchmarks.farm_processes import bench_farm
from tests.benchmarks.trivial_catalog import write_catalog

SYSTEMS = 10
SETTLE_S = 6.0


def measure(sizes: tuple[int, ...]) -> str:
    """One row for each size, each in a farm of its own with a real broker and scheduler."""
    head = (
        "| runs | planned in s | runs a second | planner peak MiB | scheduler MiB "
        "| database MiB | bytes a run | messages in the broker | broker MiB |\n|" + " --- |" * 9
    )
    return "\n".join([head, *[_one(size) for size in sizes]])


def _one(size: int) -> str:
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
            words = [sys.executable, "-m", "tests.benchmarks.planning", str(size)]
            planner = subprocess.run(
                words, env=bench.environment, capture_output=True, text=True, check=True
            )
            took, peak = (float(word) for word in planner.stdout.split())
            time.sleep(SETTLE_S)
            memory = bench.memory_mib()
            messages = _messages(bench.settings.broker_url)
            home = root / "home"
            size_bytes = sum(path.stat().st_size for path in home.glob("farm.db*"))
            return (
                f"| {size:,} | {took:.1f} | {size / took:,.0f} | {peak:.0f} "
                f"| {memory['scheduler']:.0f} | {size_bytes / 2**20:.1f} "
                f"| {size_bytes / size:.0f} | {messages} | {memory['broker']:.1f} |"
            )
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _messages(broker_url: str) -> int:
    import redis

    client = redis.Redis(unix_socket_path=broker_url.removeprefix("redis+socket://"))
    lists = [key for key in client.scan_iter() if client.type(key) == b"list"]
    return sum(int(client.llen(key)) for key in lists)


def plan(size: int) -> tuple[float, float]:
    """Start a campaign of `size` runs in this process: (seconds, peak memory in MiB)."""
    from models.settings import current_settings

    settings = current_settings()
    catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
    spec = CampaignSpec(
        name=f"large-{size}",
        tasks=("trivial-1",),
        languages=("plain",),
        repeats=size // SYSTEMS,
        systems=tuple(
            SystemSpec(name=f"no-op-{n}", agent="scripted", settings={"actions": [f"exit {n}"]})
            for n in range(SYSTEMS)
        ),
    )
    begun = time.monotonic()
    start_campaign(
        open_database(settings.database_url), catalog, spec, SystemClock(), unproven=True
    )
    took = time.monotonic() - begun
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(*plan(int(sys.argv[1])))
