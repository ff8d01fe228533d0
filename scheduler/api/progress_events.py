"""`/api/campaigns/{campaign}/events`: progress as server-sent events, until the campaign ends."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from models.schemas.campaign import ENDED
from models.schemas.campaign_progress import CampaignProgress
from scheduler.api.access import Access, Principal, principal_of
from scheduler.api.access_errors import Busy
from scheduler.api.campaigns import CampaignId, campaign_id_of
from scheduler.api.problem_responses import NO_SUCH_CAMPAIGN
from scheduler.api.progress_feed import LOOK_S, ProgressFeed
from scheduler.farm_access.local_farm import LocalFarm

END = "end"
"""The name of the last event and its id: who comes back with it has seen everything."""
MOST_STREAMS = 256
ASK_AGAIN_S = 10.0
"""How long a stream goes on after its token was revoked."""
RETRY_MS = 2_000


class StreamEnded(Exception):
    """The client has seen the end already."""


@dataclass
class Streams:
    """All streams of one server."""

    access: Access
    feed: ProgressFeed
    open: int = 0

    async def follow(
        self, campaign_id: str, who: Principal, number: int
    ) -> AsyncIterator[ServerSentEvent]:
        """A `progress` event at once and at every change, then `end`. Numbers go on at `number`.

        Every event tells the whole progress, so that who missed some has missed nothing.
        """
        told: CampaignProgress | None = None
        asked_at = asyncio.get_running_loop().time()
        while True:
            progress = await self.feed.look(campaign_id)
            if progress != told:
                number += 1
                yield _event("progress", str(number), progress)
                told = progress
            if progress.state in ENDED:
                yield _event(END, END, progress)
                return
            await asyncio.sleep(LOOK_S)
            if asyncio.get_running_loop().time() - asked_at > ASK_AGAIN_S:
                if not await anyio.to_thread.run_sync(self.access.still_good, who):
                    return
                asked_at = asyncio.get_running_loop().time()


def _event(name: str, number: str, progress: CampaignProgress) -> ServerSentEvent:
    return ServerSentEvent(
        event=name, id=number, raw_data=progress.model_dump_json(), retry=RETRY_MS
    )


DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events `progress` (CampaignProgress as JSON; the id is a counter), then "
        "one `end`. A comment every 15 seconds keeps the connection open.",
        "content": {
            "text/event-stream": {
                "schema": {"type": "string"},
                "example": 'event: progress\ndata: {"campaign_id":"demo-2","state":"running",…}\n'
                "id: 1\nretry: 2000\n\n",
            }
        },
    },
    204: {"description": "`Last-Event-ID: end`: the client has seen the end, and need not return."},
}


def events_router(farm: LocalFarm, access: Access) -> APIRouter:
    """The stream of a campaign."""
    router = APIRouter(prefix="/campaigns", tags=["campaigns"])
    streams = Streams(access, ProgressFeed(farm.database))

    def followed(
        campaign: CampaignId,
        last_event_id: Annotated[
            str | None, Header(max_length=40, description="The id of the last event seen.")
        ] = None,
    ) -> tuple[str, int]:
        # Here, and not in the stream: what it raises must come before the status is sent.
        if last_event_id == END:
            raise StreamEnded
        if streams.open >= MOST_STREAMS:
            raise Busy(f"{MOST_STREAMS} streams are open already.")
        seen = int(last_event_id) if last_event_id and last_event_id.isdecimal() else 0
        return campaign_id_of(farm, campaign), seen

    @router.get(
        "/{campaign}/events",
        summary="Progress as server-sent events, until the campaign ends",
        response_class=EventSourceResponse,
        responses=DESCRIBED | NO_SUCH_CAMPAIGN,
    )
    async def events(
        request: Request, named: Annotated[tuple[str, int], Depends(followed)]
    ) -> AsyncIterator[ServerSentEvent]:
        streams.open += 1
        try:
            async for event in streams.follow(named[0], principal_of(request), named[1]):
                yield event
        finally:
            streams.open -= 1

    return router


def no_content(_: Request, __: Exception) -> Response:
    """The answer that makes an EventSource stop coming back."""
    return Response(status_code=204)
