"""In which isolation the counted attempts of a campaign were made."""

from collections.abc import Sequence

from sqlalchemy import literal, select
from sqlalchemy.orm import Session

from models.schemas.isolation_label import is_complete
from models.storage.upserts import insert_into
from models.tables.campaigns import CampaignIsolationRow, CampaignRow
from models.tables.runs import RunRow


def note_isolation(session: Session, run_id: int, isolation: str) -> None:
    """Remember that an attempt of a run's campaign counted which was made in `isolation`."""
    found = select(RunRow.campaign_pk, literal(isolation)).where(RunRow.id == run_id)
    statement = insert_into(session, CampaignIsolationRow).from_select(
        ["campaign_pk", "isolation"], found
    )
    session.execute(statement.on_conflict_do_nothing())


def every_attempt_was_isolated(session: Session, campaign_ids: Sequence[str]) -> bool:
    """Whether every counted attempt of these campaigns was made in a complete sandbox."""
    labels = (
        select(CampaignIsolationRow.isolation)
        .join(CampaignRow, CampaignRow.pk == CampaignIsolationRow.campaign_pk)
        .where(CampaignRow.id.in_(campaign_ids))
    )
    return all(is_complete(label) for label in session.execute(labels).scalars())
