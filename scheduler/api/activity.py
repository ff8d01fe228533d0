"""`/api/campaigns/{campaign}/activity`: one look at what happens."""

from typing import Annotated

from fastapi import APIRouter, Query

from models.schemas.campaign_activity import CampaignActivity
from scheduler.api.campaigns import CampaignId, campaign_id_of
from scheduler.api.problem_responses import NO_SUCH_CAMPAIGN
from scheduler.farm_access.local_farm import LocalFarm

NONE: list[str] = []


def activity_router(farm: LocalFarm) -> APIRouter:
    """The one operation that looks at what happens in campaigns."""
    router = APIRouter(prefix="/campaigns", tags=["campaigns"])

    @router.get(
        "/{campaign}/activity",
        summary="Pace, time left, voids, spend, what stands still, what each worker does",
        responses=NO_SUCH_CAMPAIGN,
    )
    def activity(
        campaign: CampaignId,
        also: Annotated[
            list[str], Query(max_length=100, description="More campaigns, seen as one with it.")
        ] = NONE,
    ) -> CampaignActivity:
        ids = [campaign_id_of(farm, one) for one in (campaign, *also)]
        return farm.activity.look(ids)

    return router
