"""`/api/campaigns`: starting and steering; `/api/regrades`: grading again."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Query, Response

from models.identifiers import SystemId
from models.schemas.api_answers import PausedCampaign
from models.schemas.api_token import TokenRole
from models.schemas.budget import Budget, Resource, Spend
from models.schemas.campaign import AT_WORK, CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignView
from models.schemas.campaign_request import CampaignRequest
from models.schemas.regrade import Regrade
from models.storage.campaign_requests import AskedBefore, campaign_of_request
from scheduler.api.access import Who
from scheduler.api.access_errors import RoleNeeded
from scheduler.api.campaign_bodies import (
    IdempotencyKey,
    NewCampaign,
    NewRegrade,
    request_of,
    spec_of,
)
from scheduler.api.campaigns import CampaignId, campaign_id_of
from scheduler.api.change_record import ChangeRecord
from scheduler.api.planners import Planners
from scheduler.api.problem_responses import BAD_CAMPAIGN, NO_SUCH_CAMPAIGN, REFUSED
from scheduler.campaign_lifecycle import begin_campaign
from scheduler.farm_access.gateway_need import refuse_without_gateway
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.farm_access.replay_need import refuse_inexact_replays

REPLAYED = "Idempotent-Replayed"
"""A header of answers to a request that was carried out before."""


def steering_router(farm: LocalFarm, record: ChangeRecord, planners: Planners) -> APIRouter:
    """The operations that change campaigns."""
    router = APIRouter()
    campaigns, regrades = APIRouter(tags=["campaigns"]), APIRouter(tags=["regrades"])
    _add_start(campaigns, farm, record, planners)
    _add_steering(campaigns, farm, record)
    _add_resume(campaigns, farm, record, planners)
    _add_regrades(regrades, farm, record, planners)
    router.include_router(campaigns)
    router.include_router(regrades)
    return router


def _add_start(
    router: APIRouter, farm: LocalFarm, record: ChangeRecord, planners: Planners
) -> None:
    @router.post(
        "/campaigns",
        status_code=201,
        summary="Start a campaign; its runs are planned while it begins",
        responses=BAD_CAMPAIGN | REFUSED,
    )
    def start(
        body: NewCampaign,
        who: Who,
        answer: Response,
        later: BackgroundTasks,
        idempotency_key: IdempotencyKey = None,
    ) -> CampaignView:
        request = request_of(who, idempotency_key, body)
        spec = spec_of(body, farm.catalogue.variants())
        _refuse_loosened_limits(farm, who, spec)

        def begin() -> str:
            refuse_without_gateway(farm.settings, spec)
            refuse_inexact_replays(lambda: farm.artifacts, spec)
            begun = begin_campaign(
                farm.database,
                farm.catalog,
                spec,
                farm.clock,
                unproven=body.unproven,
                request=request,
            )
            planners.behind(later)(begun)
            record.log(who, "start", campaign=begun)
            return begun

        return carried_out(farm, request, begin, answer)


def _refuse_loosened_limits(farm: LocalFarm, who: Who, spec: CampaignSpec) -> None:
    """Raises RoleNeeded where a campaign would allow a system more than the farm does, which is
    for all campaigns: that is an administrator's. Anybody who may start one may allow less."""
    asked = {system.id: system for system in spec.systems if system.limits_anything}
    if not asked or who.role.allows(TokenRole.ADMIN):
        return
    for load in farm.systems.loads():
        system = asked.get(SystemId(load.system_id))
        if system is not None and load.limits.are_loosened_by(system):
            raise RoleNeeded(
                f"{system.name} has stricter limits in this farm ({load.set_by}), and {who.name} "
                f"may {who.role}: to loosen them needs the role {TokenRole.ADMIN}.",
                remedy="Leave max_concurrent and starts_per_minute out to run within them, or ask "
                "an administrator: `gradefarm systems limit`.",
            )


