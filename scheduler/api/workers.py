"""`/api/workers`: who works, and at what; telling workers to take no more work, or to go on."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from models.schemas.work_force import WorkersTold, WorkForce
from models.schemas.worker import Duty
from scheduler.api.access import Who
from scheduler.api.change_record import ChangeRecord
from scheduler.api.problem_responses import NO_SUCH_NAME, REFUSED
from scheduler.farm_access.local_farm import LocalFarm

NONE: list[str] = []
Named = Annotated[
    str, Path(max_length=128, description="A worker's name, with or without its host.")
]


class QuarantineReason(BaseModel):
    """Why a worker is not to be trusted with work."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"reason": "bad disk"}})

    reason: str = Field(min_length=1, max_length=500, pattern=r"\S")


def workers_router(farm: LocalFarm, record: ChangeRecord) -> APIRouter:
    """The operations below `/workers`."""
    router = APIRouter(prefix="/workers", tags=["workers"])
    _add_force(router, farm)
    _add_duties(router, farm, record)
    return router


def _add_force(router: APIRouter, farm: LocalFarm) -> None:
    @router.get("", summary="Workers, the runs they have in work, and what is missing")
    def force(
        language: Annotated[
            list[str],
            Query(max_length=100, description="Languages that `hint` speaks about as well."),
        ] = NONE,
        *,
        everyone: Annotated[bool, Query(description="Also those that fell silent.")] = False,
    ) -> WorkForce:
        found = farm.workers.force(everyone=everyone)
        if not language:
            return found
        return found.model_copy(update={"hint": farm.workers.hint(language)})


def _add_duties(router: APIRouter, farm: LocalFarm, record: ChangeRecord) -> None:
    def told(who: Who, name: str, duty: Duty, reason: str) -> WorkersTold:
        worker = farm.workers.tell(name, duty, reason)
        record.log(who, "tell_worker", worker=worker, duty=duty, reason=reason)
        return WorkersTold(names=(worker,))

    errors = NO_SUCH_NAME | REFUSED

    @router.post("/drain", summary="All living workers take no new work and finish what they have")
    def drain_all(who: Who) -> WorkersTold:
        names = tuple(farm.workers.tell_all(Duty.DRAIN))
        record.log(who, "tell_all_workers", workers=names, duty=Duty.DRAIN)
        return WorkersTold(names=names)

    @router.post(
        "/{name}/drain", summary="Take no new work, finish what is begun", responses=errors
    )
    def drain(name: Named, who: Who) -> WorkersTold:
        return told(who, name, Duty.DRAIN, "")

    @router.post("/{name}/resume", summary="Serve again", responses=errors)
    def resume(name: Named, who: Who) -> WorkersTold:
        return told(who, name, Duty.SERVE, "")

    @router.post("/{name}/quarantine", summary="Out of work, with a reason", responses=errors)
    def quarantine(name: Named, body: QuarantineReason, who: Who) -> WorkersTold:
        return told(who, name, Duty.QUARANTINE, body.reason.strip())
