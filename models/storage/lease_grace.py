"""Gives leases time again after the database stood still."""

from sqlalchemy import Connection, bindparam, update

from models.storage.transitions import in_states
from models.tables.runs import LEASED_STATES, RunRow

GIVE_TIME = (
    update(RunRow)
    .where(in_states(LEASED_STATES), RunRow.lease_until < bindparam("new_end"))
    .values(lease_until=bindparam("new_end"))
)


def give_leases_time(connection: Connection, new_end: float) -> None:
    """Let no lease end before `new_end`: whoever could not renew meanwhile is not to blame.

    Needs nothing of the table that came after the first schema.
    """
    connection.execute(GIVE_TIME, {"new_end": new_end})
