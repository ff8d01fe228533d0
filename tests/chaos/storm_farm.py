"""A farm of separate processes, each with lines, clock and disk of its own that can be broken."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from models.migrations.upgrade import upgrade_database
from models.storage.elections import office_holder
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database, open_database
from models.storage.workers import list_workers
from models.tables.attempts import AttemptRow
from models.verdicts import AttemptEnding
from scheduler.farm_log import FarmLog
from tests.chaos.servers import PostgreSqlServer, ValkeyServer, wait_until
from tests.chaos.shell_catalog import write_catalog
from tests.chaos.stepped_clock import SteppedClock, build_library, compiler
from tests.chaos.tcp_line import LineRoom, TcpLine

LEASE_S, BEAT_S, SLOT_S = 8.0, 2.0, 10.0
AGENTS, GRADERS, SLOTS, SCHEDULERS = 2, 2, 2, 2
DISK_MB = 96
STORE_MB = 320
START_AGAIN_AFTER_S = 0.5
WORKERS_UP_WITHIN_S = 120.0


class NoTarget(Exception):
    """There is nothing at the moment that a fault could hit; it has to be tried again."""


@dataclass
class FarmProcess:
    """One worker or scheduler; started again when it dies."""

    name: str
    words: tuple[str, ...]
    folder: Path
    environment: dict[str, str]
    database: TcpLine
    broker: TcpLine
    clock: SteppedClock | None
    process: subprocess.Popen[bytes] | None = None
    busy: threading.Lock = field(default_factory=threading.Lock)
    """Held while a fault has this process for its target."""

    @property
    def scratch(self) -> Path:
        """Where it keeps its workspaces: a small disk of its own, for root."""
        return self.folder / "scratch"

    @property
    def log(self) -> Path:
        """All that it said, whatever became of it."""
        return self.folder / "log"

    @property
    def pid(self) -> int:
        """Its main process; 0 where there is none."""
        return self.process.pid if self.process is not None else 0

    def start(self) -> None:
        """Start it, for the first time or again."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "scheduler.cli.main", *self.words],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def pool(self) -> list[psutil.Process]:
        """The processes that do its jobs."""
        with suppress(psutil.Error):
            main = psutil.Process(self.pid)
            return [child for child in main.children() if child.cmdline() == main.cmdline()]
        return []

    def tree(self) -> list[psutil.Process]:
        """It and everything that it started, sandboxes among them."""
        with suppress(psutil.Error):
            main = psutil.Process(self.pid)
            return [main, *main.children(recursive=True)]
        return []

    def kill(self) -> None:
        """End it and everything that it started, at once."""
        for process in reversed(self.tree()):
            with suppress(psutil.Error):
                process.kill()


