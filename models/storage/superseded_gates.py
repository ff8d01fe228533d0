"""Which runs of gates nobody needs the evidence of any more."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.schemas.campaign import CampaignKind
from models.tables.campaigns import CampaignRow
from models.tables.gate_decisions import GateDecisionRow
from models.tables.runs import RunRow

NEWEST = (
    select(func.max(GateDecisionRow.id))
    .group_by(GateDecisionRow.task, GateDecisionRow.language, GateDecisionRow.universe)
    .scalar_subquery()
)
SUPERSEDED = select(CampaignRow.pk).where(
    CampaignRow.kind == CampaignKind.GATE,
    CampaignRow.ended_at.is_not(None),
    CampaignRow.id.in_(select(GateDecisionRow.campaign_id)),
    CampaignRow.id.not_in(
        select(GateDecisionRow.campaign_id).where(GateDecisionRow.id.in_(NEWEST))
    ),
)


def superseded_gate_runs(session: Session, before: float) -> frozenset[int]:
    """The runs of gates that ended before `before`, for which a newer one of the same variant in
    the same universe decided again."""
    campaigns = SUPERSEDED.where(CampaignRow.ended_at < before)
    found = session.execute(select(RunRow.id).where(RunRow.campaign_pk.in_(campaigns)))
    return frozenset(found.scalars())
