"""Kill anything, empty the broker, again and again: every run still counts exactly once."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from models.schemas.campaign_progress import CampaignProgress
from models.storage.campaigns import campaign_progress
from models.storage.runs import attempts_of
from models.storage.transaction import open_database
from models.verdicts import AttemptEnding, VoidCategory
from tests.benchmarks.trivial_catalog import write_catalog

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(540)]

RUNS = 200
BROKER_LOSSES = 2
KILL_EVERY_S = 3.0
PATIENCE_S = 420
GRADEFARM = str(Path(sys.executable).parent / "gradefarm")

CAMPAIGN = f"""
name = "hunted"
tasks = ["trivial-12"]
languages = ["plain"]
repeats = {RUNS}

[[systems]]
name = "sleeper"
agent = "scripted"
settings = {{ actions = ["sleep 0.3", "echo worked > result.txt"] }}

[policy]
max_attempts = 20
"""


@pytest.fixture
def farm(tmp_path: Path) -> Iterator["HuntedFarm"]:
    hunted = HuntedFarm(Path("/var/tmp") / f"gradefarm-test-{os.getpid()}")
    try:
        yield hunted
    finally:
        hunted.close()


class HuntedFarm:
    """`gradefarm up` in a home of its own, with short leases."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(mode=0o755)
        tasks, languages = write_catalog(root / "catalog", (12,))
        self.home = root / "home"
        self.environment = dict(os.environ) | {
            "GRADEFARM_HOME": str(self.home),
            "GRADEFARM_SCRATCH": str(root / "scratch"),
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
            "GRADEFARM_LEASE_S": "4",
            "GRADEFARM_BEAT_S": "1",
            "GRADEFARM_QUEUE_SLOT_S": "15",
        }
        self.database = open_database(f"sqlite:///{self.home / 'farm.db'}")
        self.log = (root / "up.log").open("wb")
        self.up = subprocess.Popen(
            [GRADEFARM, "up", "--slots", "2", "--no-flower"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [GRADEFARM, *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def progress(self, campaign: str) -> CampaignProgress:
        with self.database.read() as session:
            return campaign_progress(session, campaign)

    def processes(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self.up.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def with_words(self, *words: str) -> list[psutil.Process]:
        found: list[psutil.Process] = []
        for process in self.processes():
            try:
                line = " ".join(process.cmdline())
            except psutil.Error:
                continue
            if all(word in line for word in words):
                found.append(process)
        return found

    def empty_the_broker(self) -> bool:
        """Kill the broker so that it comes back without its memory."""
        brokers = self.with_words("-server")
        if not brokers:
            return False
        shutil.rmtree(self.home / "broker" / "appendonlydir", ignore_errors=True)
        return _kill(brokers[0])

    def close(self) -> None:
        self.up.terminate()
        try:
            self.up.wait(40)
        except subprocess.TimeoutExpired:
            self.up.kill()
        self.log.close()
        self.database.close()
        shutil.rmtree(self.root, ignore_errors=True)


def _kill(process: psutil.Process) -> bool:
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.NoSuchProcess:
        return False
    return True


def _wait_for_the_farm(farm: HuntedFarm) -> None:
    give_up = time.monotonic() + 90
    while b"ready" not in (farm.root / "up.log").read_bytes():
        assert farm.up.poll() is None, (farm.root / "up.log").read_text()
        assert time.monotonic() < give_up, (farm.root / "up.log").read_text()
        time.sleep(0.2)


def _start(farm: HuntedFarm) -> str:
    campaign_file = farm.root / "hunted.toml"
    campaign_file.write_text(CAMPAIGN)
    started = farm.command("campaign", "start", str(campaign_file), "--unproven", "--json")
    assert started.returncode == 0, started.stderr
    return json.loads(started.stdout)["id"]


def _hunt(farm: HuntedFarm, campaign: str, dice: random.Random) -> Counter[str]:
    """Kill something every few seconds until every run has ended; returns what was hit."""
    hits: Counter[str] = Counter()
    prey = [
        ("agent worker", ("worker", "--role agent")),
        ("grade worker", ("worker", "--role grade")),
        ("scheduler", ("scheduler.cli.main scheduler",)),
    ]
    give_up = time.monotonic() + PATIENCE_S
    step = 0
    while True:
        progress = farm.progress(campaign)
        ended = progress.ended
        if ended >= RUNS:
            return hits
        assert time.monotonic() < give_up, f"{progress}\n{(farm.root / 'up.log').read_text()}"
        if hits["broker"] < BROKER_LOSSES and ended >= RUNS * (hits["broker"] + 1) // 4:
            hits["broker"] += farm.empty_the_broker()
        else:
            name, words = prey[step % len(prey)]
            step += 1
            victims = farm.with_words(*words)
            if victims:
                hits[name] += _kill(dice.choice(victims))
        time.sleep(KILL_EVERY_S)


def test_every_run_ends_graded_exactly_once_whatever_is_killed(farm: HuntedFarm) -> None:
    _wait_for_the_farm(farm)
    campaign = _start(farm)
    hits = _hunt(farm, campaign, random.Random(20261130))
    assert hits["broker"] == BROKER_LOSSES
    assert min(hits["agent worker"], hits["grade worker"], hits["scheduler"]) >= 2, hits

    progress = farm.progress(campaign)
    assert (progress.total, progress.passed, progress.voids) == (RUNS, RUNS, {}), progress
    listed = farm.command("runs", "list", "--campaign", campaign, "--limit", "1000", "--json")
    runs = json.loads(listed.stdout)["runs"]
    assert len({run["id"] for run in runs}) == RUNS
    assert {run["state"] for run in runs} == {"graded"}

    endings: Counter[AttemptEnding] = Counter()
    with farm.database.read() as session:
        for run in runs:
            attempts = attempts_of(session, int(run["id"]))
            done = Counter(a.stage for a in attempts if a.ending is AttemptEnding.OK)
            assert set(done.values()) == {1}, attempts
            assert len(done) == 2, attempts
            endings.update(a.ending for a in attempts)
            for attempt in attempts:
                if attempt.ending is AttemptEnding.LOST:
                    assert attempt.category is VoidCategory.WORKER_LOST
    assert endings[AttemptEnding.OK] == 2 * RUNS
    assert endings[AttemptEnding.RUNNING] == 0
    assert endings[AttemptEnding.LOST] >= 2, endings
    print(f"hits {dict(hits)}, attempts {dict(endings)}")
