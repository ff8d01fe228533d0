"""From a bare machine to a running worker: probe, prove, register, serve."""

import os
import socket
import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

# Celery ships no types.
from celery.platforms import SecurityWarning  # pyright: ignore[reportMissingTypeStubs]
from celery.signals import (  # pyright: ignore[reportMissingTypeStubs]
    heartbeat_sent,
    worker_process_shutdown,
)

from models.clock import SystemClock
from models.errors import InputFault, InvalidInput, Refused
from models.messaging.broker_protocols import Signal
from models.messaging.queues import agent_queue, grade_queue, subject_queue
from models.migrations.upgrade import wait_for_database
from models.schemas.worker import WorkerRecord
from models.settings import Settings, search_path
from models.storage.database_clock import shared_clock
from models.storage.transaction import open_database
from models.storage.workers import beat_worker, register_worker
from tasks_catalog.catalog import open_catalog
from workers.celery_app import refuse_foreign_code, worker_app
from workers.hands import HandsOnDemand, WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import Unready, prepare_languages
from workers.sandbox.isolation import Isolation
from workers.sandbox.selection import select_sandbox
from workers.worker_log import log_event, safe_text

BEAT_EVERY_S = 10.0
DATABASE_PATIENCE_S = 30.0


class Role(StrEnum):
    """What a worker does. Only the roles `grade` and `all` open the sealed half of a task."""

    AGENT = "agent"
    GRADE = "grade"
    ALL = "all"

    @property
    def stages(self) -> tuple[str, ...]:
        """The plain roles that this one stands for."""
        return ("agent", "grade") if self is Role.ALL else (self.value,)


@dataclass(frozen=True, slots=True)
class Machine:
    """What a probe found: languages by id, those that can't be served, the sandbox."""

    languages: dict[str, LanguageRuntime]
    unready: tuple[Unready, ...]
    isolation: Isolation


def probe_machine(settings: Settings, only: tuple[str, ...] = ()) -> Machine:
    """Prove sandbox and languages (`only` these, else all) on this machine.

    Raises Refused where the sandbox can't be trusted and the settings don't allow that;
    InvalidInput for a language that is not defined.
    """
    keep_temporary_files_readable(settings.scratch)
    definitions = open_catalog(settings.catalog_public, None, settings.languages).languages()
    unknown = sorted(set(only) - set(definitions))
    if unknown:
        known = ", ".join(definitions)
        faults = [
            InputFault("languages", f"{name} is not defined", f"known: {known}") for name in unknown
        ]
        raise InvalidInput("worker", faults)
    wanted = [d for name, d in definitions.items() if not only or name in only]
    sandbox = select_sandbox(settings.scratch, allow_unisolated=settings.allow_unisolated)
    try:
        isolation = sandbox.probe()
        _refuse_without_isolation(isolation, settings)
        ready, unready = prepare_languages(wanted, sandbox, settings.scratch, search_path())
    finally:
        sandbox.close()
    return Machine(ready, tuple(unready), isolation)


def keep_temporary_files_readable(scratch: Path) -> None:
    """Temporary folders of this process go below `scratch`, where sandbox users can reach."""
    os.umask(0o022)
    folder = scratch / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (scratch, folder):
        path.chmod(0o755)
    tempfile.tempdir = str(folder)


def _refuse_without_isolation(isolation: Isolation, settings: Settings) -> None:
    if isolation.complete or settings.allow_unisolated:
        return
    missing = "; ".join(f"{ability.name}: {ability.remedy}" for ability in isolation.missing())
    raise Refused(
        f"the sandbox ({isolation.driver}) can't contain judged code here: {missing}.",
        remedy="Mend that, or accept it for work that nobody will publish with "
        "GRADEFARM_ALLOW_UNISOLATED=true.",
    )


def isolation_label(isolation: Isolation) -> str:
    """The driver, with every ability that it could not prove: recorded with each result."""
    lacking = ",".join(ability.name for ability in isolation.missing())
    return f"{isolation.driver} without {lacking}" if lacking else isolation.driver


