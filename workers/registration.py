"""What a worker tells the farm of itself, and what it hears: its row in the database."""

import os
import socket
import threading
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.clock import SystemClock
from models.protocol import PROTOCOL
from models.schemas.worker import (
    PRESUMED_DEAD_S,
    Duty,
    LanguageRest,
    WorkerRecord,
)
from models.storage.database_clock import shared_clock
from models.storage.transaction import BUSY_TIMEOUT_MS, open_database
from models.storage.workers import (
    Told,
    beat_worker,
    impose_quarantine,
    list_workers,
    register_worker,
    release_own_quarantine,
    told_worker,
)
from workers.fitness import Fitness, Rest
from workers.hands import WorkerPlan
from workers.worker_log import log_event

FILE_HOLDS_FORK_S = 2 * BUSY_TIMEOUT_MS / 1000
"""Longer than SQLite waits for its write lock."""
SERVER_HOLDS_FORK_S = 0.5
"""Longer than a server that is well takes to answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is to be known of a worker now. `rests` are in monotonic seconds."""

    queues: tuple[str, ...]
    toolchains: tuple[tuple[str, str], ...]
    warming: tuple[str, ...]
    rests: tuple[tuple[str, Rest], ...]
    obeys: Duty = Duty.SERVE
    ending: bool = False


@dataclass(frozen=True, slots=True)
class Company:
    """The `others` that were alive `at` a moment (monotonic seconds), which was `now` by the
    farm's clock; None where the database did not say. `roles` are the asking worker's."""

    at: float
    now: float
    roles: tuple[str, ...]
    others: tuple[WorkerRecord, ...] | None

    def serves(self, queues: Iterable[str]) -> bool:
        """Whether another worker serves one of `queues`; true where nobody knows."""
        if self.others is None:
            return True
        wanted = set(queues)
        return any(not wanted.isdisjoint(worker.queues) for worker in self.others)

    def does_better(self, queues: Iterable[str], since: float) -> bool:
        """Whether another worker of the same roles that serves one of `queues` had a result after
        `since` (monotonic seconds): then it is not the farm's trouble but this worker's own.

        What a worker of other roles did says nothing: it needs other stores and other halves.
        """
        wanted, began = set(queues), self.now + since - self.at
        return any(
            worker.result_at > began
            and set(worker.roles) == set(self.roles)
            and not wanted.isdisjoint(worker.queues)
            for worker in self.others or ()
        )


class Registration:
    """The row of one worker, for all threads of its main process.

    A fork waits while the database is in use: a child that inherited an open SQLite file would
    take locks for its own that it does not have. A connection to a server may be inherited, since
    no child touches it; a server that is silent holds a fork up for no longer than a moment.
    """

    def __init__(self, plan: WorkerPlan, roles: tuple[str, ...], slots: int) -> None:
        self._plan = plan
        self._roles = roles
        self._slots = slots
        url = plan.settings.database_url
        self._database = open_database(url, answer_s=plan.settings.lease.answer_s)
        self._clock = shared_clock(self._database, SystemClock())
        self._started_at: float | None = None
        self._lock = threading.Lock()
        self._is_held_for_fork = False
        os.register_at_fork(
            before=self._hold, after_in_parent=self._let_go, after_in_child=self._begin_anew
        )

    def begin(self, standing: Standing) -> Told:
        """Write the row for the first time; what the worker is told. It has just been proved, so
        a quarantine that it imposed on itself is over."""
        with self._writing() as (session, now):
            self._started_at = now
            register_worker(session, self._record(standing, now))
            if release_own_quarantine(session, self._plan.name):
                log_event("quarantine_over", now, why="the worker was proved anew")
            return told_worker(session, self._plan.name) or Told(Duty.SERVE, None)

    def write(self, standing: Standing) -> None:
        """Write the whole row."""
        with self._writing() as (session, now):
            register_worker(session, self._record(standing, now))

    def beat(self) -> None:
        """Note that the worker lives."""
        with self._writing() as (session, now):
            result_at = self._plan.fitness.last_result_at
            at = 0.0 if result_at is None else self._as_epoch(result_at, now)
            beat_worker(session, self._plan.name, now, at)

    def listen(self) -> Told | None:
        """What the worker is told to do; None where its row is gone."""
        with self._using(), self._database.read() as session:
            return told_worker(session, self._plan.name)

    def company(self) -> Company:
        """The other workers that are alive."""
        with self._using() as now, self._database.read() as session:
            at = time.monotonic()
            found = list_workers(session, since=now - PRESUMED_DEAD_S)
        others = tuple(worker for worker in found if worker.name != self._plan.name)
        return Company(at, now, self._roles, others)

    def quarantine(self, reason: str) -> None:
        """Take no more work until somebody says otherwise, or this worker is proved anew.

        Nothing where an operator gave an order meanwhile, which this worker has not heard yet.
        """
        with self._writing() as (session, now):
            if not impose_quarantine(session, self._plan.name, reason, now):
                return
        remedy = "mend it and start the worker again, or `gradefarm workers resume`"
        log_event("quarantined", now, worker=self._plan.name, reason=reason, remedy=remedy)

    def _hold(self) -> None:
        patience_s = SERVER_HOLDS_FORK_S if self._database.is_postgresql else FILE_HOLDS_FORK_S
        self._is_held_for_fork = self._lock.acquire(timeout=patience_s)

    def _let_go(self) -> None:
        if self._is_held_for_fork:
            self._lock.release()

    def _begin_anew(self) -> None:
        # Whoever held it was a thread of the parent.
        self._lock = threading.Lock()

    @contextmanager
    def _using(self) -> Generator[float]:
        with self._lock:
            try:
                yield self._clock.now()
            finally:
                if not self._database.is_postgresql:
                    self._database.close()

    @contextmanager
    def _writing(self) -> Generator[tuple[Session, float]]:
        with self._using() as now, self._database.transaction() as session:
            yield session, now

    def _record(self, standing: Standing, now: float) -> WorkerRecord:
        return WorkerRecord(
            name=self._plan.name,
            host=socket.gethostname(),
            pid=os.getpid(),
            roles=self._roles,
            queues=standing.queues,
            slots=self._slots,
            toolchains=dict(standing.toolchains),
            warming=standing.warming,
            resting=tuple(name for name, _ in standing.rests),
            rests=tuple(self._reason(name, rest, now) for name, rest in standing.rests),
            isolation=self._plan.isolation,
            protocol=PROTOCOL,
            obeys=standing.obeys,
            ending=standing.ending,
            started_at=self._started_at or now,
            beat_at=now,
        )

    def _reason(self, language: str, rest: Rest, now: float) -> LanguageRest:
        last = self._plan.fitness.last_void(language)
        return LanguageRest(
            language=language,
            voids=rest.voids,
            category=last.category,
            detail=last.detail,
            rests=rest.number,
            since=self._as_epoch(rest.since, now),
            again_at=self._as_epoch(rest.until, now),
        )

    def _as_epoch(self, at: float, now: float) -> float:
        return now + at - time.monotonic()


def reason_for_quarantine(fitness: Fitness, rests: Iterable[tuple[str, Rest]]) -> str:
    """In words, why a worker is of no use."""
    told = [
        f"{language}: {rest.voids} void in a row, last {last.category}"
        + (f" ({last.detail})" if last.detail else "")
        for language, rest in rests
        for last in [fitness.last_void(language)]
    ]
    return "no stage had a result; " + "; ".join(told)
