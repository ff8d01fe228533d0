"""Takes leases away from workers that gave no sign of life."""

from models.storage.leases import earliest_lease_end, expire
from models.storage.transaction import Database

AT_ONCE = 200


def reap(database: Database, now: float) -> list[int]:
    """End every lease that ran out before `now`; returns the ids of the runs.

    Looks first without the write lock, since there is almost never anything to do.
    """
    with database.read() as session:
        end = earliest_lease_end(session)
    if end is None or end >= now:
        return []
    reaped: list[int] = []
    while True:
        with database.transaction() as session:
            taken = expire(session, now, AT_ONCE)
        reaped += taken
        if len(taken) < AT_ONCE:
            return reaped
