"""Which protocol the farm speaks, and who may take work in it."""

import secrets

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from models.errors import Refused
from models.protocol import PROTOCOL
from models.storage.upserts import Upsert
from models.tables.scheduler_lease import SchedulerLeaseRow

ONLY = 1


class OtherProtocol(Refused):
    """This code may not take work in a farm of another version."""


FARM_PROTOCOL = (
    select(SchedulerLeaseRow.protocol).where(SchedulerLeaseRow.pk == ONLY).scalar_subquery()
)
SET = Upsert(
    SchedulerLeaseRow,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["pk"], set_={"protocol": insert.excluded.protocol}
    ),
)


def speaks_ours() -> ColumnElement[bool]:
    """Whether the farm's protocol is this code's. One look at the only row of a table; true for a
    database that no scheduler and no upgrade has marked yet."""
    return ~exists().where(SchedulerLeaseRow.protocol != PROTOCOL)


def farm_protocol(session: Session) -> int | None:
    """The farm's protocol; None where neither an upgrade nor a scheduler has said it yet."""
    return session.execute(select(FARM_PROTOCOL)).scalar_one()


def set_farm_protocol(session: Session, protocol: int = PROTOCOL) -> None:
    """From now on this is the farm's protocol."""
    SET.run(session, pk=ONLY, owner="", until=0.0, epoch=secrets.token_hex(16), protocol=protocol)


def refuse_other_protocol(theirs: int | None) -> None:
    """Raises OtherProtocol where a farm that speaks `theirs` is not for this code."""
    if theirs is None or theirs == PROTOCOL:
        return
    remedy = "Run `gradefarm db upgrade` with this version, then start again."
    if theirs > PROTOCOL:
        remedy = "Install the version of gradefarm that the farm has, and start again."
    raise OtherProtocol(
        f"this gradefarm speaks protocol {PROTOCOL}, and its farm protocol {theirs}.",
        remedy=remedy,
    )
