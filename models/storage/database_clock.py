"""One clock for all machines that share a database."""

from sqlalchemy import text

from models.clock import Clock
from models.storage.transaction import Database

MEASURE_EVERY_S = 60.0


class DatabaseClock:
    """The wall clock of the database server: the local clock, corrected by a measured offset.

    Leases are then judged by one clock although every machine has its own.
    """

    def __init__(self, database: Database, local: Clock) -> None:
        self._database = database
        self._local = local
        self._offset = 0.0
        self._measured_at: float | None = None

    def now(self) -> float:
        """Seconds since the epoch, as the database server counts them."""
        at = self._local.monotonic()
        if self._measured_at is None or at - self._measured_at > MEASURE_EVERY_S:
            self._measure()
            self._measured_at = at
        return self._local.now() + self._offset

    def monotonic(self) -> float:
        """The local monotonic clock in seconds."""
        return self._local.monotonic()

    def _measure(self) -> None:
        with self._database.read() as session:
            before = self._local.now()
            answer = session.execute(text("SELECT extract(epoch FROM clock_timestamp())"))
            theirs = float(answer.scalar_one())
            self._offset = theirs - (before + self._local.now()) / 2


def shared_clock(database: Database, local: Clock) -> Clock:
    """The clock to judge leases by: the server's on PostgreSQL, `local` where one host is all."""
    return DatabaseClock(database, local) if database.is_postgresql else local
