"""A campaign with how far it is."""

from models.schemas.base import Schema
from models.schemas.campaign_progress import CampaignProgress, CampaignView


class CampaignStanding(Schema):
    """One line of a list of campaigns."""

    campaign: CampaignView
    progress: CampaignProgress


class CampaignStatus(Schema):
    """One campaign.

    `hint`: in words, what keeps the farm from working; empty where nothing does.
    """

    campaign: CampaignView
    progress: CampaignProgress
    hint: str
