"""`/api/systems`: what is evaluated, and how much of it may happen at once."""

from typing import Annotated

from fastapi import APIRouter, Path

from models.schemas.system_limit import SystemLimits, SystemLoad
from scheduler.api.access import Who
from scheduler.api.change_record import ChangeRecord
from scheduler.api.problem_responses import NO_SUCH_NAME
from scheduler.farm_access.local_farm import LocalFarm


def systems_router(farm: LocalFarm, record: ChangeRecord) -> APIRouter:
    """The operations below `/systems`."""
    router = APIRouter(prefix="/systems", tags=["systems"])

    @router.get("", summary="Systems, the newest first, with their limits and what runs of them")
    def loads() -> list[SystemLoad]:
        return list(farm.systems.loads())

    @router.put(
        "/{system}/limits",
        summary="Limit a system at once, for every campaign; none in the body: no limits",
        responses=NO_SUCH_NAME,
    )
    def limit(
        system: Annotated[str, Path(max_length=100, description="Its id, or a name that it has.")],
        body: SystemLimits,
        who: Who,
    ) -> SystemLoad:
        load = farm.systems.limit(system, body, by=who.name)
        record.log(who, "limit", system=load.system_id, **body.model_dump())
        return load

    return router
