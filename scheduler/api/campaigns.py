"""`/api/campaigns`: what was asked for and how far it is."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from models.schemas.api_answers import Page
from models.schemas.campaign import CampaignKind, CampaignState
from models.schemas.campaign_activity import CampaignActivity
from models.schemas.campaign_filter import CampaignFilter
from models.schemas.campaign_request import CampaignChange
from models.schemas.campaign_status import CampaignStanding, CampaignStatus
from models.storage.campaign_requests import changes_of
from models.storage.campaigns import campaign_progress, page_of_campaigns
from scheduler.api.cursors import cursor_at, key_in
from scheduler.api.pages import Cursor
from scheduler.api.problem_responses import BAD_CURSOR, NO_SUCH_CAMPAIGN
from scheduler.farm_access.farm import ANY_STATE
from scheduler.farm_access.local_farm import LocalFarm

KIND = "campaigns"
NONE: list[CampaignState] = []
NO_OTHERS: list[str] = []

CampaignId = Annotated[
    str,
    Path(
        max_length=100,
        description="A campaign's id; `newest`: the newest that is not a gate's.",
        examples=["demo-2"],
    ),
]
States = Annotated[list[CampaignState], Query(description="Only in one of these states.")]


def campaign_id_of(
    farm: LocalFarm, campaign: str, states: tuple[CampaignState, ...] = ANY_STATE
) -> str:
    """The id that is meant. Raises NotFound."""
    return farm.campaigns.find(campaign, states).id


def campaigns_router(farm: LocalFarm) -> APIRouter:
    """The operations below `/campaigns` that only read."""
    router = APIRouter(prefix="/campaigns", tags=["campaigns"])
    _add_list(router, farm)
    _add_single(router, farm)
    return router


def _add_list(router: APIRouter, farm: LocalFarm) -> None:
    @router.get("", summary="Campaigns, newest first, gates included", responses=BAD_CURSOR)
    def list_campaigns(
        state: States = NONE,
        kind: Annotated[CampaignKind | None, Query(description="Only of this kind.")] = None,
        limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50,
        cursor: Cursor = None,
    ) -> Page[CampaignStanding]:
        wanted = CampaignFilter(tuple(state), kind)
        before = key_in(cursor, KIND)
        with farm.database.read() as session:
            found = page_of_campaigns(session, wanted, limit=limit, before=before)
            items = [
                CampaignStanding(campaign=one, progress=campaign_progress(session, one.id))
                for _, one in found
            ]
        following = cursor_at(KIND, found[-1][0]) if len(found) == limit else None
        return Page(items=tuple(items), next=following)


def _add_single(router: APIRouter, farm: LocalFarm) -> None:
    @router.get(
        "/{campaign}",
        summary="One campaign, how far it is, and what keeps the farm from working",
        responses=NO_SUCH_CAMPAIGN,
    )
    def one_campaign(campaign: CampaignId, state: States = NONE) -> CampaignStatus:
        states = tuple(state) or ANY_STATE
        return farm.campaigns.status(campaign_id_of(farm, campaign, states))

    @router.get(
        "/{campaign}/activity",
        summary="What happens in campaigns now: pace, time left, workers, slowest, stuck, voids",
        responses=NO_SUCH_CAMPAIGN,
    )
    def activity(
        campaign: CampaignId,
        also: Annotated[
            list[str], Query(max_length=100, description="Look at these as well, as if one.")
        ] = NO_OTHERS,
    ) -> CampaignActivity:
        return farm.activity.look((campaign_id_of(farm, campaign), *also))

    @router.get(
        "/{campaign}/changes",
        summary="Who started and steered a campaign over HTTP, oldest first",
        responses=NO_SUCH_CAMPAIGN,
    )
    def changes(campaign: CampaignId) -> list[CampaignChange]:
        with farm.database.read() as session:
            return changes_of(session, campaign_id_of(farm, campaign))
