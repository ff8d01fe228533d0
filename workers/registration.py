"""What a worker tells the farm of itself: its row in the database, and that it is alive."""

import os
import socket
from collections.abc import Iterable, Mapping

from models.clock import SystemClock
from models.schemas.worker import BEAT_EVERY_S, PRESUMED_DEAD_S, WorkerRecord
from models.storage.database_clock import shared_clock
from models.storage.transaction import DATABASE_ERRORS, Database, open_database
from models.storage.workers import beat_worker, list_workers, register_worker
from workers.hands import WorkerPlan
from workers.languages.language_runtime import LanguageRuntime
from workers.worker_log import log_event, safe_text


class Registration:
    """The row of one worker. Opens and closes the database each time: a connection must not be
    there when the pool forks."""

    def __init__(self, plan: WorkerPlan, roles: tuple[str, ...], slots: int) -> None:
        self._plan = plan
        self._roles = roles
        self._slots = slots
        self._clock = SystemClock()
        self._started_at: float | None = None
        self._beat_due = 0.0

    def write(
        self,
        queues: tuple[str, ...],
        languages: Mapping[str, LanguageRuntime],
        *,
        warming: Iterable[str],
        resting: Iterable[str],
    ) -> None:
        """Write the whole row: what is served, in which languages, and which will be or were."""
        database = self._open()
        try:
            now = shared_clock(database, self._clock).now()
            if self._started_at is None:
                self._started_at = now
            record = WorkerRecord(
                name=self._plan.name,
                host=socket.gethostname(),
                pid=os.getpid(),
                roles=self._roles,
                queues=queues,
                slots=self._slots,
                toolchains={name: runtime.identity for name, runtime in languages.items()},
                warming=tuple(sorted(warming)),
                resting=tuple(sorted(resting)),
                isolation=self._plan.isolation,
                started_at=self._started_at,
                beat_at=now,
            )
            with database.transaction() as session:
                register_worker(session, record)
        finally:
            database.close()

    def others_serve(self, queues: tuple[str, ...]) -> bool:
        """Whether another worker that is alive serves one of `queues`; true where nobody knows."""
        database = self._open()
        try:
            since = shared_clock(database, self._clock).now() - PRESUMED_DEAD_S
            with database.read() as session:
                workers = list_workers(session, since=since)
            found = [w for w in workers if w.name != self._plan.name]
            return any(not set(queues).isdisjoint(worker.queues) for worker in found)
        except DATABASE_ERRORS as error:
            log_event("others_unknown", self._clock.now(), error=safe_text(error))
            return True
        finally:
            database.close()

    def _open(self) -> Database:
        settings = self._plan.settings
        return open_database(settings.database_url, answer_s=settings.lease.answer_s)

    def beat(self, **_: object) -> None:
        """Note that the worker lives, unless that was done a moment ago. Never raises."""
        if self._clock.monotonic() < self._beat_due:
            return
        self._beat_due = self._clock.monotonic() + BEAT_EVERY_S
        database = self._open()
        try:
            now = shared_clock(database, self._clock).now()
            with database.transaction() as session:
                beat_worker(session, self._plan.name, now)
        except Exception as error:
            log_event("beat_failed", self._clock.now(), error=safe_text(error))
        finally:
            database.close()
