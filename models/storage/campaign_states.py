"""Changes the state of campaigns, and says which ones may have work done."""

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from models.schemas.campaign import AT_WORK, CampaignState
from models.tables.campaigns import CampaignRow
from models.tables.runs import RunRow

ANY_ACTIVE = select(CampaignRow.pk).where(CampaignRow.state.in_(AT_WORK)).limit(1)


def in_active_campaign() -> ColumnElement[bool]:
    """Whether a run's campaign lets work be done."""
    return RunRow.campaign_pk.in_(select(CampaignRow.pk).where(CampaignRow.state.in_(AT_WORK)))


def change_campaign(
    session: Session,
    campaign_id: str,
    sources: tuple[CampaignState, ...],
    target: CampaignState,
    **values: object,
) -> bool:
    """Move a campaign from one of `sources` to `target`; False when it is in none of them."""
    statement = (
        update(CampaignRow)
        .where(CampaignRow.id == campaign_id, CampaignRow.state.in_(sources))
        .values(**{**values, "state": target})
        .returning(CampaignRow.pk)
        .execution_options(synchronize_session=False)
    )
    return session.execute(statement).scalar_one_or_none() is not None


def note_problem(session: Session, campaign_id: str, problem: str) -> bool:
    """Keep why something could not be done for a campaign; False when that is known already."""
    statement = (
        update(CampaignRow)
        .where(CampaignRow.id == campaign_id, CampaignRow.problem != problem)
        .values(problem=problem)
        .returning(CampaignRow.pk)
        .execution_options(synchronize_session=False)
    )
    return session.execute(statement).scalar_one_or_none() is not None


def any_active_campaign(session: Session) -> bool:
    """Whether there is a campaign in which work may be done."""
    return session.connection().execute(ANY_ACTIVE).first() is not None
