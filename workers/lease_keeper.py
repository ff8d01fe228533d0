"""Renews the lease of the stage that this process works on, and tells when it is gone."""

import threading
from types import TracebackType
from typing import Self

from models.clock import Clock
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunOrder
from models.storage.leases import LeaseAnswer, renew
from models.storage.transaction import open_database
from workers.worker_log import log_event, safe_text


class LeaseKeeper:
    """A thread with a database connection of its own, alive while a stage is worked on.

    `cancelled` turns true, for good, when the lease was taken away, the run was cancelled, or
    no renewal went through until the lease's end: then another worker may hold it already.
    """

    def __init__(self, database_url: str, order: RunOrder, terms: LeaseTerms, clock: Clock) -> None:
        self._url = database_url
        self._order = order
        self._terms = terms
        self._clock = clock
        self._ended = threading.Event()
        self._gone = threading.Event()
        self._held_until = clock.monotonic() + terms.lease_s
        self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)

    def cancelled(self) -> bool:
        """Whether to stop at once and write nothing."""
        return self._gone.is_set() or self._clock.monotonic() > self._held_until

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _keep(self) -> None:
        database = open_database(self._url)
        held = [(self._order.run_id, self._order.token)]
        try:
            while not self._ended.wait(self._terms.beat_s):
                asked = self._clock.monotonic()
                try:
                    with database.transaction() as session:
                        answers = renew(session, held, self._clock.now(), self._terms)
                except Exception as error:
                    # A database that is away for a moment is no reason to drop the work.
                    log_event(
                        "renewal_failed",
                        self._clock.now(),
                        run=self._order.run_id,
                        error=safe_text(error),
                    )
                    continue
                if answers[self._order.run_id] is not LeaseAnswer.HELD:
                    self._gone.set()
                    return
                self._held_until = asked + self._terms.lease_s
        finally:
            database.close()
