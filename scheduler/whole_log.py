"""Reads the farm's log from its first leaf on, whatever its size."""

from collections.abc import Iterator

from models.storage.transaction import Database
from models.storage.transparency_log import leaves_between

AT_ONCE = 5_000


def whole_log(database: Database, size: int) -> Iterator[tuple[int, str]]:
    """The first `size` leaves with their positions, in order; in bounded memory."""
    for start in range(0, size, AT_ONCE):
        with database.read() as session:
            some = leaves_between(session, start, min(start + AT_ONCE, size))
        yield from some
