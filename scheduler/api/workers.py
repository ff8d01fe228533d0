"""`/api/workers`: who works, and at what."""

from typing import Annotated

from fastapi import APIRouter, Query

from models.schemas.work_force import WorkForce
from scheduler.farm_access.local_farm import LocalFarm

NONE: list[str] = []


def workers_router(farm: LocalFarm) -> APIRouter:
    """The operations below `/workers`."""
    router = APIRouter(prefix="/workers", tags=["workers"])

    @router.get("", summary="Living workers, the runs they have in work, and what is missing")
    def force(
        language: Annotated[
            list[str],
            Query(max_length=100, description="Languages that `hint` speaks about as well."),
        ] = NONE,
    ) -> WorkForce:
        found = farm.workers.force()
        if not language:
            return found
        return found.model_copy(update={"hint": farm.workers.hint(language)})

    return router
