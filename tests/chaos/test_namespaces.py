"""Four workers on hosts of their own; one is cut off in the middle of its runs."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from models.clock import SystemClock
from models.migrations.upgrade import upgrade_database
from models.schemas.run import Stage
from models.storage.campaigns import campaign_progress
from models.storage.transaction import Database, open_database
from models.storage.workers import list_workers
from models.tables.attempts import AttemptRow
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from tests.chaos.ledger import read_ledger
from tests.chaos.network import Network
from tests.chaos.planted_systems import good_campaign
from tests.chaos.servers import PostgreSqlServer, ValkeyServer, wait_until
from tests.chaos.shell_catalog import write_catalog
from tests.chaos.storm import storm_root
from tests.conftest import miss

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

WORKERS = ("north", "east", "south", "west")
RUNS = 60
UP_WITHIN_S, DONE_WITHIN_S = 180.0, 400.0
OTHERS_WITHIN_S, SEEN_WITHIN_S = 120.0, 120.0


class SpreadFarm:
    """PostgreSQL and Valkey on one host, a scheduler and four workers on one each."""

    def __init__(self, root: Path, network: Network) -> None:
        self.root, self.network = root, network
        address = network.host("services")
        within = network.within("services")
        self.postgresql = PostgreSqlServer(root, address, within)
        self.valkey = ValkeyServer(root, address, within)
        self.catalog = write_catalog(root / "catalog")
        self.artifacts = root / "artifacts"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.database: Database

    def start(self) -> None:
        self.postgresql.start()
        self.valkey.start()
        upgrade_database(self.postgresql.local_url)
        self.database = open_database(self.postgresql.local_url)
        self._start("head", "scheduler")
        for name in WORKERS:
            self._start(name, "worker", "--role", "all", "--name", name, "--concurrency", "2")
        wait_until(self._are_up, "four workers", UP_WITHIN_S)

    def _are_up(self) -> bool:
        with self.database.read() as session:
            return len(list_workers(session)) == len(WORKERS)

    def _start(self, host: str, *words: str) -> None:
        self.network.host(host)
        folder = self.root / host
        folder.mkdir()
        tasks, languages = self.catalog
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(folder),
            "PYTHONSAFEPATH": "1",
            "GRADEFARM_HOME": str(folder),
            "GRADEFARM_SCRATCH": str(folder / "scratch"),
            "GRADEFARM_DATABASE_URL": self.postgresql.url,
            "GRADEFARM_BROKER_URL": self.valkey.url,
            "GRADEFARM_ARTIFACTS_URL": f"file://{self.artifacts}",
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
            "GRADEFARM_LEASE_S": "4",
            "GRADEFARM_BEAT_S": "1",
            "GRADEFARM_QUEUE_SLOT_S": "10",
            "GRADEFARM_QUEUE_WINDOW": "16",
        }
        command = [*self.network.within(host), sys.executable, "-m", "scheduler.cli.main", *words]
        with (folder / "log").open("wb") as log:
            self.processes[host] = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def attempts(self, **wanted: object) -> list[Any]:
        asked = select(AttemptRow.__table__).filter_by(**wanted).order_by(AttemptRow.id)
        with self.database.read() as session:
            return list(session.execute(asked).all())

    def close(self) -> None:
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if hasattr(self, "database"):
            self.database.close()
        self.postgresql.stop()
        self.valkey.stop()


@pytest.fixture
def farm() -> Iterator[SpreadFarm]:
    if missing := Network.missing():
        miss(missing)
    root, network = storm_root(), Network()
    try:
        spread = SpreadFarm(root, network)
        try:
            spread.start()
            yield spread
        finally:
            spread.close()
    finally:
        network.close()
        shutil.rmtree(root, ignore_errors=True)


def _at_work(farm: SpreadFarm, worker: str) -> list[Any]:
    return farm.attempts(worker=worker, stage=Stage.AGENT, ending=AttemptEnding.RUNNING)


def test_a_host_that_is_cut_off_in_mid_run_loses_nothing_and_its_late_writes_are_refused(
    farm: SpreadFarm,
) -> None:
    tasks, languages = farm.catalog
    campaign = start_campaign(
        farm.database,
        open_catalog(tasks, tasks, languages),
        good_campaign("spread", RUNS),
        SystemClock(),
        unproven=True,
    )
    names = {name: _full_name(farm, name) for name in WORKERS}
    cut_off = names["north"]
    wait_until(lambda: bool(_at_work(farm, cut_off)), "work on the host to cut off")
    farm.network.cut("north")
    left_behind = {each.id for each in _at_work(farm, cut_off)}
    assert left_behind

    def lost() -> bool:
        found = farm.attempts(worker=cut_off, ending=AttemptEnding.LOST)
        return left_behind <= {each.id for each in found}

    wait_until(lost, "the leases of the host that was cut off to end", OTHERS_WITHIN_S)
    farm.network.mend("north")

    def refused() -> bool:
        return bool(farm.attempts(worker=cut_off, ending=AttemptEnding.FENCED))

    wait_until(refused, "its late write to be refused", SEEN_WITHIN_S)

    def over() -> bool:
        with farm.database.read() as session:
            progress = campaign_progress(session, campaign)
        return progress.ended == progress.total

    wait_until(over, "the end of the campaign", DONE_WITHIN_S)
    ledger = read_ledger(farm.database, f"file://{farm.artifacts}")
    assert (ledger.lost, ledger.twice, ledger.wrong, ledger.broken) == ([], [], [], [])
    assert ledger.runs == RUNS
    not_well = [each for each in ledger.attempts if each.ending is not AttemptEnding.OK]
    assert {each.worker for each in not_well} == {cut_off}
    assert {each.category for each in not_well if each.category} <= {
        VoidCategory.WORKER_LOST,
        VoidCategory.LEASE_EXPIRED,
    }
    done_by = {each.worker for each in ledger.attempts if each.ending is AttemptEnding.OK}
    assert done_by >= set(names.values()) - {cut_off}


def _full_name(farm: SpreadFarm, name: str) -> str:
    with farm.database.read() as session:
        return next(
            worker.name for worker in list_workers(session) if worker.name.partition("@")[0] == name
        )


def test_nothing_of_a_network_stays_when_it_is_closed() -> None:
    if missing := Network.missing():
        miss(missing)
    network = Network()
    network.host("alone")
    network.close()
    time.sleep(0.1)
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert f"gf{os.getpid() % 100_000}-" not in listed.stdout
