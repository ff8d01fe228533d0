"""The thread over which a worker's main process talks with its farm.

A database that does not answer must not hold up the main loop: that one hears signals, takes
results from the pool, and shows that it lives.
"""

import threading

from models.clock import SystemClock
from models.pulse import Pulse
from models.schemas.worker import BEAT_EVERY_S, Duty
from models.storage.workers import Told
from workers.registration import Company, Registration, Standing
from workers.worker_log import log_event, safe_text

LISTEN_EVERY_S = 1.0
COMPANY_LASTS_S = 3.0
"""Other workers come and go. Counted from when the answer came: one that took longer than this
would be too old for anybody otherwise."""


class FarmLine:
    """Writes what is to be known of the worker, beats, and hears what it is told."""

    def __init__(self, registration: Registration, pulse: Pulse) -> None:
        self._registration = registration
        self._pulse = pulse
        self._clock = SystemClock()
        self._wanted: Standing | None = None
        self._written: Standing | None = None
        self._beat_due = 0.0
        self._heard = True
        self._asked = False
        self._condemned = ""
        self._due = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._talk, name="farm-line", daemon=True)
        self.told = Told(Duty.SERVE, None)
        self._company: tuple[float, Company] | None = None

    def begin(self, standing: Standing) -> None:
        """Write the row for the first time, and start to listen."""
        self.told = self._registration.begin(standing)
        self._wanted = self._written = standing
        self._thread.start()

    def tell(self, standing: Standing) -> None:
        """From now on the row is to say this."""
        self._wanted = standing

    def company(self) -> Company | None:
        """The other workers as they were a moment ago, told once; None while that is asked for."""
        known, self._company = self._company, None
        if known is not None and self._clock.monotonic() - known[0] <= COMPANY_LASTS_S:
            return known[1]
        self._asked = True
        self._due.set()
        return None

    def condemn(self, reason: str) -> None:
        """Put the worker in quarantine."""
        self._condemned = reason
        self._due.set()

    def close(self) -> None:
        """Say the last word and hang up."""
        self._closing.set()
        self._due.set()
        if self._thread.is_alive():
            self._thread.join(timeout=LISTEN_EVERY_S * 5)

    def _talk(self) -> None:
        while not self._closing.is_set():
            if self._due.wait(LISTEN_EVERY_S):
                self._due.clear()
            if not self._closing.is_set():
                self._exchange()

    def _exchange(self) -> None:
        # Where it fails the worker rests anyway, and its next rest asks again: a judgement that is
        # late may be wrong.
        if condemned := self._condemned:
            self._condemned = ""
        try:
            self._speak()
            self._look_around(condemned)
            told = self._registration.listen()
        except Exception as error:
            # The next round tries again; the languages are served meanwhile.
            if self._heard:
                log_event("farm_unheard", self._clock.now(), error=safe_text(error))
            self._heard = False
            self._miss_company()
            return
        if not self._heard:
            log_event("farm_heard_again", self._clock.now())
        self._heard = True
        if told is None:
            self._written = None  # somebody took the row away: write it again
        else:
            self.told = told

    def _miss_company(self) -> None:
        if self._asked:
            now = self._clock.monotonic()
            self._hear_of(Company(now, self._clock.now(), (), None))

    def _hear_of(self, company: Company) -> None:
        self._company = (self._clock.monotonic(), company)
        self._asked = False

    def _look_around(self, condemned: str) -> None:
        if condemned:
            self._registration.quarantine(condemned)
        if self._asked:
            self._hear_of(self._registration.company())

    def _speak(self) -> None:
        wanted = self._wanted
        if wanted is not None and wanted != self._written:
            self._registration.write(wanted)
            self._written = wanted
        # A main loop that hangs takes no work: its worker is not to be counted on.
        if self._clock.monotonic() >= self._beat_due and self._pulse.is_felt():
            self._registration.beat()
            self._beat_due = self._clock.monotonic() + BEAT_EVERY_S
