"""`/api/boards`: systems in tiers."""

from typing import Annotated

from fastapi import APIRouter, Query

from models.schemas.board import Board
from scheduler.api.problem_responses import NO_SUCH_CAMPAIGN, REFUSED
from scheduler.farm_access.local_farm import LocalFarm

NONE: list[str] = []


def boards_router(farm: LocalFarm) -> APIRouter:
    """The one operation on boards."""
    router = APIRouter(prefix="/boards", tags=["boards"])

    @router.get(
        "",
        summary="The board of one campaign, or of several added up",
        responses=NO_SUCH_CAMPAIGN | REFUSED,
    )
    def board(
        campaign: Annotated[
            list[str],
            Query(max_length=100, description="Campaigns to add up; the newest if left out."),
        ] = NONE,
    ) -> Board:
        return farm.boards.board(campaign)

    return router
