"""Reads campaigns and their progress."""

from sqlalchemy.orm import Session

from models.schemas.campaign_progress import CampaignProgress, CampaignView


def find_campaign(session: Session, campaign_id: str) -> CampaignView:
    """One campaign. Raises NotFound."""
    raise NotImplementedError


def list_campaigns(session: Session, *, limit: int = 100) -> list[CampaignView]:
    """The newest `limit` campaigns, newest first."""
    raise NotImplementedError


def campaign_progress(session: Session, campaign_id: str) -> CampaignProgress:
    """How far a campaign is; costs the same for a hundred runs and a million.

    Raises NotFound.
    """
    raise NotImplementedError
