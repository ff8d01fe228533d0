"""One clock for all machines that share a database."""

from dataclasses import dataclass

from sqlalchemy import text

from models.clock import Clock
from models.storage.transaction import DATABASE_ERRORS, Database

MEASURE_EVERY_S = 60.0
STEP_S = 0.5
"""When the local wall clock moved by so much more, or less, than the monotonic one since the
measurement, it was stepped or the machine slept: the offset is of no use any more."""
CLOSE_S = 0.25
"""An answer that took longer says the time only to within half of that: better to ask again."""
TRIES = 3
ASK_AGAIN_AFTER_S = 2.0
"""While the server does not answer."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the server's clock, the local wall clock and the local monotonic one showed at one
    moment; the answer took `took_s`."""

    theirs: float
    wall: float
    at: float
    took_s: float

    def holds(self, wall: float, at: float) -> bool:
        """Whether the local wall clock can still be trusted, and the reading is not old."""
        return at - self.at <= MEASURE_EVERY_S and self._walks_along(wall, at)

    def server_time(self, wall: float, at: float) -> float:
        """The server's time at a later moment: a local wall clock that was stepped has no say."""
        passed = wall - self.wall if self._walks_along(wall, at) else at - self.at
        return self.theirs + passed

    def _walks_along(self, wall: float, at: float) -> bool:
        return abs(wall - self.wall - (at - self.at)) <= STEP_S


class DatabaseClock:
    """The wall clock of the database server: the local clock, corrected by a measured offset.

    Leases are then judged by one clock although every machine has its own, and a step of a
    local clock moves nothing.
    """

    def __init__(self, database: Database, local: Clock) -> None:
        self._database = database
        self._local = local
        self._measured: _Reading | None = None
        self._ask_again_at = 0.0

    def now(self) -> float:
        """Seconds since the epoch, as the database server counts them.

        Between answers, and while it can't be asked, by the local clocks. Raises DATABASE_ERRORS
        where it never could be.
        """
        wall, at = self._local.now(), self._local.monotonic()
        known = self._measured
        if known is None or not known.holds(wall, at):
            known = self._ask(known, at)
            wall, at = self._local.now(), self._local.monotonic()
        return known.server_time(wall, at)

    def monotonic(self) -> float:
        """The local monotonic clock in seconds."""
        return self._local.monotonic()

    def _ask(self, known: "_Reading | None", at: float) -> "_Reading":
        if known is not None and at < self._ask_again_at:
            return known
        try:
            readings = self._readings()
        except DATABASE_ERRORS:
            if known is None:
                raise
            self._ask_again_at = self._local.monotonic() + ASK_AGAIN_AFTER_S
            return known
        self._measured = min(readings, key=lambda each: each.took_s)
        return self._measured

    def _readings(self) -> "list[_Reading]":
        """One that is close, else as many as are worth it."""
        readings: list[_Reading] = []
        while len(readings) < TRIES and all(each.took_s > CLOSE_S for each in readings):
            readings.append(self._read())
        return readings

    def _read(self) -> "_Reading":
        with self._database.read() as session:
            session.execute(text("SELECT 1"))  # to connect may take longer than to ask
            began, wall = self._local.monotonic(), self._local.now()
            answer = session.execute(text("SELECT extract(epoch FROM clock_timestamp())"))
            theirs = float(answer.scalar_one())
            took_s = self._local.monotonic() - began
        return _Reading(theirs, wall + took_s / 2, began + took_s / 2, took_s)


def shared_clock(database: Database, local: Clock) -> Clock:
    """The clock to judge leases by: the server's on PostgreSQL, `local` where one host is all."""
    return DatabaseClock(database, local) if database.is_postgresql else local
