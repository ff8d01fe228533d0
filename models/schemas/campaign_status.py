"""A campaign with how far it is."""

from models.schemas.base import Schema
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.model_replies import SystemReplies


class CampaignStanding(Schema):
    """One line of a list of campaigns."""

    campaign: CampaignView
    progress: CampaignProgress


class CampaignStatus(Schema):
    """One campaign.

    `hint`: in words, what keeps the farm from working; empty where nothing does. `replies`: of each
    system whose language model's replies are counted, what became of them.
    """

    campaign: CampaignView
    progress: CampaignProgress
    hint: str
    replies: tuple[SystemReplies, ...] = ()
