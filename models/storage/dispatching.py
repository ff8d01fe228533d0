"""What the dispatcher asks of the rows: what waits, what is on its way, what came back.

No answer here scans more rows than it returns or than are on their way.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from models.schemas.budget import Resource
from models.schemas.campaign import AT_WORK
from models.schemas.run import QUEUED, WAITING, Stage
from models.storage.budgets import SPENT, affordable_runs, spends
from models.storage.campaign_states import in_active_campaign
from models.storage.clock_steps import farthest
from models.storage.failed_tries import LONGEST_BACKOFF_S
from models.storage.outbox import forget_messages_of, remember_messages
from models.storage.transitions import Transition, any_run, in_states
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.queues import QueueRow
from models.tables.runs import QUEUED_STATES, WAITING_STATES, RunRow
from models.tables.system_limits import SystemLimitRow
from models.tables.systems import SystemRow


@dataclass(frozen=True)
class Backlog:
    """Runs of one system of one campaign wait in one queue: a lane.

    `limited` is the id of the system where it has limits. `in_time` and `in_money` are how many
    runs the campaign's budget of time, and those of money and tokens, still allow; None where
    nothing limits it, `in_money` also where the system uses neither. None concerns grading.
    """

    campaign_pk: int
    priority: int
    queue_pk: int
    queue: str
    stage: Stage
    system_pk: int
    limited: str | None = None
    in_time: int | None = None
    in_money: int | None = None


@dataclass(frozen=True, order=True)
class Candidate:
    """A run that could be queued; ordered as the dispatcher serves: repeat, then cell."""

    repeat: int
    cell_pk: int
    run_id: int
    token: int


@dataclass(frozen=True)
class InFlight:
    """So many messages of one system of one campaign are in a queue.

    `spends`: whether it may use money and tokens.
    """

    queue_pk: int
    system_pk: int
    campaign_pk: int
    stage: Stage
    messages: int
    spends: bool = True


READY = (
    in_states(WAITING_STATES),
    # Beyond the longest back-off: written before the clock was stepped back.
    or_(RunRow.not_before <= bindparam("now"), RunRow.not_before > bindparam("farthest")),
)
BACKLOGS = (
    select(
        CampaignRow.pk,
        CampaignRow.priority,
        QueueRow.pk,
        QueueRow.name,
        QueueRow.stage,
        CampaignQueueRow.system_pk,
        SystemLimitRow.digest,
        affordable_runs(Resource.WALL),
        case((spends(), affordable_runs(*SPENT))),
    )
    .select_from(CampaignRow)
    .join(CampaignQueueRow, CampaignQueueRow.campaign_pk == CampaignRow.pk)
    .join(QueueRow, QueueRow.pk == CampaignQueueRow.queue_pk)
    .join(SystemRow, SystemRow.pk == CampaignQueueRow.system_pk)
    .outerjoin(SystemLimitRow, SystemLimitRow.digest == SystemRow.digest)
    .where(
        CampaignRow.state.in_(AT_WORK),
        QueueRow.pk.not_in(bindparam("full", expanding=True)),
        any_run(
            *READY,
            RunRow.campaign_pk == CampaignQueueRow.campaign_pk,
            RunRow.queue_pk == CampaignQueueRow.queue_pk,
            RunRow.system_pk == CampaignQueueRow.system_pk,
            first_by=RunRow.repeat,
        ),
    )
)
QUEUED_TOGETHER = (
    select(
        RunRow.queue_pk,
        RunRow.system_pk,
        RunRow.campaign_pk,
        func.count().label("messages"),
    )
    .where(in_states(QUEUED_STATES))
    .group_by(RunRow.queue_pk, RunRow.system_pk, RunRow.campaign_pk)
    .subquery()
)
IN_FLIGHT = (
    select(
        QUEUED_TOGETHER.c.queue_pk,
        QUEUED_TOGETHER.c.system_pk,
        QUEUED_TOGETHER.c.campaign_pk,
        QueueRow.stage,
        QUEUED_TOGETHER.c.messages,
        spends(),
    )
    .join(QueueRow, QueueRow.pk == QUEUED_TOGETHER.c.queue_pk)
    .join(SystemRow, SystemRow.pk == QUEUED_TOGETHER.c.system_pk)
)
LANES_AT_ONCE = 32
QUEUE = {
    stage: Transition(
        (WAITING[stage],),
        QUEUED[stage],
        (RunRow.id.in_(bindparam("run_ids", expanding=True)), in_active_campaign()),
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


def in_flight(session: Session) -> list[InFlight]:
    """Which messages are in flight."""
    return [InFlight(*row) for row in session.connection().execute(IN_FLIGHT)]


def backlogs(session: Session, now: float, full: Collection[int] = ()) -> list[Backlog]:
    """Where runs of active campaigns wait that may be queued at `now`, but for `full` queues."""
    asked = {"full": list(full), **_at(now)}
    return [Backlog(*row) for row in session.connection().execute(BACKLOGS, asked)]


def queued_counts(session: Session) -> dict[int, int]:
    """How many messages are in flight, by queue."""
    counts: Counter[int] = Counter()
    for each in in_flight(session):
        counts[each.queue_pk] += each.messages
    return dict(counts)


def candidates(
    session: Session, wanted: Mapping[Backlog, int], now: float
) -> dict[Backlog, list[Candidate]]:
    """The next runs of each backlog, by repeat, then cell: so many of each as are `wanted`."""
    found: dict[Backlog, list[Candidate]] = {backlog: [] for backlog in wanted}
    every = list(wanted.items())
    for first in range(0, len(every), LANES_AT_ONCE):
        lanes = every[first : first + LANES_AT_ONCE]
        asked: dict[str, object] = dict(_at(now))
        # A few statements for every number of lanes: those that are not needed find nothing.
        places = 1 << (len(lanes) - 1).bit_length()
        for place, (backlog, limit) in enumerate(lanes + lanes[:1] * (places - len(lanes))):
            asked[f"campaign_{place}"] = backlog.campaign_pk
            asked[f"queue_{place}"] = backlog.queue_pk
            asked[f"system_{place}"] = backlog.system_pk
            asked[f"most_{place}"] = limit if place < len(lanes) else 0
        for place, *run in session.connection().execute(_first_of(places), asked):
            found[lanes[place][0]].append(Candidate(*run))
    return found


@cache
def _first_of(lanes: int) -> CompoundSelect[*tuple[Any, ...]]:
    """The first runs of so many lanes, each led by the number of its lane, from 0."""
    return union_all(*(select(_lane(place).subquery(f"lane_{place}")) for place in range(lanes)))


def _lane(place: int) -> Select[*tuple[Any, ...]]:
    return (
        select(
            literal_column(str(place), Integer).label("place"),
            RunRow.repeat,
            RunRow.cell_pk,
            RunRow.id,
            RunRow.token,
        )
        .where(
            *READY,
            RunRow.campaign_pk == bindparam(f"campaign_{place}"),
            RunRow.queue_pk == bindparam(f"queue_{place}"),
            RunRow.system_pk == bindparam(f"system_{place}"),
        )
        .order_by(RunRow.repeat, RunRow.cell_pk)
        .limit(bindparam(f"most_{place}"))
    )


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
