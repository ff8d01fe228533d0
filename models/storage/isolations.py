"""In which isolation the counted attempts of a campaign were made."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from models.schemas.isolation_label import is_complete
from models.storage.upserts import Upsert
from models.tables.campaigns import CampaignIsolationRow, CampaignRow

NOTE = Upsert(
    CampaignIsolationRow,
    lambda insert: insert.values(
        campaign_pk=bindparam("of_campaign"), isolation=bindparam("seen")
    ).on_conflict_do_nothing(),
)
LABELS = (
    select(CampaignIsolationRow.isolation)
    .join(CampaignRow, CampaignRow.pk == CampaignIsolationRow.campaign_pk)
    .where(CampaignRow.id.in_(bindparam("ids", expanding=True)))
)


def note_isolation(session: Session, campaign_pk: int, isolation: str) -> None:
    """Remember that an attempt of a campaign counted which was made in `isolation`."""
    NOTE.run(session, of_campaign=campaign_pk, seen=isolation)


def every_attempt_was_isolated(session: Session, campaign_ids: Sequence[str]) -> bool:
    """Whether every counted attempt of these campaigns was made in a complete sandbox."""
    labels = session.execute(LABELS, {"ids": list(campaign_ids)}).scalars()
    return all(is_complete(label) for label in labels)
