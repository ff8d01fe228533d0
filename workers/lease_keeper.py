"""Renews the lease of the stage that this process works on, and tells when it is gone."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from models.clock import Clock
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunOrder
from models.storage.leases import LeaseAnswer, is_held, renew
from models.storage.transaction import Database, open_database
from workers.worker_log import log_event, safe_text

ASK_EVERY_S = 2.0
"""How soon a worker learns that its run was cancelled, paused or taken away: one look at one row,
by its key. Renewals, which write, are rarer."""


class HeldLease:
    """The lease of one stage while it is worked on.

    `cancelled` turns true, for good, when the lease was taken away, the run was cancelled, or
    no renewal went through until the lease's end: then another worker may hold it already.
    """

    def __init__(self, order: RunOrder, terms: LeaseTerms, clock: Clock) -> None:
        self.run_id = order.run_id
        self.token = order.token
        self._terms = terms
        self._clock = clock
        self._gone = threading.Event()
        self.ask_at = clock.monotonic() + ASK_EVERY_S
        self._held_until = clock.monotonic() + terms.lease_s
        self.due = clock.monotonic() + terms.beat_s

    @property
    def taken_away(self) -> bool:
        """Whether the database said that the lease is another's, or nobody's."""
        return self._gone.is_set()

    def cancelled(self) -> bool:
        """Whether to stop at once and write nothing."""
        return self._gone.is_set() or self._clock.monotonic() > self._held_until

    @property
    def hopeless(self) -> bool:
        """Whether it is of no use to try a write again. Until a lease after this one's end it is:
        perhaps nobody has taken the run yet, and if, then the refusal is seen."""
        return self._gone.is_set() or self._clock.monotonic() > self._held_until + (
            self._terms.lease_s
        )

    def hear(self, answer: LeaseAnswer, asked: float) -> None:
        """What became of a renewal that was asked for at `asked` (monotonic)."""
        if answer is LeaseAnswer.HELD:
            self._held_until = asked + self._terms.lease_s
        else:
            self.lose()

    def lose(self) -> None:
        """The lease is not held any more."""
        self._gone.set()


class LeaseKeeper:
    """One thread for all stages of this process, with a database connection of its own.

    The thread begins with the first lease. Most stages end before it first asks, and for those it
    costs nothing.
    """

    def __init__(
        self,
        database_url: str,
        terms: LeaseTerms,
        clock: Clock,
        on_failed_renewal: Callable[[], None],
    ) -> None:
        self._url = database_url
        self._terms = terms
        self._clock = clock
        self._on_failed_renewal = on_failed_renewal
        self._held: HeldLease | None = None
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, order: RunOrder) -> Generator[HeldLease]:
        """Keep the lease of `order`, the only one of this process, through the block."""
        lease = HeldLease(order, self._terms, self._clock)
        self._set(lease)
        try:
            yield lease
        finally:
            self._set(None)

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def _set(self, lease: HeldLease | None) -> None:
        # Nobody is woken: the thread looks often enough for any lease.
        self._held = lease
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)
            self._thread.start()

    def _keep(self) -> None:
        # One renewal that hangs must not take the time of the next.
        database = open_database(self._url, answer_s=self._terms.beat_s)
        try:
            while (lease := self._next_due()) is not None:
                now = self._clock.monotonic()
                lease.ask_at = now + ASK_EVERY_S
                if lease.due <= now:
                    lease.due = now + self._terms.beat_s
                    self._renew(database, lease)
                else:
                    self._ask(database, lease)
        finally:
            database.close()

    def _next_due(self) -> HeldLease | None:
        """Wait until a lease must be renewed or asked after; None when the keeper is closed."""
        while True:
            lease, wait_s = self._held, min(self._terms.beat_s, ASK_EVERY_S)
            if lease is not None:
                wait_s = min(lease.due, lease.ask_at) - self._clock.monotonic()
                if wait_s <= 0:
                    return lease
            if self._closing.wait(wait_s):
                return None

    def _ask(self, database: Database, lease: HeldLease) -> None:
        try:
            with database.read() as session:
                held = is_held(session, lease.run_id, lease.token)
        except Exception:
            # The next renewal says what is wrong, if it still is.
            return
        if not held:
            lease.lose()

    def _renew(self, database: Database, lease: HeldLease) -> None:
        asked = self._clock.monotonic()
        try:
            with database.transaction() as session:
                held = [(lease.run_id, lease.token)]
                answers = renew(session, held, self._clock.now(), self._terms)
        except Exception as error:
            # A database that is away for a moment is no reason to drop the work.
            now = self._clock.now()
            named = {"run": lease.run_id, "token": lease.token}
            log_event("renewal_failed", now, **named, error=safe_text(error))
            self._on_failed_renewal()
        else:
            lease.hear(answers[lease.run_id], asked)
