"""What the dispatcher asks of the rows: what waits, what is on its way, what came back.

No answer here scans more rows than it returns or than are on their way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from models.schemas.run import QUEUED, WAITING, Stage
from models.storage.campaign_states import ACTIVE
from models.storage.outbox import forget_messages_of, remember_messages
from models.storage.transitions import change_state, in_states
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.queues import QueueRow
from models.tables.runs import QUEUED_STATES, WAITING_STATES, RunRow


@dataclass(frozen=True)
class Backlog:
    """Runs of one campaign wait in one queue."""

    campaign_pk: int
    priority: int
    queue_pk: int
    queue: str
    stage: Stage


@dataclass(frozen=True, order=True)
class Candidate:
    """A run that could be queued; ordered as the dispatcher serves: repeat, then cell."""

    repeat: int
    cell_pk: int
    run_id: int
    token: int


def backlogs(session: Session, now: float) -> list[Backlog]:
    """Where runs of active campaigns wait that may be queued at `now`."""
    waits = (
        select(RunRow.id)
        .where(
            in_states(WAITING_STATES),
            RunRow.campaign_pk == CampaignQueueRow.campaign_pk,
            RunRow.queue_pk == CampaignQueueRow.queue_pk,
            RunRow.not_before <= now,
        )
        .exists()
    )
    statement = (
        select(CampaignRow.pk, CampaignRow.priority, QueueRow)
        .join(CampaignQueueRow, CampaignQueueRow.campaign_pk == CampaignRow.pk)
        .join(QueueRow, QueueRow.pk == CampaignQueueRow.queue_pk)
        .where(CampaignRow.state.in_(ACTIVE), waits)
    )
    return [
        Backlog(campaign_pk, priority, queue.pk, queue.name, queue.stage)
        for campaign_pk, priority, queue in session.execute(statement)
    ]


def queued_counts(session: Session) -> dict[int, int]:
    """How many messages are in flight, by queue."""
    counted = (
        select(RunRow.queue_pk, func.count())
        .where(in_states(QUEUED_STATES))
        .group_by(RunRow.queue_pk)
    )
    return {row[0]: row[1] for row in session.execute(counted)}


def candidates(session: Session, backlog: Backlog, now: float, limit: int) -> list[Candidate]:
    """The next `limit` runs of a backlog, by repeat, then cell."""
    statement = (
        select(RunRow.repeat, RunRow.cell_pk, RunRow.id, RunRow.token)
        .where(
            in_states(WAITING_STATES),
            RunRow.campaign_pk == backlog.campaign_pk,
            RunRow.queue_pk == backlog.queue_pk,
            RunRow.not_before <= now,
        )
        .order_by(RunRow.repeat, RunRow.cell_pk)
        .limit(limit)
    )
    return [Candidate(*row) for row in session.execute(statement)]


def mark_queued(
    session: Session, stage: Stage, chosen: Sequence[Candidate], now: float, slot_s: float
) -> int:
    """Queue the chosen runs that still wait, with a message each; returns how many."""
    tokens = {candidate.run_id: candidate.token for candidate in chosen}
    moved = change_state(
        session,
        (WAITING[stage],),
        QUEUED[stage],
        RunRow.id.in_(list(tokens)),
        queued_until=now + slot_s,
    )
    wanted = [(run_id, tokens[run_id]) for run_id in tokens if run_id in set(moved)]
    remember_messages(session, stage, wanted, now)
    return len(moved)


def overdue_queues(session: Session, now: float) -> dict[int, str]:
    """The queues, by key, in which a message had its time."""
    statement = select(QueueRow.pk, QueueRow.name).where(
        QueueRow.pk.in_(
            select(RunRow.queue_pk).where(in_states(QUEUED_STATES), RunRow.queued_until < now)
        )
    )
    return {row[0]: row[1] for row in session.execute(statement)}


def extend_slots(session: Session, queue_pk: int, now: float, slot_s: float) -> int:
    """Give the overdue messages of a queue, which the broker still holds, more time."""
    statement = (
        update(RunRow)
        .where(in_states(QUEUED_STATES), RunRow.queue_pk == queue_pk, RunRow.queued_until < now)
        .values(queued_until=now + slot_s)
        .returning(RunRow.id)
        .execution_options(synchronize_session=False)
    )
    return len(session.execute(statement).all())


def unqueue_overdue(session: Session, queue_pk: int, now: float) -> int:
    """Put the runs of a queue whose message had its time back to waiting; returns how many."""
    return _unqueue(session, RunRow.queue_pk == queue_pk, RunRow.queued_until < now)


def unqueue_all(session: Session) -> int:
    """Put every queued run back to waiting: the broker lost its memory. Returns how many."""
    return _unqueue(session)


def unqueue_campaign(session: Session, campaign_id: str) -> int:
    """Put the queued runs of a campaign back to waiting; returns how many."""
    ours = select(CampaignRow.pk).where(CampaignRow.id == campaign_id).scalar_subquery()
    return _unqueue(session, RunRow.campaign_pk == ours)


def _unqueue(session: Session, *where: ColumnElement[bool]) -> int:
    """Put queued runs back, and drop their messages that are still unsent."""
    back: list[int] = []
    for stage in Stage:
        # Named besides the one state of this stage, since the index is over both.
        queued = in_states(QUEUED_STATES)
        back += change_state(session, (QUEUED[stage],), WAITING[stage], queued, *where)
    forget_messages_of(session, back)
    return len(back)
