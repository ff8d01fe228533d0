"""Finds campaigns that are over, and ends the runs of cancelled ones."""

from collections import Counter
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, func, not_, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from models.schemas.budget import UNKNOWN_USE, Resource
from models.schemas.campaign import CampaignState
from models.schemas.run import RunState, Stage
from models.storage.budgets import (
    Settled,
    affordable_runs,
    charge,
    settle,
    spends,
)
from models.storage.campaigns import campaign_row
from models.storage.interruptions import close_interrupted
from models.storage.tallies import CANCELLED, tally
from models.storage.transitions import Transition, any_run, in_states
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.queues import QueueRow
from models.tables.runs import LEASED_STATES, QUEUED_STATES, WAITING_STATES, RunRow
from models.tables.systems import SystemRow

UNFINISHED: tuple[tuple[RunState, ...], ...] = (LEASED_STATES, QUEUED_STATES, WAITING_STATES)
"""Every state that is no end, in the groups that have an index of their own; what is at work first,
which has to stop within seconds, however many wait."""
INDEXED_BY: dict[tuple[RunState, ...], InstrumentedAttribute[Any]] = {
    WAITING_STATES: RunRow.queue_pk,
    QUEUED_STATES: RunRow.queued_until,
    LEASED_STATES: RunRow.lease_until,
}
CANCEL: dict[tuple[RunState, ...], Transition] = {
    states: Transition(
        states,
        RunState.CANCELLED,
        (RunRow.id.in_(bindparam("run_ids", expanding=True)),),
        sets=("ended_at",),
    )
    for states in UNFINISHED
}


def _has(states: tuple[RunState, ...]) -> ColumnElement[bool]:
    """Whether a campaign has runs in `states`."""
    return any_run(
        in_states(states), RunRow.campaign_pk == CampaignRow.pk, first_by=INDEXED_BY[states]
    )


WITHOUT_WORK = select(CampaignRow.id).where(
    CampaignRow.state == CampaignState.RUNNING,
    *(not_(_has(states)) for states in UNFINISHED),
)
GOES_ON = (
    select(CampaignQueueRow.queue_pk)
    .join(QueueRow, QueueRow.pk == CampaignQueueRow.queue_pk)
    .join(SystemRow, SystemRow.pk == CampaignQueueRow.system_pk)
    .where(
        CampaignQueueRow.campaign_pk == CampaignRow.pk,
        or_(
            QueueRow.stage == Stage.GRADE,
            and_(not_(spends()), func.coalesce(affordable_runs(Resource.WALL), 1) >= 1),
        ),
        any_run(
            in_states(WAITING_STATES),
            RunRow.campaign_pk == CampaignQueueRow.campaign_pk,
            RunRow.queue_pk == CampaignQueueRow.queue_pk,
            RunRow.system_pk == CampaignQueueRow.system_pk,
            first_by=RunRow.repeat,
        ),
    )
    .correlate(CampaignRow)
    .exists()
)
"""Whether a run waits that needs none of what is used up: it is graded, or spends nothing."""
USED_UP = select(CampaignRow.id).where(
    affordable_runs(*Resource) < 1,
    _has(WAITING_STATES),
    not_(_has(QUEUED_STATES)),
    not_(_has(LEASED_STATES)),
    not_(GOES_ON),
)
WITH_WORK = select(CampaignRow.id).where(
    CampaignRow.state == CampaignState.CANCELLED,
    or_(*(_has(states) for states in UNFINISHED)),
)


def used_up_campaigns(session: Session, campaign_id: str | None = None) -> list[str]:
    """Running campaigns, or the one named whatever its state, whose budget pays for none of the
    runs that still wait to begin, while nothing is on its way or waits to be graded."""
    named = CampaignRow.state == CampaignState.RUNNING
    if campaign_id is not None:
        named = CampaignRow.id == campaign_id
    return list(session.connection().execute(USED_UP.where(named)).scalars())


def campaigns_without_work(session: Session) -> list[str]:
    """Running campaigns all of whose runs have ended."""
    return list(session.connection().execute(WITHOUT_WORK).scalars())


def cancelled_with_work(session: Session) -> list[str]:
    """Cancelled campaigns that still have runs to end."""
    return list(session.connection().execute(WITH_WORK).scalars())


def end_cancelled_runs(session: Session, campaign_id: str, now: float, limit: int) -> int:
    """End up to `limit` runs of a cancelled campaign; returns how many, 0 when none is left.

    Workers learn it with their next renewal; their attempts end as interrupted by the operator.
    Raises NotFound.
    """
    campaign = campaign_row(session, campaign_id)
    settled: list[Settled] = []
    cells: list[int] = []
    for states in UNFINISHED:
        found = session.execute(
            select(RunRow.id, RunRow.token, RunRow.cell_pk)
            .where(in_states(states), RunRow.campaign_pk == campaign.pk)
            .limit(limit - len(cells))
            .with_for_update(skip_locked=True)
        ).all()
        if not found:
            continue
        ids = [row.id for row in found]
        moved = {row.id for row in CANCEL[states].apply(session, run_ids=ids, new_ended_at=now)}
        cells += [row.cell_pk for row in found if row.id in moved]
        for row in found if states is LEASED_STATES else ():
            if row.id in moved:
                settled += _stop(session, (row.id, row.token), campaign.pk, now)
    charge(session, settled)
    tally(session, Counter((cell_pk, CANCELLED) for cell_pk in cells))
    return len(cells)


def _stop(session: Session, lease: tuple[int, int], campaign_pk: int, now: float) -> list[Settled]:
    """Close the attempt of a run that was at work; returns what it is charged."""
    released = settle(session, lease, campaign_pk, UNKNOWN_USE, now)
    close_interrupted(session, lease, released, "the campaign was cancelled", now)
    return released
