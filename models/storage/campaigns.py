"""Reads campaigns and their progress."""

from collections.abc import Iterator, Sequence

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.schemas.campaign import UNENDED, CampaignKind, CampaignSpec, CampaignState
from models.schemas.campaign_filter import CampaignFilter
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.run import RunState, Stage
from models.schemas.task import Variant
from models.storage.budgets import read_spend
from models.storage.tallies import CANCELLED, UNDELIVERED, VOID_PREFIX
from models.storage.transitions import in_states
from models.tables.campaigns import CampaignQueueRow, CampaignRow
from models.tables.cells import CellRow, CellTallyRow
from models.tables.queues import QueueRow
from models.tables.runs import LEASED_STATES, QUEUED_STATES, WAITING_STATES, RunRow
from models.tables.variants import VariantRow
from models.verdicts import Verdict

CAMPAIGN = (
    select(CampaignRow)
    .where(CampaignRow.id == bindparam("called"))
    .execution_options(populate_existing=True)
)
ENDINGS = (
    select(CellTallyRow.ending, func.sum(CellTallyRow.runs))
    .join(CellRow, CellRow.pk == CellTallyRow.cell_pk)
    .where(CellRow.campaign_pk == bindparam("of_campaign"))
    .group_by(CellTallyRow.ending)
)
ON_THEIR_WAY = tuple(
    select(RunRow.state, func.count())
    .where(in_states(states), RunRow.campaign_pk == bindparam("of_campaign"))
    .group_by(RunRow.state)
    for states in (QUEUED_STATES, LEASED_STATES)
)
FROZEN = (
    select(func.count())
    .select_from(RunRow)
    .where(
        in_states(WAITING_STATES),
        RunRow.campaign_pk == bindparam("of_campaign"),
        RunRow.queue_pk.in_(
            select(CampaignQueueRow.queue_pk)
            .join(QueueRow, QueueRow.pk == CampaignQueueRow.queue_pk)
            .where(
                CampaignQueueRow.campaign_pk == bindparam("of_campaign"),
                QueueRow.stage == Stage.GRADE,
            )
        ),
    )
)
"""Waiting in a grade queue: the index has the queue, and few runs wait there."""


def find_campaign(session: Session, campaign_id: str) -> CampaignView:
    """One campaign. Raises NotFound."""
    return _view(session, campaign_row(session, campaign_id))


def list_campaigns(session: Session, *, limit: int = 100) -> list[CampaignView]:
    """The newest `limit` campaigns, newest first."""
    newest = select(CampaignRow).order_by(CampaignRow.pk.desc()).limit(limit)
    return [_view(session, row) for row in session.execute(newest).scalars().all()]


def page_of_campaigns(
    session: Session, wanted: CampaignFilter, *, limit: int, before: int | None
) -> list[tuple[int, CampaignView]]:
    """Up to `limit` campaigns with their keys, newest first, older than the key `before`."""
    conditions = [] if before is None else [CampaignRow.pk < before]
    if wanted.states:
        conditions.append(CampaignRow.state.in_(wanted.states))
    if wanted.kind is not None:
        conditions.append(CampaignRow.kind == wanted.kind)
    page = select(CampaignRow).where(*conditions).order_by(CampaignRow.pk.desc()).limit(limit)
    return [(row.pk, _view(session, row)) for row in session.execute(page).scalars().all()]


def newest_campaign(
    session: Session, kind: CampaignKind, states: Sequence[CampaignState]
) -> CampaignView | None:
    """The newest campaign of a kind in one of `states`."""
    wanted = (CampaignRow.kind == kind, CampaignRow.state.in_(states))
    newest = select(CampaignRow).where(*wanted).order_by(CampaignRow.pk.desc()).limit(1)
    row = session.execute(newest).scalar_one_or_none()
    return None if row is None else _view(session, row)


def unended_campaigns(session: Session) -> list[CampaignView]:
    """Every campaign that has not ended, newest first."""
    going = select(CampaignRow).where(CampaignRow.state.in_(UNENDED))
    rows = session.execute(going.order_by(CampaignRow.pk.desc())).scalars().all()
    return [_view(session, row) for row in rows]


