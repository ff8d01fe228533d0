"""The embedded farm as a whole: one call starts it, one call leaves nothing of it."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from models.clock import Clock
from models.settings import Settings, process_environment
from scheduler.embedded_farm.broker import prepare_broker
from scheduler.embedded_farm.child import Child
from scheduler.embedded_farm.database_file import database_exists
from scheduler.embedded_farm.farm_processes import (
    AGENT_WORKER,
    BROKER,
    FLOWER,
    GATEWAY,
    GRADE_WORKER,
    SCHEDULER,
    FarmPlan,
    broker_process,
    farm_environment,
    flower_process,
    gateway_process,
    has_own_gateway,
    scheduler_process,
    worker_process,
)
from scheduler.embedded_farm.flower import FlowerLogin, flower_login, flower_url, free_port
from scheduler.embedded_farm.home_lock import home_lock
from scheduler.embedded_farm.supervisor import Supervisor

START_PATIENCE_S = 60.0
PROVING_PATIENCE_S = 600.0
"""A worker proves sandbox and toolchains before it registers; a loaded machine takes its time."""
WORKING = (SCHEDULER, AGENT_WORKER, GRADE_WORKER)


@dataclass(frozen=True)
class FarmOptions:
    """`slots`: runs in parallel for each of the two workers; 0 means one for each processor."""

    slots: int = 0
    flower: bool = True
    metrics_port: int | None = None

    @property
    def slot_count(self) -> int:
        """The slots of each worker."""
        return self.slots or len(os.sched_getaffinity(0))


class EmbeddedFarm:
    """The processes of one farm on this machine; make one with `embedded_farm`."""

    def __init__(self, settings: Settings, clock: Clock, options: FarmOptions) -> None:
        self._settings = settings
        self._clock = clock
        self._options = options
        self._plan = FarmPlan(
            settings,
            farm_environment(settings, process_environment()),
            options.slot_count,
            settings.metrics_port if options.metrics_port is None else options.metrics_port,
        )
        self._supervisor = Supervisor(settings.home / "logs", clock, owns_process=True)
        self._is_registered: Callable[[int], bool] = lambda _pid: False
        self._is_scheduled: Callable[[], bool] = lambda: False
        self.login: FlowerLogin = flower_login(settings.home)
        self.flower_port = free_port(settings.flower_port)

    @property
    def children(self) -> tuple[Child, ...]:
        """The processes of the farm in the order in which they were started."""
        return self._supervisor.children

    @property
    def flower_address(self) -> str:
        """Where a person opens Flower."""
        return flower_url(self.flower_port)

    @property
    def logs(self) -> Path:
        """The folder of the logs, one file for each process."""
        return self._settings.home / "logs"

    def start(self) -> None:
        """Start every process and bring the database to its newest schema; see `wait`."""
        if self._settings.embedded_broker:
            prepare_broker(self._settings.home)
            self._supervisor.start(broker_process(self._plan))
        if has_own_gateway(self._settings):
            self._supervisor.start(gateway_process(self._plan))
        early = not database_exists(self._settings.database_url)
        if early:
            self._start_workers()
        self._open_database()
        if not early:
            self._start_workers()
        self._supervisor.start(scheduler_process(self._plan, self._is_scheduled))
        if self._options.flower:
            self._supervisor.start(flower_process(self._plan, self.login, self.flower_port))

    def wait(self, on_wait: Callable[[tuple[str, ...], float], None] | None = None) -> None:
        """Wait until runs can be worked on. Flower may come up later.

        `on_wait` hears meanwhile which processes are waited for, and for how many seconds.
        Raises Infrastructure with the end of a log where a process does not come up.
        """
        broker = (BROKER,) if self._settings.embedded_broker else ()
        gateway = (GATEWAY,) if has_own_gateway(self._settings) else ()
        parts = (*broker, *gateway, *WORKING)
        self._supervisor.wait_until_ready(parts, PROVING_PATIENCE_S, on_wait)

    def _open_database(self) -> None:
        # Slow to import; the processes that were started before use the time.
        from scheduler.embedded_farm import farm_database  # noqa: PLC0415

        begun = self._clock.monotonic()
        url, lease_s = self._settings.database_url, self._settings.lease.lease_s
        database, clock = farm_database.prepare_database(url, self._clock, lease_s)
        since = clock.now() - (clock.monotonic() - begun) - 1
        self._is_registered = lambda pid: farm_database.worker_is_registered(database, pid, since)
        self._is_scheduled = lambda: farm_database.scheduler_is_in_office(database, clock.now())

    def wait_for_flower(self) -> None:
        """Wait until Flower serves. Raises Infrastructure where it does not come up."""
        if self._options.flower:
            self._supervisor.wait_until_ready((FLOWER,), START_PATIENCE_S)

    def tend(self) -> tuple[str, ...]:
        """Start again what ended; returns what happened, in words. Call it often."""
        return self._supervisor.tend()

    def stop(self) -> list[int]:
        """Stop everything; returns the ids of processes that would not die, normally none."""
        return self._supervisor.stop()

    def _start_workers(self) -> None:
        """A worker needs longer to get ready than the database; if not, it waits for the tables."""
        for name in (GRADE_WORKER, AGENT_WORKER):
            self._supervisor.start(
                worker_process(self._plan, name, lambda name=name: self._has_registered(name))
            )

    def _has_registered(self, name: str) -> bool:
        pid = next(child.pid for child in self.children if child.spec.name == name)
        return pid is not None and self._is_registered(pid)


@contextmanager
def embedded_farm(
    settings: Settings, clock: Clock, options: FarmOptions
) -> Generator[EmbeddedFarm]:
    """A farm that is stopped at the end of the block, whatever happens in it; not started yet.

    Raises Refused where another farm runs in the same home.
    """
    with home_lock(settings.home):
        farm = EmbeddedFarm(settings, clock, options)
        try:
            yield farm
        finally:
            farm.stop()