def queues_of(role: Role, languages: Iterable[str]) -> tuple[str, ...]:
    """The queues that a worker of `role` serves, grading first within each language."""
    kinds = {"agent": (agent_queue,), "grade": (grade_queue, subject_queue)}
    names = [kind for stage in reversed(role.stages) for kind in kinds[stage]]
    return tuple(kind(language) for language in sorted(languages) for kind in names)


def serve(settings: Settings, role: Role, machine: Machine, slots: int, name: str) -> None:
    """Register this worker and run jobs until told to end. Does not return.

    Raises Refused where there is nothing to serve or foreign code could be imported.
    """
    if not machine.languages:
        problems = "; ".join(f"{u.problem} {u.remedy}" for u in machine.unready)
        raise Refused("this machine serves no language.", remedy=problems)
    folder = private_folder(settings)
    os.chdir(folder)
    refuse_foreign_code(folder)
    full_name = name if "@" in name else f"{name}@{socket.gethostname()}"
    plan = WorkerPlan(
        settings=settings,
        name=full_name,
        languages=machine.languages,
        isolation=isolation_label(machine.isolation),
        holds_sealed=role is not Role.AGENT,
    )
    queues = queues_of(role, machine.languages)
    _register(plan, role, queues, slots)
    hands = HandsOnDemand(plan)
    beat = Heartbeat(plan)
    cast("Signal", heartbeat_sent).connect(beat, weak=False)
    cast("Signal", worker_process_shutdown).connect(_Closing(hands), weak=False)
    known = open_catalog(settings.catalog_public, None, settings.languages).languages()
    app = worker_app(settings.broker_url, tuple(known), hands)
    app.set_current()
    # As root, judged code runs under users of its own, which no other user could give it.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    app.worker_main(worker_arguments(full_name, queues, slots))


def worker_arguments(name: str, queues: tuple[str, ...], slots: int) -> list[str]:
    """The command line of the Celery worker. Gossip and mingle leave queues behind for ever."""
    return [
        "--quiet",
        "worker",
        f"--hostname={name}",
        f"--queues={','.join(queues)}",
        f"--concurrency={slots}",
        "--pool=prefork",
        "--task-events",
        "--without-gossip",
        "--without-mingle",
        "--loglevel=WARNING",
    ]


def private_folder(settings: Settings) -> Path:
    """The folder that workers run in: nobody else may write there."""
    folder = settings.home / "worker"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def _register(plan: WorkerPlan, role: Role, queues: tuple[str, ...], slots: int) -> None:
    database = open_database(plan.settings.database_url)
    try:
        wait_for_database(database, DATABASE_PATIENCE_S)
        now = shared_clock(database, SystemClock()).now()
        record = WorkerRecord(
            name=plan.name,
            host=socket.gethostname(),
            pid=os.getpid(),
            roles=role.stages,
            queues=queues,
            slots=slots,
            toolchains={name: runtime.identity for name, runtime in plan.languages.items()},
            isolation=plan.isolation,
            started_at=now,
            beat_at=now,
        )
        with database.transaction() as session:
            register_worker(session, record)
    finally:
        database.close()


class _Closing:
    """Closes the hands of a pool child that ends."""

    def __init__(self, hands: HandsOnDemand) -> None:
        self._hands = hands

    def __call__(self, **_: object) -> None:
        self._hands.close()


class Heartbeat:
    """Notes in the database that the worker lives, now and then as its events go out.

    Opens and closes the database each time: a connection must not be there when the pool forks.
    """

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan
        self._clock = SystemClock()
        self._due = 0.0

    def __call__(self, **_: object) -> None:
        """Beat, unless the last one was a moment ago. Never raises."""
        if self._clock.monotonic() < self._due:
            return
        self._due = self._clock.monotonic() + BEAT_EVERY_S
        database = open_database(self._plan.settings.database_url)
        try:
            now = shared_clock(database, self._clock).now()
            with database.transaction() as session:
                beat_worker(session, self._plan.name, now)
        except Exception as error:
            log_event("beat_failed", self._clock.now(), error=safe_text(error))
        finally:
            database.close()
