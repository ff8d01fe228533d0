"""One clock for all machines that share a database."""

from sqlalchemy import text

from models.clock import Clock
from models.storage.transaction import Database

MEASURE_EVERY_S = 60.0
STEP_S = 0.5
"""When the local wall clock moved by so much more, or less, than the monotonic one since the
measurement, it was stepped or the machine slept: the offset is of no use any more."""


class DatabaseClock:
    """The wall clock of the database server: the local clock, corrected by a measured offset.

    Leases are then judged by one clock although every machine has its own, and a step of a
    local clock moves nothing.
    """

    def __init__(self, database: Database, local: Clock) -> None:
        self._database = database
        self._local = local
        self._offset = 0.0
        self._measured: tuple[float, float] | None = None

    def now(self) -> float:
        """Seconds since the epoch, as the database server counts them."""
        if not self._holds(self._local.now(), self._local.monotonic()):
            self._measure()
        return self._local.now() + self._offset

    def monotonic(self) -> float:
        """The local monotonic clock in seconds."""
        return self._local.monotonic()

    def _holds(self, wall: float, at: float) -> bool:
        if self._measured is None:
            return False
        wall_then, then = self._measured
        return at - then <= MEASURE_EVERY_S and abs(wall - wall_then - (at - then)) <= STEP_S

    def _measure(self) -> None:
        with self._database.read() as session:
            before = self._local.now()
            answer = session.execute(text("SELECT extract(epoch FROM clock_timestamp())"))
            theirs = float(answer.scalar_one())
            after, at = self._local.now(), self._local.monotonic()
        self._offset = theirs - (before + after) / 2
        self._measured = after, at


def shared_clock(database: Database, local: Clock) -> Clock:
    """The clock to judge leases by: the server's on PostgreSQL, `local` where one host is all."""
    return DatabaseClock(database, local) if database.is_postgresql else local