def _add_regrades(
    router: APIRouter, farm: LocalFarm, record: ChangeRecord, planners: Planners
) -> None:
    @router.post(
        "/regrades",
        status_code=201,
        summary="Grade the frozen snapshots of a campaign in the present universe; its runs are "
        "planned while it begins",
        responses=NO_SUCH_CAMPAIGN | REFUSED,
    )
    def regrade(
        body: NewRegrade,
        who: Who,
        answer: Response,
        later: BackgroundTasks,
        idempotency_key: IdempotencyKey = None,
    ) -> CampaignView:
        named = farm.campaigns.find(body.campaign)
        request = request_of(who, idempotency_key, body)

        def begin() -> str:
            begun = farm.regrades.begin(
                named.regrades or named.id,
                again=body.again,
                unproven=body.unproven,
                request=request,
                insert=planners.behind(later),
            )
            record.log(who, "regrade", campaign=begun, source=named.id)
            return begun

        return carried_out(farm, request, begin, answer)

    @router.get(
        "/regrades/{campaign}",
        summary="A regrade against its source: what came out otherwise",
        responses=NO_SUCH_CAMPAIGN,
    )
    def result(
        campaign: CampaignId,
        limit: Annotated[
            int, Query(ge=1, le=100_000, description="How many changed runs at most.")
        ] = 200,
    ) -> Regrade:
        return farm.regrades.result(campaign_id_of(farm, campaign), limit)


def carried_out(
    farm: LocalFarm, request: CampaignRequest, begin: Callable[[], str], answer: Response
) -> CampaignView:
    """The campaign of a request: begun now, or before with the same key."""
    with farm.database.read() as session:
        known = campaign_of_request(session, request)
    if known is None:
        try:
            known = begin()
        except AskedBefore:
            with farm.database.read() as session:
                known = campaign_of_request(session, request)
            if known is None:
                raise
            answer.headers[REPLAYED] = "true"
    else:
        answer.headers[REPLAYED] = "true"
    answer.headers["Location"] = f"/api/campaigns/{known}"
    return farm.campaigns.find(known)


def _add_steering(router: APIRouter, farm: LocalFarm, record: ChangeRecord) -> None:
    errors = NO_SUCH_CAMPAIGN | REFUSED

    @router.post("/campaigns/{campaign}/pause", summary="Send no more work", responses=errors)
    def pause(
        campaign: CampaignId,
        who: Who,
        *,
        now: Annotated[bool, Query(description="Also take back what is at work.")] = False,
    ) -> PausedCampaign:
        named = campaign_id_of(farm, campaign, AT_WORK)
        paused = farm.steering.pause(named, now=now)
        record.keep(who, "pause now" if now else "pause", named)
        return paused

    @router.put(
        "/campaigns/{campaign}/budget",
        summary="What a campaign may use in all; what is not named stays as it is",
        responses=errors,
    )
    def set_budget(campaign: CampaignId, body: Budget, who: Who) -> dict[Resource, Spend]:
        named = campaign_id_of(farm, campaign)
        spend = farm.steering.set_budget(named, body)
        record.keep(who, "budget", named)
        return spend

    @router.post(
        "/campaigns/{campaign}/cancel",
        summary="End a campaign for good; its results are kept, and runs that wait end meanwhile",
        responses=errors,
    )
    def cancel(campaign: CampaignId, who: Who, later: BackgroundTasks) -> CampaignView:
        named = campaign_id_of(farm, campaign)
        farm.steering.cancel(named, later.add_task)
        record.keep(who, "cancel", named)
        return farm.campaigns.find(named)


def _add_resume(
    router: APIRouter, farm: LocalFarm, record: ChangeRecord, planners: Planners
) -> None:
    @router.post(
        "/campaigns/{campaign}/resume",
        summary="Go on; runs that are not planned as yet are planned meanwhile",
        responses=NO_SUCH_CAMPAIGN | REFUSED,
    )
    def resume(campaign: CampaignId, who: Who, later: BackgroundTasks) -> CampaignView:
        named = campaign_id_of(farm, campaign, (CampaignState.PAUSED,))
        farm.steering.resume(named, planners.behind(later))
        record.keep(who, "resume", named)
        return farm.campaigns.find(named)
