"""The one loop that keeps a farm moving. It stands on the database, never on the broker."""

import logging
import threading

from models.clock import Clock
from models.errors import FarmError
from models.event_log import event
from models.pulse import Pulse
from models.settings import Settings
from models.storage.campaign_states import any_active_campaign
from models.storage.change_watch import ChangeWatch
from models.storage.clock_steps import limit_ends
from models.storage.database_clock import shared_clock
from models.storage.elections import (
    TERM_S,
    leave_office,
    office_holder,
    owner_name,
    take_office,
)
from models.storage.farm_protocol import OtherProtocol, farm_protocol, refuse_other_protocol
from models.storage.key_folder import KeyFolder
from models.storage.transaction import DATABASE_ERRORS, Database
from scheduler.campaign_upkeep import finish_campaigns, pause_without_budget, take_over_plan
from scheduler.clock_watch import ClockWatch
from scheduler.dispatch import (
    SEND_AT_ONCE,
    BrokerMemory,
    MessageSender,
    heal_broker_loss,
    return_overdue,
    send_pending,
    top_up,
)
from scheduler.farm_log import FarmLog
from scheduler.lease_reaper import reap
from scheduler.metrics.tick_metrics import TICK_SECONDS
from scheduler.public_restating import restate_public_digests
from tasks_catalog.catalog import open_catalog

log = logging.getLogger(__name__)

LONGEST_SLEEP_S = 1.0
LONGEST_BACKOFF_S = 10.0
"""After errors: sleeps double from one tick up to this."""
ATTENTION_S = 0.5
"""How often ended leases, campaigns without work, and whether any is active are looked at: none
of these keeps a worker waiting."""
ALIVE_FILE = "scheduler.alive"
"""In the farm's home; the loop touches it, whether in office or not."""
UPKEEP_S = 1.0
"""How often the broker's memory, overdue messages and abandoned plans are looked at."""


def run_scheduler(
    database: Database,
    sender: MessageSender,
    memory: BrokerMemory,
    settings: Settings,
    clock: Clock,
    stop: threading.Event,
) -> None:
    """Schedule until `stop` is set. Several may run: one is in office, the others wait.

    Errors are logged and waited out, whatever they are: a scheduler that ends helps nobody. But for
    one: raises OtherProtocol when the farm moves on to another version.
    """
    scheduler = Scheduler(database, sender, memory, settings, shared_clock(database, clock))
    pulse = Pulse(settings.home / ALIVE_FILE)
    pause = settings.tick_s
    while not stop.is_set():
        pulse.beat()
        try:
            with TICK_SECONDS.time():
                moved = scheduler.tick()
            slower = min(pause * 1.5, settings.tick_s if scheduler.busy else LONGEST_SLEEP_S)
            # What moved in one half tick goes out together: a tick costs as much for one run.
            pause = settings.tick_s / 2 if moved else max(settings.tick_s, slower)
        except OtherProtocol:
            scheduler.resign()
            pulse.end()
            raise
        except Exception as error:
            scheduler.expect_anything()
            pause = min(LONGEST_BACKOFF_S, max(settings.tick_s, pause * 2))
            _log_failure(error, pause)
            stop.wait(pause)
        else:
            scheduler.wait(pause, stop)
    scheduler.resign()
    pulse.end()


def _log_failure(error: Exception, pause: float) -> None:
    """In one line what is known to happen, with its traceback what is not."""
    known = isinstance(error, (FarmError, *DATABASE_ERRORS))
    first = (str(error).splitlines() or [""])[0]
    log.warning(
        "trying again in %.1f s: %s: %s",
        *(pause, type(error).__name__, first),
        exc_info=None if known else error,
    )


