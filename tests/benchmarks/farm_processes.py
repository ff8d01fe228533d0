"""Starts the parts of a farm that a benchmark needs, and adds up what they have cost."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from models.migrations.upgrade import upgrade_database
from models.settings import Settings, read_settings
from models.storage.transaction import open_database
from models.storage.workers import list_workers
from scheduler.embedded_farm.broker import (
    broker_answers,
    broker_command,
    find_broker_binary,
    prepare_broker,
)


@dataclass
class BenchFarm:
    """Running processes by name, and the settings that they share."""

    settings: Settings
    environment: dict[str, str]
    processes: dict[str, subprocess.Popen[bytes]]

    def cpu_s(self) -> dict[str, float]:
        """Processor seconds so far of each named process with all its descendants.

        Counts what ended children had used, as far as their parents have waited for them.
        """
        return {name: tree_cpu(process.pid) for name, process in self.processes.items()}

    def memory_mib(self) -> dict[str, float]:
        """Unique memory of each named process with its descendants, in MiB."""
        return {name: tree_memory(process.pid) for name, process in self.processes.items()}

    def start(self, name: str, *words: str) -> None:
        """Start a command of gradefarm; its output goes to a log in the farm's home."""
        log = (self.settings.home / f"{name}.log").open("wb")
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", "scheduler.cli.main", *words],
            cwd=self.settings.home,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


@contextmanager
def bench_farm(home: Path, extra: dict[str, str], slots: int) -> Iterator[BenchFarm]:
    """Broker, scheduler, and one worker for both stages with so many slots; stopped at the end."""
    environment = dict(os.environ) | {"GRADEFARM_HOME": str(home), "PYTHONSAFEPATH": "1"} | extra
    home.mkdir(parents=True, mode=0o700)
    settings = read_settings(environment)
    farm = BenchFarm(settings, environment, {})
    try:
        prepare_broker(home)
        farm.processes["broker"] = subprocess.Popen(
            broker_command(find_broker_binary().path, home),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = Path(settings.broker_url.removeprefix("redis+socket://"))
        _wait(lambda: broker_answers(address), "the broker")
        upgrade_database(settings.database_url)
        farm.start("scheduler", "scheduler")
        if slots:
            farm.start("worker", "worker", "--role", "all", "--concurrency", str(slots))
            database = open_database(settings.database_url)
            _wait(lambda: _has_worker(database), "the worker")
        yield farm
    finally:
        for name in ("worker", "scheduler", "broker"):
            if (process := farm.processes.get(name)) is not None:
                process.terminate()
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()


def _has_worker(database: object) -> bool:
    with database.read() as session:  # type: ignore[attr-defined]
        return bool(list_workers(session, since=0.0))


def _wait(ready: object, what: str, patience_s: float = 120.0) -> None:
    give_up = time.monotonic() + patience_s
    while not ready():  # type: ignore[operator]
        if time.monotonic() > give_up:
            raise TimeoutError(f"{what} did not come up")
        time.sleep(0.05)


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def tree_cpu(pid: int) -> float:
    """Processor seconds of a process, its descendants, and the ended ones they waited for."""
    total = 0.0
    for process in _tree(pid):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def tree_memory(pid: int) -> float:
    """Memory that only this process and its descendants hold, in MiB."""
    total = 0
    for process in _tree(pid):
        try:
            total += process.memory_full_info().uss
        except psutil.NoSuchProcess:
            continue
    return total / 2**20
