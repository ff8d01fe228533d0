"""Who asks for a campaign, and what became of campaigns at whose word."""

from models.schemas.base import Schema

LONGEST_KEY = 200


class CampaignRequest(Schema):
    """A request that makes a campaign: whose, under which key (None: none), and its digest."""

    actor: str
    key: str | None
    digest: str


class CampaignChange(Schema):
    """Something that somebody did to a campaign. `at` in epoch seconds, `actor` a token's name."""

    at: float
    actor: str
    action: str