class Scheduler:
    """One scheduler: in office or waiting for it."""

    def __init__(
        self,
        database: Database,
        sender: MessageSender,
        memory: BrokerMemory,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._database = database
        self._sender = sender
        self._memory = memory
        self._settings = settings
        self._clock = clock
        self._catalog = open_catalog(
            settings.catalog_public, settings.catalog_sealed, settings.languages
        )
        self._log = FarmLog(database, KeyFolder(settings.keys))
        self._owner = owner_name()
        self._epoch: str | None = None
        self._told_in_office: bool | None = None
        self._term_renewed_at = -TERM_S
        self._upkeep_at = -UPKEEP_S
        self._attention_at = -ATTENTION_S
        self._may_be_unsent = True
        self._watch = ClockWatch()
        self._changes = ChangeWatch(database)
        self._no_reaping_before = 0.0
        self._refused: dict[str, str] = {}
        self.busy = False

    def tick(self) -> int:
        """Do what is due; returns how many things moved, 0 for nothing or out of office.

        Raises FarmError or DATABASE_ERRORS; what was done by then is kept.
        """
        now = self._clock.now()
        self._notice_steps(now)
        epoch = self._stay_in_office(now)
        if epoch is None:
            self.busy = False
            return 0
        # Runs whose time to try again has come make no commit: the next attention finds them.
        may_be_new = self._changes.may_be_new() or self._attention_is_due()
        moved = self._attention(now) + self._upkeep(epoch, now)
        if not may_be_new and not self._may_be_unsent:
            return moved
        slot_s = self._settings.lease.queue_slot_s
        queued = top_up(self._database, now, window=self._settings.queue_window, slot_s=slot_s)
        self._may_be_unsent = self._may_be_unsent or queued > 0
        return moved + queued + self._send()

    def expect_anything(self) -> None:
        """After an error: look at everything again, the office included."""
        self._term_renewed_at = -TERM_S
        self._upkeep_at = -UPKEEP_S
        self._attention_at = -ATTENTION_S

    def resign(self) -> None:
        """Leave the office, if in it, to whoever waits. Never raises for a lost database."""
        self._changes.close()
        try:
            if self._epoch is not None:
                self._log.order()
            with self._database.transaction() as session:
                leave_office(session, self._owner)
        except DATABASE_ERRORS as error:
            log.warning("could not leave the office: %s", str(error).splitlines()[0])

    def wait(self, pause: float, stop: threading.Event) -> None:
        """Let `pause` seconds pass; less where a campaign begins while there is none."""
        until = self._clock.monotonic() + pause
        idle = self._epoch is not None and not self.busy
        while not stop.wait(max(0.0, min(self._settings.tick_s, until - self._clock.monotonic()))):
            if self._clock.monotonic() >= until:
                return
            if idle and self._is_wanted():
                self._attention_at = -ATTENTION_S
                return

    def _is_wanted(self) -> bool:
        if not self._changes.may_be_new():
            return False
        try:
            with self._database.read() as session:
                return any_active_campaign(session)
        except DATABASE_ERRORS:
            return True  # the next tick says what is wrong

    def _notice_steps(self, now: float) -> None:
        """After a step forward everybody gets a lease's time to renew; after one back, ends that
        lie too far are cut."""
        at = self._clock.monotonic()
        step = self._watch.step(now, at)
        if step == 0.0:
            return
        log.warning("the clock was moved by %+.1f s, or the machine has slept", step)
        self.expect_anything()
        if step > 0:
            self._no_reaping_before = at + self._settings.lease.lease_s
        else:
            limit_ends(self._database, now, self._settings.lease)

    def _stay_in_office(self, now: float) -> str | None:
        """The farm's epoch while in office. A term is renewed when a third of it is over."""
        at = self._clock.monotonic()
        if self._epoch is not None and at - self._term_renewed_at < TERM_S / 3:
            return self._epoch
        with self._database.read() as session:
            refuse_other_protocol(farm_protocol(session))
            holder = office_holder(session, now)
        before, self._epoch = self._epoch, None
        if holder in (None, self._owner):
            with self._database.transaction() as session:
                self._epoch = take_office(session, self._owner, now)
        if before is None and self._epoch is not None:
            limit_ends(self._database, now, self._settings.lease)
            restate_public_digests(self._database, self._catalog)
            self._log.begin()
        if self._told_in_office != (self._epoch is not None):
            self._told_in_office = self._epoch is not None
            words = "in office" if self._told_in_office else "out of office, waiting to take over"
            log.info("%s: %s", words, self._owner)
        self._term_renewed_at = at
        return self._epoch

    def _attention_is_due(self) -> bool:
        return self._clock.monotonic() - self._attention_at >= ATTENTION_S

    def _attention(self, now: float) -> int:
        if not self._attention_is_due():
            return 0
        at = self._clock.monotonic()
        reaped = [] if at < self._no_reaping_before else reap(self._database, now)
        for run in reaped:
            log.warning("lease ended", extra=event("lease_expired", run=run))
        moved = len(reaped)
        moved += finish_campaigns(self._database, self._catalog, self._clock)
        moved += pause_without_budget(self._database) + self._log.order()
        with self._database.read() as session:
            self.busy = any_active_campaign(session)
        # A large cancelled campaign takes several goes: they follow at once.
        self._attention_at = -ATTENTION_S if moved else at
        return moved

    def _send(self) -> int:
        """Hand over what the outbox holds, where it may hold anything."""
        if not self._may_be_unsent:
            return 0
        handed = send_pending(self._database, self._sender)
        for queue, why in handed.refused.items():
            if self._refused.get(queue) != why:
                log.error("runs of the queue %s wait: %s", queue, why)
        self._refused |= handed.refused
        self._may_be_unsent = handed.taken_out >= SEND_AT_ONCE
        return handed.sent

    def _upkeep(self, epoch: str, now: float) -> int:
        at = self._clock.monotonic()
        if at - self._upkeep_at < UPKEEP_S:
            return 0
        taken_over = take_over_plan(self._database, self._clock)
        healed = heal_broker_loss(self._database, self._memory, epoch)
        if healed:
            log.warning("the broker lost its data; %d runs are queued again", healed)
        slot_s = self._settings.lease.queue_slot_s
        returned = return_overdue(self._database, self._memory, now, slot_s)
        # A large plan takes several slices: they follow at once.
        self._upkeep_at = -UPKEEP_S if taken_over else at
        # Another scheduler may have left before it had sent everything.
        self._may_be_unsent = True
        return taken_over + healed + returned
