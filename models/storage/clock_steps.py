"""Brings times back that nobody can have written by the present clock.

After the wall clock was stepped back, a lease or a slot of before ends as much too late.
"""

from sqlalchemy import Update, bindparam, func, select, update
from sqlalchemy.orm import Session

from models.schemas.lease import LeaseTerms
from models.storage.elections import CLOCK_SLACK_S
from models.storage.transaction import Database
from models.storage.transitions import in_states
from models.tables.runs import LEASED_STATES, QUEUED_STATES, RunRow

LATEST = (
    select(func.max(RunRow.lease_until)).where(in_states(LEASED_STATES)),
    select(func.max(RunRow.queued_until)).where(in_states(QUEUED_STATES)),
)
LEASES = (
    update(RunRow)
    .where(in_states(LEASED_STATES), RunRow.lease_until > bindparam("latest"))
    .values(lease_until=bindparam("new_end"))
)
SLOTS = (
    update(RunRow)
    .where(in_states(QUEUED_STATES), RunRow.queued_until > bindparam("latest"))
    .values(queued_until=bindparam("new_end"))
)


def farthest(now: float, term_s: float) -> float:
    """The latest end that somebody can have set by now for something that lasts `term_s`."""
    return now + term_s + CLOCK_SLACK_S


def limit_ends(database: Database, now: float, terms: LeaseTerms) -> int:
    """Let no lease and no slot end later than one that begins now; returns how many were cut.

    Every holder that lives renews within a beat; the others are found after one lease.
    """
    spans = (terms.lease_s, terms.queue_slot_s)
    with database.read() as session:
        latest = [session.connection().execute(each).scalar_one() for each in LATEST]
    if all(
        end is None or end <= farthest(now, span) for end, span in zip(latest, spans, strict=True)
    ):
        return 0
    with database.transaction() as session:
        return sum(
            _cut(session, statement, now, span)
            for statement, span in zip((LEASES, SLOTS), spans, strict=True)
        )


def _cut(session: Session, statement: Update, now: float, span_s: float) -> int:
    values = {"latest": farthest(now, span_s), "new_end": now + span_s}
    return session.connection().execute(statement, values).rowcount
