"""Elects the one active scheduler."""

import os
import secrets
import socket

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.orm import Session

from models.protocol import PROTOCOL
from models.storage.upserts import Upsert
from models.tables.scheduler_lease import SchedulerLeaseRow

TERM_S = 10.0
"""How long a scheduler that died keeps others waiting."""
CLOCK_SLACK_S = 5.0
"""By how much the clocks of one farm may differ. A term that ends later than now, a term and
this was given before the clock was stepped back: it binds nobody."""
ONLY = 1
FIRST = Upsert(SchedulerLeaseRow, lambda insert: insert.on_conflict_do_nothing())


def owner_name() -> str:
    """A name for a scheduler of this process, that no other one has."""
    return f"{_process()}:{secrets.token_hex(4)}"


def is_this_process(owner: str | None) -> bool:
    """Whether `owner` is a scheduler of this process."""
    return owner is not None and owner.rpartition(":")[0] == _process()


def _process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def take_office(session: Session, owner: str, now: float) -> str | None:
    """Become, or stay, the active scheduler for a term from `now` on.

    Returns the farm's epoch, the same for every scheduler; None while another is in office, or
    when the farm speaks another protocol.
    """
    epoch = secrets.token_hex(16)
    FIRST.run(session, pk=ONLY, owner=owner, until=0.0, epoch=epoch, protocol=PROTOCOL)
    free = or_(SchedulerLeaseRow.owner == owner, ~_in_office(now))
    taken = session.execute(
        update(SchedulerLeaseRow)
        .where(SchedulerLeaseRow.pk == ONLY, SchedulerLeaseRow.protocol == PROTOCOL, free)
        .values(owner=owner, until=now + TERM_S)
        .returning(SchedulerLeaseRow.epoch)
        .execution_options(synchronize_session=False)
    )
    return taken.scalar_one_or_none()


def leave_office(session: Session, owner: str) -> None:
    """End the term of `owner` now, so that a waiting scheduler takes over at once."""
    session.execute(
        update(SchedulerLeaseRow)
        .where(SchedulerLeaseRow.pk == ONLY, SchedulerLeaseRow.owner == owner)
        .values(until=0.0)
        .execution_options(synchronize_session=False)
    )


def office_holder(session: Session, now: float) -> str | None:
    """The active scheduler at `now`, None where there is none."""
    holder = select(SchedulerLeaseRow.owner).where(_in_office(now))
    return session.execute(holder).scalar_one_or_none()


def farm_epoch(session: Session) -> str:
    """What names this farm among others; empty before its first scheduler and its first upgrade."""
    return session.execute(select(SchedulerLeaseRow.epoch)).scalar_one_or_none() or ""


def _in_office(now: float) -> ColumnElement[bool]:
    return and_(
        SchedulerLeaseRow.until >= now,
        SchedulerLeaseRow.until <= now + TERM_S + CLOCK_SLACK_S,
    )