class StormFarm:
    """Servers, two schedulers, workers for either stage; every process over lines of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.artifacts = root / "artifacts"
        self.has_disks = os.geteuid() == 0
        self.began_at = time.time()
        self._mounts: list[Path] = []
        self._library = build_library(root) if compiler() else None
        self.has_clocks = self._library is not None
        self.catalog = write_catalog(root / "catalog")
        self.postgresql = PostgreSqlServer(root)
        self.valkey = ValkeyServer(root)
        self._room = LineRoom()
        self._mount(self.artifacts, STORE_MB)
        roles = [("agent", AGENTS), ("grade", GRADERS)]
        self.workers = tuple(
            self._worker(role, number) for role, count in roles for number in range(1, count + 1)
        )
        self.schedulers = tuple(
            self._process(f"scheduler-{number}", ("scheduler",))
            for number in range(1, SCHEDULERS + 1)
        )
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._start_again, name="supervisor", daemon=True)
        self.database: Database

    @property
    def processes(self) -> tuple[FarmProcess, ...]:
        """All that are started again when they die."""
        return (*self.schedulers, *self.workers)

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a command on this farm, without any line between."""
        tasks, languages = self.catalog
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.root),
            "PYTHONSAFEPATH": "1",
            "GRADEFARM_HOME": str(self.root / "home"),
            "GRADEFARM_KEYS": str(self.root / "keys"),
            "GRADEFARM_DATABASE_URL": self.postgresql.url,
            "GRADEFARM_BROKER_URL": self.valkey.url,
            "GRADEFARM_ARTIFACTS_URL": f"file://{self.artifacts}",
            "GRADEFARM_CATALOG_PUBLIC": str(tasks),
            "GRADEFARM_CATALOG_SEALED": str(tasks),
            "GRADEFARM_LANGUAGES": str(languages),
            "GRADEFARM_LEASE_S": str(LEASE_S),
            "GRADEFARM_BEAT_S": str(BEAT_S),
            "GRADEFARM_QUEUE_SLOT_S": str(SLOT_S),
            "GRADEFARM_QUEUE_WINDOW": "24",
        }

    def _worker(self, role: str, number: int) -> FarmProcess:
        name = f"{role}-{number}"
        words = ("worker", "--role", role, "--name", name, "--concurrency", str(SLOTS))
        worker = self._process(name, words)
        self._mount(worker.scratch, DISK_MB)
        return worker

    def _process(self, name: str, words: tuple[str, ...]) -> FarmProcess:
        folder = self.root / name
        folder.mkdir()
        clock = SteppedClock(self._library, folder) if self._library else None
        database = self._room.line((self.postgresql.host, self.postgresql.port))
        broker = self._room.line((self.valkey.host, self.valkey.port))
        own = {
            "GRADEFARM_HOME": str(folder),
            "GRADEFARM_SCRATCH": str(folder / "scratch"),
            "GRADEFARM_DATABASE_URL": f"postgresql://farm@127.0.0.1:{database.port}/postgres",
            "GRADEFARM_BROKER_URL": f"redis://127.0.0.1:{broker.port}/0",
        }
        environment = self.settings | own | (clock.environment if clock else {})
        return FarmProcess(name, words, folder, environment, database, broker, clock)

    def _mount(self, folder: Path, size_mb: int) -> None:
        folder.mkdir()
        if self.has_disks:
            options = f"size={size_mb}m,mode=755"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)
            self._mounts.append(folder)

    def start(self) -> None:
        """Start everything; returns when runs can be worked on."""
        self.postgresql.start()
        self.valkey.start()
        upgrade_database(self.postgresql.url)
        self.database = open_database(self.postgresql.url, answer_s=20)
        FarmLog(self.database, KeyFolder(self.root / "keys")).begin_now()
        for each in self.processes:
            each.start()
        self._watch.start()
        wait_until(self._is_up, "the workers", WORKERS_UP_WITHIN_S)

    def _is_up(self) -> bool:
        with self.database.read() as session:
            up = {record.name.partition("@")[0] for record in list_workers(session)}
        return up >= {worker.name for worker in self.workers} and self.in_office() is not None

    def in_office(self) -> FarmProcess | None:
        """The active scheduler."""
        with self.database.read() as session:
            holder = office_holder(session, time.time())
        pid = int(holder.split(":")[1]) if holder else -1
        return next((each for each in self.schedulers if each.pid == pid), None)

    def is_at_work(self, worker: FarmProcess) -> bool:
        """Whether it has a stage in hand; the database may be away, and then nobody knows."""
        name = func.split_part(AttemptRow.worker, "@", 1) == worker.name
        running = select(AttemptRow.id).where(name, AttemptRow.ending == AttemptEnding.RUNNING)
        with suppress(SQLAlchemyError), self.database.read() as session:
            return session.execute(running.limit(1)).first() is not None
        return False

    def _start_again(self) -> None:
        while not self._stopping.wait(START_AGAIN_AFTER_S):
            for each in self.processes:
                if each.process is not None and each.process.poll() is not None:
                    each.start()

    def stop_processes(self, patience_s: float = 30.0) -> list[str]:
        """End workers and schedulers in order; what does not end is killed, and named."""
        self._stopping.set()
        if self._watch.is_alive():
            self._watch.join()
        for each in self.processes:
            for process in each.tree():
                with suppress(psutil.Error):
                    process.send_signal(signal.SIGCONT)
            if each.process is not None:
                each.process.terminate()
        give_up = time.monotonic() + patience_s
        killed: list[str] = []
        for each in self.processes:
            if each.process is None:
                continue
            try:
                each.process.wait(max(0.1, give_up - time.monotonic()))
            except subprocess.TimeoutExpired:
                killed.append(f"{each.name} did not end within {patience_s:g} s")
                each.kill()
        return killed

    def close(self) -> None:
        """Leave nothing behind, whatever happened."""
        for each in self.processes:
            each.kill()
        self.stop_processes(patience_s=10.0)
        if hasattr(self, "database"):
            self.database.close()
        self.postgresql.stop()
        self.valkey.stop()
        self._room.close()
        for folder in reversed(self._mounts):
            subprocess.run(["umount", "-l", folder], check=False)


def eventually(fact: Callable[[], bool], patience_s: float) -> bool:
    """Whether `fact()` became true within `patience_s`."""
    with suppress(TimeoutError):
        wait_until(fact, "", patience_s)
        return True
    return False
