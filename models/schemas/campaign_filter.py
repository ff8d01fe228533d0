"""Which campaigns are asked for."""

from dataclasses import dataclass

from models.schemas.campaign import CampaignKind, CampaignState


@dataclass(frozen=True)
class CampaignFilter:
    """Which campaigns to list; None and empty mean any."""

    states: tuple[CampaignState, ...] = ()
    kind: CampaignKind | None = None
