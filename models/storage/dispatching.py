"""What the dispatcher asks of the rows: what waits, what is on its way, what came back.

No answer here scans more rows than it returns or than are on their way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, bindparam, func, or_, select, update
from sqlalchemy.orm import Session

from models.schemas.run import QUEUED, WAITING, Stage
from models.storage.campaign_states import ACTIVE
from models.storage.clock_steps import farthest
from models.storage.leases import LONGEST_BACKOFF_S
from models.storage.outbox import forget_messages_of, remember_messages
from models.storage.transitions import Transition, any_run, in_states
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


READY = (
    in_states(WAITING_STATES),
    # Beyond the longest back-off: written before the clock was stepped back.
    or_(RunRow.not_before <= bindparam("now"), RunRow.not_before > bindparam("farthest")),
)
BACKLOGS = (
    select(CampaignRow.pk, CampaignRow.priority, QueueRow.pk, QueueRow.name, QueueRow.stage)
    .select_from(CampaignRow)
    .join(CampaignQueueRow, CampaignQueueRow.campaign_pk == CampaignRow.pk)
    .join(QueueRow, QueueRow.pk == CampaignQueueRow.queue_pk)
    .where(
        CampaignRow.state.in_(ACTIVE),
        any_run(
            *READY,
            RunRow.campaign_pk == CampaignQueueRow.campaign_pk,
            RunRow.queue_pk == CampaignQueueRow.queue_pk,
            first_by=RunRow.repeat,
        ),
    )
)
IN_FLIGHT = (
    select(RunRow.queue_pk, func.count()).where(in_states(QUEUED_STATES)).group_by(RunRow.queue_pk)
)
CANDIDATES = (
    select(RunRow.repeat, RunRow.cell_pk, RunRow.id, RunRow.token)
    .where(
        *READY,
        RunRow.campaign_pk == bindparam("of_campaign"),
        RunRow.queue_pk == bindparam("in_queue"),
    )
    .order_by(RunRow.repeat, RunRow.cell_pk)
    .limit(bindparam("at_most"))
)
QUEUE = {
    stage: Transition(
        (WAITING[stage],),
        QUEUED[stage],
        (RunRow.id.in_(bindparam("run_ids", expanding=True)),),
        sets=("queued_at", "queued_until"),
    )
    for stage in Stage
}
OVERDUE = (
    in_states(QUEUED_STATES),
    RunRow.queued_until < bindparam("now"),
)
OVERDUE_QUEUES = select(QueueRow.pk, QueueRow.name).where(
    QueueRow.pk.in_(select(RunRow.queue_pk).where(*OVERDUE))
)
EXTEND = (
    update(RunRow)
    .where(*OVERDUE, RunRow.queue_pk == bindparam("in_queue"))
    .values(queued_until=bindparam("new_end"))
)


def _unqueueing(*where: ColumnElement[bool]) -> tuple[Transition, ...]:
    """One transition for each stage; both states are named, since the index is over both."""
    return tuple(
        Transition((QUEUED[stage],), WAITING[stage], (in_states(QUEUED_STATES), *where))
        for stage in Stage
    )


UNQUEUE_ALL = _unqueueing()
UNQUEUE_OVERDUE = _unqueueing(
    RunRow.queued_until < bindparam("now"), RunRow.queue_pk == bindparam("in_queue")
)
UNQUEUE_CAMPAIGN = _unqueueing(
    RunRow.campaign_pk
    == select(CampaignRow.pk).where(CampaignRow.id == bindparam("of_campaign")).scalar_subquery()
)


def backlogs(session: Session, now: float) -> list[Backlog]:
    """Where runs of active campaigns wait that may be queued at `now`."""
    return [Backlog(*row) for row in session.connection().execute(BACKLOGS, _at(now))]


def queued_counts(session: Session) -> dict[int, int]:
    """How many messages are in flight, by queue."""
    return {row[0]: row[1] for row in session.connection().execute(IN_FLIGHT)}


def candidates(session: Session, backlog: Backlog, now: float, limit: int) -> list[Candidate]:
    """The next `limit` runs of a backlog, by repeat, then cell."""
    wanted = {
        "of_campaign": backlog.campaign_pk,
        "in_queue": backlog.queue_pk,
        "at_most": limit,
        **_at(now),
    }
    return [Candidate(*row) for row in session.connection().execute(CANDIDATES, wanted)]


def _at(now: float) -> dict[str, float]:
    return {"now": now, "farthest": farthest(now, LONGEST_BACKOFF_S)}


def mark_queued(
    session: Session, stage: Stage, chosen: Sequence[Candidate], now: float, slot_s: float
) -> int:
    """Queue the chosen runs that still wait, with a message each; returns how many."""
    if not chosen:
        return 0
    ids = [candidate.run_id for candidate in chosen]
    moved = QUEUE[stage].apply(
        session, run_ids=ids, new_queued_at=now, new_queued_until=now + slot_s
    )
    tokens = {row.id: row.token for row in moved}
    in_turn = [(run_id, tokens[run_id]) for run_id in ids if run_id in tokens]
    remember_messages(session, stage, in_turn, now)
    return len(moved)


def overdue_queues(session: Session, now: float) -> dict[int, str]:
    """The queues, by key, in which a message had its time."""
    found = session.connection().execute(OVERDUE_QUEUES, {"now": now})
    return {row[0]: row[1] for row in found}


def extend_slots(session: Session, queue_pk: int, now: float, slot_s: float) -> None:
    """Give the overdue messages of a queue, which the broker still holds, more time."""
    longer = {"in_queue": queue_pk, "now": now, "new_end": now + slot_s}
    session.connection().execute(EXTEND, longer)


def unqueue_overdue(session: Session, queue_pk: int, now: float) -> int:
    """Put the runs of a queue whose message had its time back to waiting; returns how many."""
    return _unqueue(session, UNQUEUE_OVERDUE, in_queue=queue_pk, now=now)


def unqueue_all(session: Session) -> int:
    """Put every queued run back to waiting: the broker lost its memory. Returns how many."""
    return _unqueue(session, UNQUEUE_ALL)


def unqueue_campaign(session: Session, campaign_id: str) -> int:
    """Put the queued runs of a campaign back to waiting; returns how many."""
    return _unqueue(session, UNQUEUE_CAMPAIGN, of_campaign=campaign_id)


def _unqueue(session: Session, back: tuple[Transition, ...], **parameters: object) -> int:
    """Put queued runs back, and drop their messages that are still unsent."""
    moved = [row.id for each in back for row in each.apply(session, **parameters)]
    forget_messages_of(session, moved)
    return len(moved)
