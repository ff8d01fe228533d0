"""The figures of a whole farm, for monitors: asked now and then, never dear.

Costs what is in flight, the cells of campaigns that go on, and a row for each cell and ending.
"""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.schemas.budget import Resource
from models.schemas.campaign import CampaignState
from models.schemas.run import RunState
from models.schemas.worker import PRESUMED_DEAD_S, WorkerRecord
from models.storage.activity import (
    LeasedRun,
    QueueLoad,
    RecentAttempt,
    leased_runs,
    queue_loads,
    recent_attempts,
)
from models.storage.attempt_tallies import spoiled_of_farm
from models.storage.campaigns import campaign_progress
from models.storage.elections import office_holder
from models.storage.tallies import VOID_PREFIX
from models.storage.workers import list_workers
from models.tables.budgets import CampaignBudgetRow
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellTallyRow
from models.tables.outbox import OutboxRow
from models.verdicts import AttemptEnding, VoidCategory

GOING = (CampaignState.PLANNING, CampaignState.RUNNING, CampaignState.PAUSED)
CAMPAIGNS = select(CampaignRow.state, func.count()).group_by(CampaignRow.state)
GOING_IDS = select(CampaignRow.id).where(CampaignRow.state.in_(GOING))
ENDINGS = select(CellTallyRow.ending, func.sum(CellTallyRow.runs)).group_by(CellTallyRow.ending)
UNSENT = select(func.count()).select_from(OutboxRow)
SPENT = select(CampaignBudgetRow.resource, func.sum(CampaignBudgetRow.spent)).group_by(
    CampaignBudgetRow.resource
)


@dataclass(frozen=True)
class FarmFigures:
    """One state of the farm. `runs` of campaigns that go on, by state; `ended` runs ever, by
    ending, voids as one; `spoiled` attempts ever; `spent` ever, in whole units."""

    at: float
    holder: str | None
    campaigns: dict[CampaignState, int]
    runs: dict[RunState, int]
    ended: dict[str, int]
    spoiled: dict[tuple[AttemptEnding, VoidCategory], int]
    spent: dict[Resource, int]
    loads: tuple[QueueLoad, ...]
    recent: tuple[RecentAttempt, ...]
    leased: tuple[LeasedRun, ...]
    workers: tuple[WorkerRecord, ...]
    unsent: int


def read_figures(session: Session, now: float) -> FarmFigures:
    """The figures of the farm at `now`."""
    connection = session.connection()
    going = list(connection.execute(GOING_IDS).scalars())
    return FarmFigures(
        at=now,
        holder=office_holder(session, now),
        campaigns={row[0]: row[1] for row in connection.execute(CAMPAIGNS)},
        runs=_runs(session, going),
        ended=_ended(session),
        spoiled=spoiled_of_farm(session),
        spent={row[0]: int(row[1]) for row in connection.execute(SPENT)},
        loads=tuple(queue_loads(session, going)) if going else (),
        recent=tuple(recent_attempts(session, going)) if going else (),
        leased=tuple(leased_runs(session)),
        workers=tuple(list_workers(session, since=now - PRESUMED_DEAD_S)),
        unsent=connection.execute(UNSENT).scalar_one(),
    )


def _runs(session: Session, campaign_ids: list[str]) -> dict[RunState, int]:
    counts: Counter[RunState] = Counter()
    for one in campaign_ids:
        progress = campaign_progress(session, one)
        counts[RunState.PLANNED] += progress.waiting
        counts[RunState.AGENT_QUEUED] += progress.agent_queued
        counts[RunState.AGENT_LEASED] += progress.agent_leased
        counts[RunState.FROZEN] += progress.frozen
        counts[RunState.GRADE_QUEUED] += progress.grade_queued
        counts[RunState.GRADE_LEASED] += progress.grade_leased
        counts[RunState.GRADED] += progress.graded
        counts[RunState.VOID] += progress.void
        counts[RunState.CANCELLED] += progress.cancelled
    return {state: counts[state] for state in RunState}


def _ended(session: Session) -> dict[str, int]:
    ended: Counter[str] = Counter()
    for ending, runs in session.connection().execute(ENDINGS):
        ended["void" if ending.startswith(VOID_PREFIX) else ending] += int(runs)
    return dict(ended)