def campaigns_called(session: Session, name: str) -> Iterator[CampaignView]:
    """The campaigns that came of a file with that name, newest first."""
    named = select(CampaignRow).where(CampaignRow.id.like(f"{name}-%"))
    for row in session.execute(named.order_by(CampaignRow.pk.desc())).scalars().all():
        view = _view(session, row)
        if view.spec.name == name:
            yield view


def variants_asked(session: Session, campaign_id: str) -> list[Variant]:
    """The variants of a campaign in the universes that it was planned in. Raises NotFound."""
    campaign = campaign_row(session, campaign_id)
    asked = select(CellRow.variant_pk).where(CellRow.campaign_pk == campaign.pk)
    rows = session.execute(
        select(VariantRow).where(VariantRow.pk.in_(asked)).order_by(VariantRow.pk)
    ).scalars()
    fields = tuple(Variant.model_fields)
    return [Variant.model_validate({name: getattr(row, name) for name in fields}) for row in rows]


def campaign_progress(session: Session, campaign_id: str) -> CampaignProgress:
    """How far a campaign is; costs the same for a hundred runs and a million.

    Raises NotFound.
    """
    campaign = campaign_row(session, campaign_id)
    endings = _endings(session, campaign.pk)
    voids = {
        ending.removeprefix(VOID_PREFIX): runs
        for ending, runs in endings.items()
        if ending.startswith(VOID_PREFIX)
    }
    moving = _moving(session, campaign.pk)
    undelivered = endings.get(UNDELIVERED, 0)
    return CampaignProgress(
        campaign_id=campaign.id,
        state=campaign.state,
        total=campaign.total,
        waiting=campaign.total - sum(endings.values()) - sum(moving.values()),
        agent_queued=moving.get(RunState.AGENT_QUEUED, 0),
        agent_leased=moving.get(RunState.AGENT_LEASED, 0),
        frozen=moving.get(RunState.FROZEN, 0),
        grade_queued=moving.get(RunState.GRADE_QUEUED, 0),
        grade_leased=moving.get(RunState.GRADE_LEASED, 0),
        passed=endings.get(Verdict.PASSED, 0),
        failed=endings.get(Verdict.FAILED, 0) + undelivered,
        undelivered=undelivered,
        cancelled=endings.get(CANCELLED, 0),
        voids=voids,
        spend=read_spend(session, campaign.pk),
    )


def campaign_row(session: Session, campaign_id: str) -> CampaignRow:
    """The row of a campaign. Raises NotFound."""
    row = session.execute(CAMPAIGN, {"called": campaign_id}).scalar_one_or_none()
    if row is None:
        raise NotFound(
            f"there is no campaign {campaign_id}.",
            remedy="`gradefarm campaign list` shows the campaigns of this farm.",
        )
    return row


def _view(session: Session, row: CampaignRow) -> CampaignView:
    source = None if row.source_pk is None else session.get(CampaignRow, row.source_pk)
    return CampaignView(
        id=row.id,
        kind=row.kind,
        state=row.state,
        spec=CampaignSpec.model_validate_json(row.spec),
        unproven=row.unproven,
        total=row.total,
        planned=row.planned,
        created_at=row.created_at,
        ended_at=row.ended_at,
        problem=row.problem,
        regrades=source and source.id,
    )


def _endings(session: Session, campaign_pk: int) -> dict[str, int]:
    found = session.connection().execute(ENDINGS, {"of_campaign": campaign_pk})
    return {row[0]: int(row[1]) for row in found}


def _moving(session: Session, campaign_pk: int) -> dict[RunState, int]:
    """Runs on their way, by state: each count walks an index of nothing but such runs."""
    connection, ours = session.connection(), {"of_campaign": campaign_pk}
    counts: dict[RunState, int] = {}
    for statement in ON_THEIR_WAY:
        counts.update((row[0], row[1]) for row in connection.execute(statement, ours))
    counts[RunState.FROZEN] = connection.execute(FROZEN, ours).scalar_one()
    return counts
