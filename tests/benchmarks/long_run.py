"""One run as long as asked, while its broker is killed three times and its scheduler once.

The system sleeps. Broker and scheduler get SIGKILL and start again; after each, a short campaign
shows that the farm serves others meanwhile. The long run must be executed once and counted once.
"""

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec
from models.schemas.run import ENDS
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.storage.runs import attempts_of, list_runs
from models.storage.transaction import Database, open_database
from scheduler.campaign_lifecycle import start_campaign
from scheduler.embedded_farm.broker import broker_command, find_broker_binary
from tasks_catalog.catalog import open_catalog
from tests.benchmarks.farm_processes import BenchFarm, bench_farm
from tests.benchmarks.trivial_catalog import write_catalog

FAULTS = ((0.15, "broker"), (0.4, "broker"), (0.65, "broker"), (0.85, "scheduler"))
"""When, as a part of the run's length, and what is killed."""
SHORT_PATIENCE_S = 120.0


@dataclass
class Watched:
    """One farm with its long run, and what happened to them."""

    farm: BenchFarm
    database: Database
    began: float = field(default_factory=time.monotonic)
    story: list[str] = field(default_factory=list[str])

    def say(self, what: str) -> None:
        """Note what happened, with the seconds since the beginning."""
        self.story.append(f"| {time.monotonic() - self.began:7.0f} | {what} |")
        print(self.story[-1], flush=True)

    def start(self, name: str, seconds: int) -> str:
        """Start a campaign of one run whose system sleeps for so long; the campaign's id."""
        settings = self.farm.settings
        spec = CampaignSpec.model_validate(
            {
                "name": name,
                "tasks": ["trivial-1"],
                "languages": ["plain"],
                "repeats": 1,
                "limits": {"agent_wall_s": seconds + 600},
                "systems": [
                    {
                        "name": name,
                        "agent": "scripted",
                        "settings": {"actions": [f"sleep {seconds}; echo worked > result.txt"]},
                    }
                ],
            }
        )
        catalog = open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)
        return start_campaign(self.database, catalog, spec, SystemClock(), unproven=True)

    def only_run(self, campaign: str) -> tuple[RunView, list[AttemptView]]:
        """The one run of a campaign, with its attempts."""
        with self.database.read() as session:
            (run,) = list_runs(session, RunFilter(campaign_id=campaign))
            return run, attempts_of(session, run.id)

    def has_ended(self, campaign: str) -> bool:
        """Whether the one run of a campaign has ended."""
        return self.only_run(campaign)[0].state in ENDS

    def kill_and_start(self, name: str) -> None:
        """SIGKILL a process of the farm and start it again."""
        process = self.farm.processes[name]
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(2)
        if name == "scheduler":
            self.farm.start("scheduler", "scheduler")
        else:
            self.farm.processes[name] = subprocess.Popen(
                broker_command(find_broker_binary().path, self.farm.settings.home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )


def measure(seconds: int) -> tuple[str, bool]:
    """The story as a table, and whether the run was executed once and counted once."""
    with tempfile.TemporaryDirectory(prefix="gradefarm-long-", dir="/var/tmp") as name:
        root = Path(name)
        root.chmod(0o755)
        tasks, languages = write_catalog(root / "catalog", (1,))
        extra = {
            "GRADEFARM_SCRATCH": str(root / "scratch"),
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
        }
        with bench_farm(root / "home", extra, slots=2) as farm:
            database = open_database(farm.settings.database_url)
            try:
                return _watch(Watched(farm, database), seconds)
            finally:
                database.close()


def _watch(watched: Watched, seconds: int) -> tuple[str, bool]:
    lease = watched.farm.settings.lease
    long = watched.start("long", seconds)
    watched.say(f"a run of {seconds} s starts; leases of {lease.lease_s:g} s")
    for number, (share, victim) in enumerate(FAULTS, start=1):
        while time.monotonic() - watched.began < share * seconds:
            time.sleep(0.2)
        watched.kill_and_start(victim)
        watched.say(f"SIGKILL of the {victim}, started again after 2 s")
        short = watched.start(f"short-{number}", 0)
        served = _within(SHORT_PATIENCE_S, lambda short=short: watched.has_ended(short))
        watched.say(f"a short run beside it {'was graded' if served else 'DID NOT END'}")
    _within(seconds + 300, lambda: watched.has_ended(long))
    run, attempts = watched.only_run(long)
    tried = ", ".join(f"{one.stage} {one.number}: {one.ending}" for one in attempts)
    watched.say(f"the long run is {run.state} ({run.verdict}); attempts: {tried}")
    once = [(one.stage.value, one.ending.value) for one in attempts]
    held = attempts[0].ended_at - attempts[0].started_at if attempts[0].ended_at else 0.0
    watched.say(f"its agent stage lasted {held:.0f} s under one lease")
    good = once == [("agent", "ok"), ("grade", "ok")] and "NOT" not in "".join(watched.story)
    return "\n".join(["| second | what |", "| ---: | --- |", *watched.story]), good


def _within(patience_s: float, fact: Callable[[], bool]) -> bool:
    give_up = time.monotonic() + patience_s
    while not fact():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.5)
    return True
