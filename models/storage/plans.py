"""Writes campaigns and their plans: the campaign at once, its runs batch by batch."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import insert, or_, select, update
from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.schemas.budget import Resource, in_units
from models.schemas.campaign import CampaignSpec, CampaignState, SystemSpec
from models.schemas.plan import PlannedCell, PlannedRun
from models.schemas.run import Stage
from models.schemas.system_limit import SystemLimits
from models.schemas.task import Variant
from models.storage.budgets import open_budget
from models.storage.campaigns import campaign_row
from models.storage.elections import CLOCK_SLACK_S
from models.storage.regrades import insert_frozen
from models.storage.run_inserts import insert_planned
from models.storage.system_limits import read_limits, set_limits
from models.storage.upserts import Upsert
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.cells import CellRow
from models.tables.queues import QueueRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow

ADD_SYSTEM = Upsert(SystemRow, lambda insert: insert.on_conflict_do_nothing())
ADD_VARIANT = Upsert(VariantRow, lambda insert: insert.on_conflict_do_nothing())
ADD_QUEUE = Upsert(QueueRow, lambda insert: insert.on_conflict_do_nothing())


@dataclass(frozen=True)
class OpenPlan:
    """A campaign whose runs are being inserted: `planned` of `total` are.

    `cells` are (cell key, keys of its agent queue and of its system) by position; `planned_at` is
    when the planner last moved. `source_pk` is the campaign whose snapshots are graded again, if
    any.
    """

    campaign_id: str
    campaign_pk: int
    total: int
    planned: int
    planned_at: float
    cells: tuple[tuple[int, int, int], ...]
    source_pk: int | None = None

    def after(self, inserted: int) -> "OpenPlan":
        """The plan with `inserted` more runs."""
        return replace(self, planned=self.planned + inserted)


def create_campaign(
    session: Session,
    spec: CampaignSpec,
    cells: Sequence[PlannedCell],
    *,
    unproven: bool,
    now: float,
    regrades: str | None = None,
) -> str:
    """Write a campaign without its runs, in the state `planning`; returns its id.

    The id is the campaign's name with its number in this farm. `regrades` is the campaign whose
    runs it takes over, frozen as they are. Raises NotFound where there is no such.
    """
    source_pk = None if regrades is None else campaign_row(session, regrades).pk
    row = CampaignRow(
        id=f"new-{secrets.token_hex(16)}",  # until its number is known
        kind=spec.kind,
        state=CampaignState.PLANNING,
        priority=spec.priority,
        repeats=spec.repeats,
        max_attempts=spec.policy.max_attempts,
        unproven=unproven,
        spec=spec.model_dump_json(),
        limits=spec.limits.model_dump_json(),
        total=len(cells) * spec.repeats,
        planned=0,
        planned_at=now,
        created_at=now,
        source_pk=source_pk,
    )
    session.add(row)
    session.flush()
    row.id = f"{spec.name}-{row.pk}"
    session.flush()
    _write_cells(session, row.pk, cells)
    if regrades is None:
        open_budget(session, row.pk, spec.budget.totals(), run_caps(spec, cells))
        _limit_systems(session, spec, row.id)
    return row.id


def run_caps(spec: CampaignSpec, cells: Sequence[PlannedCell]) -> dict[Resource, int]:
    """What one run of a campaign may use at most, in whole units, of what is limited."""
    longest = max(cell.agent_wall_s for cell in cells) or spec.limits.agent_wall_s
    return in_units(spec.limits.agent_cost_usd, spec.limits.agent_tokens, longest)


def _limit_systems(session: Session, spec: CampaignSpec, campaign_id: str) -> None:
    """Set the limits that the campaign names; of what it does not name, those of before stay."""
    asked = {str(system.id): system for system in spec.systems if system.limits_anything}
    before = read_limits(session, asked)
    wanted = {
        digest: before.get(digest, SystemLimits()).changed_by(system)
        for digest, system in asked.items()
    }
    changed = {digest: one for digest, one in wanted.items() if one != before.get(digest)}
    set_limits(session, changed, campaign_id)


def read_plan(session: Session, campaign_id: str) -> OpenPlan:
    """How far a campaign is planned. Raises NotFound."""
    campaign = campaign_row(session, campaign_id)
    cells = session.execute(
        select(CellRow.pk, CellRow.agent_queue_pk, CellRow.system_pk)
        .where(CellRow.campaign_pk == campaign.pk)
        .order_by(CellRow.position)
    )
    return OpenPlan(
        campaign.id,
        campaign.pk,
        campaign.total,
        campaign.planned,
        campaign.planned_at,
        tuple((row[0], row[1], row[2]) for row in cells),
        campaign.source_pk,
    )


def insert_runs(session: Session, plan: OpenPlan, batch: Sequence[PlannedRun], now: float) -> bool:
    """Insert the next runs of a plan and move its mark past them, as moved at `now`.

    False, with nothing done, when another planner was here first, or planning is over.
    """
    if not batch or not _advance(session, plan, len(batch), now):
        return False
    if plan.source_pk is not None:
        insert_frozen(session, (plan.source_pk, plan.campaign_pk), (batch[0], batch[-1]), now)
        return True
    rows: list[tuple[int, int, int, int]] = []
    for position, repeat in batch:
        cell, queue, system = plan.cells[position]
        rows.append((cell, repeat, queue, system))
    insert_planned(session, plan.campaign_pk, rows)
    return True


def stalled_plan(session: Session, now: float, patience_s: float) -> str | None:
    """The oldest campaign in planning whose planner has not moved for `patience_s`."""
    stalled = or_(
        CampaignRow.planned_at < now - patience_s,
        CampaignRow.planned_at > now + CLOCK_SLACK_S,  # of before the clock was stepped back
    )
    oldest = (
        select(CampaignRow.id)
        .where(CampaignRow.state == CampaignState.PLANNING, stalled)
        .order_by(CampaignRow.pk)
        .limit(1)
    )
    return session.execute(oldest).scalar_one_or_none()


def _advance(session: Session, plan: OpenPlan, by: int, now: float) -> bool:
    moved = session.execute(
        update(CampaignRow)
        .where(
            CampaignRow.pk == plan.campaign_pk,
            CampaignRow.planned == plan.planned,
            CampaignRow.state == CampaignState.PLANNING,
        )
        .values(planned=plan.planned + by, planned_at=now)
        .returning(CampaignRow.pk)
        .execution_options(synchronize_session=False)
    )
    return moved.scalar_one_or_none() is not None


def _write_cells(session: Session, campaign_pk: int, cells: Sequence[PlannedCell]) -> None:
    systems = {cell.system.name: _system_pk(session, cell.system) for cell in cells}
    variants = {cell.variant.name: _variant_pk(session, cell.variant) for cell in cells}
    queues = _queue_pks(session, cells)
    session.connection().execute(
        insert(CellRow),
        [
            {
                "campaign_pk": campaign_pk,
                "position": cell.position,
                "system_pk": systems[cell.system.name],
                "variant_pk": variants[cell.variant.name],
                "agent_queue_pk": queues[cell.agent_queue],
                "grade_queue_pk": queues[cell.grade_queue],
            }
            for cell in cells
        ],
    )
    lanes = {
        (queues[queue], systems[cell.system.name])
        for cell in cells
        for queue in (cell.agent_queue, cell.grade_queue)
    }
    session.connection().execute(
        insert(CampaignQueueRow),
        [
            {"campaign_pk": campaign_pk, "queue_pk": queue, "system_pk": system}
            for queue, system in sorted(lanes)
        ],
    )


def _system_pk(session: Session, system: SystemSpec) -> int:
    settings = canonical_bytes(dict(system.settings)).decode()
    ADD_SYSTEM.run(
        session, digest=system.id, name=system.name, agent=system.agent, settings=settings
    )
    found = select(SystemRow.pk).where(SystemRow.digest == system.id, SystemRow.name == system.name)
    return session.execute(found).scalar_one()


def _variant_pk(session: Session, variant: Variant) -> int:
    ADD_VARIANT.run(
        session,
        task=variant.task,
        language=variant.language,
        universe=variant.universe,
        public_digest=variant.public_digest,
    )
    found = select(VariantRow.pk).where(
        VariantRow.task == variant.task,
        VariantRow.language == variant.language,
        VariantRow.universe == variant.universe,
        VariantRow.public_digest == variant.public_digest,
    )
    return session.execute(found).scalar_one()


def _queue_pks(session: Session, cells: Iterable[PlannedCell]) -> dict[str, int]:
    names = {(cell.agent_queue, Stage.AGENT) for cell in cells}
    names |= {(cell.grade_queue, Stage.GRADE) for cell in cells}
    for name, stage in sorted(names):
        ADD_QUEUE.run(session, name=name, stage=stage)
    wanted = select(QueueRow.name, QueueRow.pk).where(
        QueueRow.name.in_([name for name, _ in names])
    )
    return {row[0]: row[1] for row in session.execute(wanted)}
