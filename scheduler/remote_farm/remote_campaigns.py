"""Campaigns of a farm elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from uuid import uuid4

from models.schemas.api_answers import Page, PausedCampaign
from models.schemas.budget import Budget, Resource, Spend
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.campaign_status import CampaignStanding, CampaignStatus
from scheduler.farm_access.farm import ANY_STATE, NEWEST
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.pages import PagedList
from scheduler.remote_farm.progress_follower import ProgressFollower

CAMPAIGNS = PagedList("campaigns", Page[CampaignStanding], 200)
LOOK_S = 0.5


@dataclass(frozen=True)
class RemoteCampaigns:
    """Keeps `Campaigns` over HTTP. `notice` is told when a server that is followed is away."""

    connection: Connection
    notice: Callable[[str], None]

    def find(
        self, campaign_id: str | None, states: tuple[CampaignState, ...] = ANY_STATE
    ) -> CampaignView:
        """The campaign of that id; without one, the newest in one of `states`, gates apart."""
        unnamed = campaign_id in (None, NEWEST)
        asked = states if unnamed and states != ANY_STATE else ()
        request = Request("GET", path_of(campaign_id or NEWEST), {"state": asked})
        return self.connection.ask(request, CampaignStatus).campaign

    def listed(self, limit: int) -> list[CampaignStanding]:
        """The newest `limit`, newest first."""
        return CAMPAIGNS.first(self.connection, limit, {})

    def status(self, campaign_id: str | None) -> CampaignStatus:
        """How far one is, and what keeps the farm from working."""
        return self.connection.ask(Request("GET", path_of(campaign_id or NEWEST)), CampaignStatus)

    def looks(self, campaign_ids: Sequence[str]) -> Iterator[tuple[CampaignProgress, ...]]:
        """What a stream of events of each brings."""
        firsts = [self.status(one).progress for one in campaign_ids]
        followers = [self._follower(one) for one in campaign_ids]
        while True:
            pairs = zip(followers, firsts, strict=True)
            yield tuple(follower.latest() or first for follower, first in pairs)
            time.sleep(LOOK_S)

    def _follower(self, campaign_id: str) -> ProgressFollower:
        follower = ProgressFollower(self.connection, f"{path_of(campaign_id)}/events", self.notice)
        follower.start()
        return follower


@dataclass(frozen=True)
class RemoteSteering:
    """Keeps `Steering` over HTTP."""

    connection: Connection
    campaigns: RemoteCampaigns

    def start(self, spec: CampaignSpec, *, unproven: bool) -> CampaignView:
        """Plan a campaign; returns when all runs are inserted."""
        body = {"spec": spec.model_dump(mode="json", exclude={"kind"}), "unproven": unproven}
        request = Request("POST", "campaigns", body=body, key=str(uuid4()))
        started = self.connection.ask(request, CampaignView)
        while started.state is CampaignState.PLANNING:
            time.sleep(LOOK_S)
            started = self.campaigns.find(started.id)
        return started

    def pause(self, campaign_id: str, *, now: bool) -> PausedCampaign:
        """Give out no more work of it; with `now` interrupt runs that are at work."""
        request = Request("POST", f"{path_of(campaign_id)}/pause", {"now": now})
        return self.connection.ask(request, PausedCampaign)

    def resume(self, campaign_id: str) -> None:
        """Go on with it."""
        self.connection.ask_bytes(Request("POST", f"{path_of(campaign_id)}/resume"))

    def cancel(self, campaign_id: str) -> None:
        """End it for good."""
        self.connection.ask_bytes(Request("POST", f"{path_of(campaign_id)}/cancel"))

    def set_budget(self, campaign_id: str, budget: Budget) -> dict[Resource, Spend]:
        """Let it use so much in all."""
        body = budget.model_dump(mode="json", exclude_none=True)
        request = Request("PUT", f"{path_of(campaign_id)}/budget", body=body)
        return self.connection.ask(request, dict[Resource, Spend])


def path_of(campaign_id: str) -> str:
    """Where a campaign answers."""
    return f"campaigns/{quote(campaign_id, safe='')}"
