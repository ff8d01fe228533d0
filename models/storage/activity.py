"""What the live view asks of the rows.

No answer costs more than what is in flight, the cells of the campaigns, or the newest attempts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import and_, bindparam, case, func, select
from sqlalchemy.orm import Session

from models.schemas.campaign import CampaignLimits
from models.schemas.run import RunState, Stage
from models.storage.transitions import in_states
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.cells import CellRow, CellTallyRow
from models.tables.queues import QueueRow
from models.tables.runs import LEASED_STATES, QUEUED_STATES, WAITING_STATES, RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow
from models.verdicts import AttemptEnding

NEWEST_ATTEMPTS = 1_000
"""So many attempts of the farm are looked at to tell how fast it works."""
MOST_IN_WORK = 5_000

IN_WORK = (
    select(
        RunRow.id,
        CampaignRow.id,
        CampaignRow.limits,
        SystemRow.name,
        VariantRow.task,
        VariantRow.language,
        RunRow.repeat,
        AttemptRow.stage,
        AttemptRow.number,
        AttemptRow.worker,
        AttemptRow.started_at,
        RunRow.lease_until,
    )
    .select_from(RunRow)
    .join(AttemptRow, and_(AttemptRow.run_id == RunRow.id, AttemptRow.token == RunRow.token))
    .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
    .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
    .where(in_states(LEASED_STATES))
    .order_by(RunRow.lease_until)
    .limit(MOST_IN_WORK)
)
QUEUES = (
    select(QueueRow.pk, QueueRow.name, QueueRow.stage)
    .where(
        QueueRow.pk.in_(
            select(CampaignQueueRow.queue_pk)
            .join(CampaignRow, CampaignRow.pk == CampaignQueueRow.campaign_pk)
            .where(CampaignRow.id.in_(bindparam("ids", expanding=True)))
        )
    )
    .order_by(QueueRow.name)
)
KEYS = select(CampaignRow.pk).where(CampaignRow.id.in_(bindparam("ids", expanding=True)))
PLANNED = (
    select(
        CellRow.agent_queue_pk, CellRow.grade_queue_pk, func.count() * func.max(CampaignRow.repeats)
    )
    .join(CampaignRow, CampaignRow.pk == CellRow.campaign_pk)
    .where(CellRow.campaign_pk.in_(bindparam("campaigns", expanding=True)))
    .group_by(CellRow.campaign_pk, CellRow.agent_queue_pk, CellRow.grade_queue_pk)
)
ENDED = (
    select(CellRow.agent_queue_pk, CellRow.grade_queue_pk, func.sum(CellTallyRow.runs))
    .join(CellTallyRow, CellTallyRow.cell_pk == CellRow.pk)
    .where(CellRow.campaign_pk.in_(bindparam("campaigns", expanding=True)))
    .group_by(CellRow.agent_queue_pk, CellRow.grade_queue_pk)
)
MOVING = (
    select(
        RunRow.queue_pk,
        CellRow.agent_queue_pk,
        RunRow.state,
        func.count(),
        func.min(RunRow.queued_at),
    )
    .select_from(RunRow)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
    .where(RunRow.campaign_pk.in_(bindparam("campaigns", expanding=True)))
    .group_by(RunRow.queue_pk, CellRow.agent_queue_pk, RunRow.state)
)
FROZEN = MOVING.where(
    in_states(WAITING_STATES),
    RunRow.queue_pk.in_(select(QueueRow.pk).where(QueueRow.stage == Stage.GRADE)),
)
"""Waiting in a grade queue: the index has the queue."""
NEWEST = select(AttemptRow.id).order_by(AttemptRow.id.desc()).limit(bindparam("at_most")).subquery()
LATEST = (
    select(
        case(
            (AttemptRow.stage == Stage.GRADE, CellRow.grade_queue_pk),
            else_=CellRow.agent_queue_pk,
        ),
        AttemptRow.started_at,
        AttemptRow.ended_at,
        AttemptRow.ending == AttemptEnding.OK,
        RunRow.campaign_pk,
    )
    .select_from(NEWEST)
    .join(AttemptRow, AttemptRow.id == NEWEST.c.id)
    .join(RunRow, RunRow.id == AttemptRow.run_id)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
)


@dataclass(frozen=True)
class LeasedRun:
    """A run that a worker holds, with the attempt that it is worked on under."""

    run_id: int
    campaign_id: str
    limits: CampaignLimits
    system: str
    task: str
    language: str
    repeat: int
    stage: Stage
    attempt: int
    worker: str
    started_at: float
    lease_until: float

    @property
    def label(self) -> str:
        """`system/task/language/r<repeat>`, for people."""
        return f"{self.system}/{self.task}/{self.language}/r{self.repeat}"


@dataclass(frozen=True)
class QueueLoad:
    """What campaigns have in one queue: stages still to be done, and those on their way."""

    pk: int
    name: str
    stage: Stage
    remaining: int = 0
    queued: int = 0
    leased: int = 0
    queued_since: float | None = None


@dataclass(frozen=True)
class RecentAttempt:
    """When a stage was worked on; `ok`: it ended, and not void, lost or given back."""

    queue_pk: int
    started_at: float
    ended_at: float | None
    ok: bool


def leased_runs(session: Session) -> list[LeasedRun]:
    """Every run that a worker holds, of all campaigns."""
    found = session.connection().execute(IN_WORK)
    return [
        LeasedRun(row[0], row[1], CampaignLimits.model_validate_json(row[2]), *row[3:])
        for row in found
    ]


def queue_loads(session: Session, campaign_ids: Sequence[str]) -> list[QueueLoad]:
    """The queues that these campaigns pass through, by name."""
    connection, ids = session.connection(), {"ids": list(campaign_ids)}
    loads = {row[0]: QueueLoad(*row) for row in connection.execute(QUEUES, ids)}
    keys = campaign_keys(session, campaign_ids)
    left = _left(session, keys)
    for states in (QUEUED_STATES, LEASED_STATES):
        counted = connection.execute(MOVING.where(in_states(states)), {"campaigns": keys})
        for queue_pk, agent_queue_pk, state, runs, since in counted:
            if state in (RunState.GRADE_QUEUED, RunState.GRADE_LEASED):
                left[agent_queue_pk] -= runs
            loads[queue_pk] = _with_moving(loads[queue_pk], states, runs, since)
    for _, agent_queue_pk, _, runs, _ in connection.execute(FROZEN, {"campaigns": keys}):
        left[agent_queue_pk] -= runs
    return [replace(load, remaining=max(0, left[load.pk])) for load in loads.values()]


def recent_attempts(session: Session, campaign_ids: Sequence[str]) -> list[RecentAttempt]:
    """Attempts of these campaigns among the newest of the farm, in no order."""
    keys = set(campaign_keys(session, campaign_ids))
    found = session.connection().execute(LATEST, {"at_most": NEWEST_ATTEMPTS})
    return [RecentAttempt(row[0], row[1], row[2], bool(row[3])) for row in found if row[4] in keys]


def campaign_keys(session: Session, campaign_ids: Sequence[str]) -> list[int]:
    """The keys of these campaigns; those that there are none of are left out."""
    return list(session.connection().execute(KEYS, {"ids": list(campaign_ids)}).scalars())


def _left(session: Session, keys: Sequence[int]) -> Counter[int]:
    """Runs that have not ended, by agent queue and by grade queue."""
    left: Counter[int] = Counter()
    for sign, statement in ((1, PLANNED), (-1, ENDED)):
        counted = session.connection().execute(statement, {"campaigns": list(keys)})
        for agent_queue_pk, grade_queue_pk, runs in counted:
            left[agent_queue_pk] += sign * int(runs)
            left[grade_queue_pk] += sign * int(runs)
    return left


def _with_moving(
    load: QueueLoad, states: tuple[RunState, ...], runs: int, since: float | None
) -> QueueLoad:
    if states is LEASED_STATES:
        return replace(load, leased=load.leased + runs)
    first = min((one for one in (load.queued_since, since) if one is not None), default=None)
    return replace(load, queued=load.queued + runs, queued_since=first)
