"""`/api/recordings`: what was imported from elsewhere. Only to be read."""

from typing import Annotated

from fastapi import APIRouter, Path

from models.schemas.api_answers import Page
from models.schemas.recording import Recording, RecordingView
from scheduler.api.cursors import cursor_at, key_in
from scheduler.api.pages import Cursor, Limit
from scheduler.api.problem_responses import BAD_CURSOR, NO_SUCH_NAME
from scheduler.farm_access.local_farm import LocalFarm

KIND = "recordings"
RecordingNumber = Annotated[int, Path(ge=1, lt=1 << 63, description="A recording's number.")]


def recordings_router(farm: LocalFarm) -> APIRouter:
    """The operations below `/recordings`."""
    router = APIRouter(prefix="/recordings", tags=["recordings"])

    @router.get(
        "",
        summary="Recordings of agents at work elsewhere, newest first; never ranked with runs",
        responses=BAD_CURSOR,
    )
    def list_them(limit: Limit = 100, cursor: Cursor = None) -> Page[RecordingView]:
        found = farm.recordings.page(limit=limit, before=key_in(cursor, KIND))
        following = cursor_at(KIND, found[-1].id) if len(found) == limit else None
        return Page(items=tuple(found), next=following)

    @router.get("/{recording}", summary="One with all of its steps", responses=NO_SUCH_NAME)
    def one(recording: RecordingNumber) -> Recording:
        return farm.recordings.opened(recording)

    return router
