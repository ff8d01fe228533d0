"""Every fault that a storm can bring, each with what it may be blamed for, and nothing else."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from models.verdicts import AttemptEnding, VoidCategory
from tests.chaos.broker_messages import delay_messages, duplicate_messages, lose_messages
from tests.chaos.storm_farm import LEASE_S, FarmProcess, NoTarget, StormFarm, eventually

Blame = frozenset[tuple[AttemptEnding, VoidCategory | None]]

BEYOND_LEASE_S = LEASE_S + 3
BEYOND_TERM_S = 13.0
BRIEF_S = 4.0
"""Longer than a check may take, but well within a lease that is renewed."""

ROOM_BYTES = 16 << 20

NOTHING: Blame = frozenset()
SILENT: Blame = frozenset(
    {
        (AttemptEnding.LOST, VoidCategory.WORKER_LOST),
        (AttemptEnding.FENCED, VoidCategory.LEASE_EXPIRED),
    }
)
"""Nobody heard of the worker until its lease was over, and perhaps it came too late."""
CUT: Blame = SILENT | {(AttemptEnding.INTERRUPTED, None)}
"""Or it was heard in time again, and gave back, at no cost, a stage that had to ask the database
for something when it could not."""
GONE: Blame = frozenset(
    {(AttemptEnding.LOST, VoidCategory.WORKER_LOST), (AttemptEnding.INTERRUPTED, None)}
)
FULL: Blame = frozenset({(AttemptEnding.VOID, VoidCategory.DISK_FULL)})


@dataclass
class Strike:
    """One fault, or order, that happened. Times in epoch seconds; `workers` are those that it may
    touch, `runs` those that it was given for."""

    kind: str
    target: str
    began: float
    blame: Blame
    workers: tuple[str, ...] = ()
    ended: float = 0.0
    note: str = ""
    runs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Fault:
    """A kind of fault: `on` says what it is aimed at, `act` does it and puts it right again."""

    kind: str
    on: str
    blame: Blame
    act: Callable[["Aim"], str | None]
    touches_all: bool = False


@dataclass(frozen=True)
class Aim:
    """What an act gets: the farm, its target (None: a server), dice of its own."""

    farm: StormFarm
    target: FarmProcess | None
    dice: random.Random

    @property
    def process(self) -> FarmProcess:
        """The target, where it is a process of the farm."""
        assert self.target is not None
        return self.target

    def some_time(self) -> float:
        """Seconds that something stays broken."""
        return self.dice.uniform(3.0, BEYOND_LEASE_S + 2)


def send(processes: list[psutil.Process], number: signal.Signals) -> None:
    """Send a signal to all that still live."""
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(number)


def kill_main(aim: Aim) -> str | None:
    if not aim.process.pid:
        raise NoTarget
    os.kill(aim.process.pid, signal.SIGKILL)
    return None


def kill_pool_child(aim: Aim) -> str | None:
    children = aim.process.pool()
    if not children:
        raise NoTarget
    send([aim.dice.choice(children)], signal.SIGKILL)
    return None


def stop_beyond_lease(aim: Aim) -> str | None:
    """The worker stops; what it started in sandboxes goes on."""
    _pause([*_main(aim.process), *aim.process.pool()], BEYOND_LEASE_S)
    return None


def pause_machine(aim: Aim) -> str | None:
    """All of a worker's machine stands still for a moment, which is nobody's fault."""
    _pause(aim.process.tree(), BRIEF_S)
    return None


def stop_scheduler(aim: Aim) -> str | None:
    """The active scheduler stops until another is in office; then both believe that they are."""
    _pause(_main(aim.process), BEYOND_TERM_S)
    return None


def _main(process: FarmProcess) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return [psutil.Process(process.pid)]
    raise NoTarget


def _pause(processes: list[psutil.Process], seconds: float) -> None:
    if not processes:
        raise NoTarget
    send(processes, signal.SIGSTOP)
    time.sleep(seconds)
    send(processes, signal.SIGCONT)


def late_write(aim: Aim) -> str | None:
    """What a worker wants to write hangs in the network until its lease is long over.

    One of agents, which asks the database for nothing between its claim and its result.
    """
    line = aim.process.database
    if not aim.process.name.startswith("agent") or not eventually(
        lambda: aim.farm.is_at_work(aim.process), BRIEF_S
    ):
        raise NoTarget
    line.silence()
    time.sleep(BEYOND_LEASE_S)
    held = line.held_bytes
    line.restore()
    return f"{held} bytes came late"


def cut_refusing(aim: Aim) -> str | None:
    aim.process.database.refuse()
    time.sleep(aim.some_time())
    aim.process.database.restore()
    return None


def cut_silently(aim: Aim) -> str | None:
    """Nothing goes through; when the network is back, the old connections are gone."""
    aim.process.database.silence()
    time.sleep(aim.some_time())
    aim.process.database.reset()
    aim.process.database.restore()
    return None


def reset_database(aim: Aim) -> str | None:
    aim.process.database.reset()
    return None


def strand_database(aim: Aim) -> str | None:
    aim.process.database.strand()
    return None


def slow_database(aim: Aim) -> str | None:
    aim.process.database.slow(0.15)
    time.sleep(BRIEF_S)
    aim.process.database.restore()
    return None


def cut_broker(aim: Aim) -> str | None:
    """A worker or scheduler loses the broker, in one of three ways."""
    line = aim.process.broker
    way = aim.dice.choice((line.refuse, line.silence, line.strand))
    way()
    time.sleep(BRIEF_S)
    if way != line.strand:
        line.reset()
    line.restore()
    return way.__name__


def kill_broker(aim: Aim) -> str | None:
    aim.farm.valkey.kill()
    time.sleep(1.0)
    aim.farm.valkey.start()
    return None


def empty_broker(aim: Aim) -> str | None:
    aim.farm.valkey.kill()
    aim.farm.valkey.forget()
    aim.farm.valkey.start()
    return None


def crash_database(aim: Aim) -> str | None:
    aim.farm.postgresql.crash()
    time.sleep(aim.dice.uniform(0.0, 3.0))
    aim.farm.postgresql.start()
    return None


def fill_scratch(aim: Aim) -> str | None:
    _fill(aim.process.scratch, BRIEF_S)
    return None


def fill_artifacts(aim: Aim) -> str | None:
    _fill(aim.farm.artifacts, 0.2)
    return None


def _fill(folder: Path, seconds: float) -> None:
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        for size in (1 << 20, 1 << 12):  # large pieces first, then the crumbs
            with suppress(OSError):
                while True:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), size)
        time.sleep(seconds)
        file.truncate(max(0, file.seek(0, os.SEEK_END) - ROOM_BYTES))  # room at once
    ballast.unlink()


def step_clock(aim: Aim) -> str | None:
    """The wall clock jumps by minutes or hours, and a while later back again."""
    clock = aim.process.clock
    assert clock is not None
    step = aim.dice.choice((-7200.0, -90.0, 90.0, 7200.0))
    clock.step(step)
    time.sleep(BRIEF_S)
    clock.step(0.0)
    return f"{step:+.0f} s"


WORKER, SCHEDULER, ACTIVE = "worker", "scheduler", "active scheduler"
DATABASE, BROKER, DISK = "database", "broker", "artifacts"

FAULTS = (
    Fault("worker killed", WORKER, GONE, kill_main),
    Fault("pool child killed", WORKER, GONE, kill_pool_child),
    Fault("worker stopped beyond its lease", WORKER, SILENT | GONE, stop_beyond_lease),
    Fault("worker's machine paused", WORKER, NOTHING, pause_machine),
    Fault("worker writes too late", WORKER, CUT, late_write),
    Fault("worker's database refuses", WORKER, CUT, cut_refusing),
    Fault("worker's database silent", WORKER, CUT, cut_silently),
    Fault("worker's database connections reset", WORKER, CUT, reset_database),
    Fault("worker's database half-open", WORKER, CUT, strand_database),
    Fault("worker's database slow", WORKER, NOTHING, slow_database),
    Fault("worker's broker cut", WORKER, NOTHING, cut_broker),
    Fault("worker's clock stepped", WORKER, NOTHING, step_clock),
    Fault("worker's disk full", WORKER, FULL, fill_scratch),
    Fault("scheduler killed", ACTIVE, NOTHING, kill_main),
    Fault("two schedulers in office", ACTIVE, NOTHING, stop_scheduler),
    Fault("scheduler's database silent", ACTIVE, NOTHING, cut_silently),
    Fault("scheduler's database half-open", ACTIVE, NOTHING, strand_database),
    Fault("scheduler's broker cut", ACTIVE, NOTHING, cut_broker),
    Fault("scheduler's clock stepped", ACTIVE, NOTHING, step_clock),
    Fault("broker killed", BROKER, NOTHING, kill_broker),
    Fault("broker emptied", BROKER, NOTHING, empty_broker),
    Fault("messages duplicated", BROKER, NOTHING, lambda aim: duplicate_messages(aim.farm)),
    Fault("messages lost", BROKER, NOTHING, lambda aim: lose_messages(aim.farm)),
    Fault("messages delayed", BROKER, NOTHING, lambda aim: delay_messages(aim.farm, BRIEF_S)),
    Fault("database crashed", DATABASE, CUT | GONE, crash_database, touches_all=True),
    Fault("artifacts' disk full", DISK, FULL, fill_artifacts, touches_all=True),
)
NEEDS_DISK = frozenset({"worker's disk full", "artifacts' disk full"})
NEEDS_CLOCK = frozenset({"worker's clock stepped", "scheduler's clock stepped"})
