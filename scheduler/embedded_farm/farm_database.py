"""The database of the embedded farm: made, and asked who has reported for work."""

from models.clock import Clock
from models.migrations.moving_on import refuse_unknowing_scheduler
from models.migrations.upgrade import upgrade_database
from models.storage.database_clock import shared_clock
from models.storage.elections import TERM_S, leave_office, office_holder
from models.storage.transaction import Database, open_database
from models.storage.workers import list_workers


def prepare_database(url: str, local: Clock, lease_s: float) -> tuple[Database, Clock]:
    """The database at `url`, at the newest schema, with no scheduler in office; and its clock.

    Whoever is in office died with an earlier farm, or is elected again at its next tick. Raises
    Refused where that is a scheduler which would not notice that the database moves on.
    """
    database = open_database(url)
    refuse_unknowing_scheduler(database, local, TERM_S + 2)
    upgrade_database(url, lease_s=lease_s)
    clock = shared_clock(database, local)
    with database.transaction() as session:
        holder = office_holder(session, clock.now())
        if holder is not None:
            leave_office(session, holder)
    return database, clock


def worker_is_registered(database: Database, pid: int | None, since: float) -> bool:
    """Whether the worker in the process `pid` has registered, or beaten, at or after `since`."""
    with database.read() as session:
        return any(worker.pid == pid for worker in list_workers(session, since=since))


def scheduler_is_in_office(database: Database, now: float) -> bool:
    """Whether a scheduler is active at `now`."""
    with database.read() as session:
        return office_holder(session, now) is not None
