"""Whether a run may start: the limits of its system, the budget of its campaign."""

from sqlalchemy.orm import Session

from models.storage.budgets import reserve
from models.storage.system_limits import RETRY_S, lock_limit, note_start, refused_until


def admit(
    session: Session, run: tuple[int, int], campaign_pk: int, system_pk: int, now: float
) -> float | None:
    """Take what a run, given as (id, token) and just leased, needs to start.

    None when it may start; else when to try again. Then the caller takes the lease back, in the
    same transaction.
    """
    found = lock_limit(session, system_pk)
    if found is not None and (again := refused_until(session, *found, now)) is not None:
        return again
    if not reserve(session, *run, campaign_pk, system_pk):
        return now + RETRY_S
    if found is not None:
        note_start(session, *found, now)
    return None
