"""The figures of a whole farm, for monitors: asked now and then, never dear.

Costs what is in flight, the cells of campaigns that go on, and a row for each cell and ending.
"""

from collections import Counter
from functools import cached_property

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.schemas.budget import Resource
from models.schemas.campaign import AT_WORK, UNENDED, CampaignState
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

CAMPAIGNS = select(CampaignRow.state, func.count()).group_by(CampaignRow.state)
GOING_IDS = select(CampaignRow.id).where(CampaignRow.state.in_(UNENDED))
ACTIVE_IDS = select(CampaignRow.id).where(CampaignRow.state.in_(AT_WORK))
ENDINGS = select(CellTallyRow.ending, func.sum(CellTallyRow.runs)).group_by(CellTallyRow.ending)
UNSENT = select(func.count()).select_from(OutboxRow)
SPENT = select(CampaignBudgetRow.resource, func.sum(CampaignBudgetRow.spent)).group_by(
    CampaignBudgetRow.resource
)


class FarmFigures:
    """One state of the farm, read while `session` is open, each figure when it is asked for: one
    that can't be read keeps back no other."""

    def __init__(self, session: Session, now: float) -> None:
        self.at = now
        self._session = session
        self._connection = session.connection()

    @cached_property
    def holder(self) -> str | None:
        """Who is in office as the scheduler."""
        return office_holder(self._session, self.at)

    @cached_property
    def campaigns(self) -> dict[CampaignState, int]:
        """Campaigns by state."""
        return {row[0]: row[1] for row in self._connection.execute(CAMPAIGNS)}

    @cached_property
    def runs(self) -> dict[RunState, int]:
        """Runs of campaigns that go on, by state."""
        return _runs(self._session, self._going)

    @cached_property
    def ended(self) -> dict[str, int]:
        """Runs ever, by ending, voids as one."""
        return _ended(self._session)

    @cached_property
    def spoiled(self) -> dict[tuple[AttemptEnding, VoidCategory], int]:
        """Attempts ever, by ending and category."""
        return spoiled_of_farm(self._session)

    @cached_property
    def spent(self) -> dict[Resource, int]:
        """Spent ever, in whole units."""
        return {row[0]: int(row[1]) for row in self._connection.execute(SPENT)}

    @cached_property
    def loads(self) -> tuple[QueueLoad, ...]:
        """What campaigns in which work may be done have in their queues: nothing waits where
        people paused it."""
        active = list(self._connection.execute(ACTIVE_IDS).scalars())
        return tuple(queue_loads(self._session, active)) if active else ()

    @cached_property
    def recent(self) -> tuple[RecentAttempt, ...]:
        """The newest attempts of campaigns that go on."""
        return tuple(recent_attempts(self._session, self._going)) if self._going else ()

    @cached_property
    def leased(self) -> tuple[LeasedRun, ...]:
        """Runs that workers hold."""
        return tuple(leased_runs(self._session))

    @cached_property
    def workers(self) -> tuple[WorkerRecord, ...]:
        """Workers that are alive."""
        return tuple(list_workers(self._session, since=self.at - PRESUMED_DEAD_S))

    @cached_property
    def unsent(self) -> int:
        """Messages that the broker did not take yet."""
        return self._connection.execute(UNSENT).scalar_one()

    @cached_property
    def _going(self) -> list[str]:
        return list(self._connection.execute(GOING_IDS).scalars())


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
