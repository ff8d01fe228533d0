"""Campaigns of the farm whose database is at hand."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from models.clock import Clock
from models.errors import NotFound
from models.schemas.api_answers import PausedCampaign
from models.schemas.budget import Budget, Resource, Spend
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.campaign_status import CampaignStanding, CampaignStatus
from models.settings import Settings
from models.storage.artifacts import ArtifactStore
from models.storage.campaigns import (
    campaign_progress,
    find_campaign,
    list_campaigns,
    newest_campaign,
)
from models.storage.reply_counts import replies_by_system
from models.storage.transaction import Database
from scheduler.campaign_budget import set_budget
from scheduler.campaign_lifecycle import (
    Insert,
    Later,
    cancel_campaign,
    interrupt_work,
    pause_campaign,
    resume_campaign,
    start_campaign,
)
from scheduler.farm_access.farm import ANY_STATE, NEWEST
from scheduler.farm_access.gateway_need import refuse_without_gateway
from scheduler.farm_access.local_workers import LocalWorkers
from scheduler.farm_access.replay_need import refuse_inexact_replays
from tasks_catalog.catalog import Catalog

LOOK_S = 0.25


@dataclass(frozen=True)
class LocalCampaigns:
    """Keeps `Campaigns` over a database."""

    database: Database
    workers: LocalWorkers

    def find(
        self, campaign_id: str | None, states: tuple[CampaignState, ...] = ANY_STATE
    ) -> CampaignView:
        """The campaign of that id; without one, the newest in one of `states`, gates apart."""
        with self.database.read() as session:
            if campaign_id not in (None, NEWEST):
                return find_campaign(session, campaign_id)
            found = newest_campaign(session, CampaignKind.EVALUATION, states)
        if found is not None:
            return found
        if states != ANY_STATE:
            raise NotFound(
                f"there is no campaign that is {' or '.join(states)}.",
                remedy="`gradefarm campaign list` shows all of them; name the one you mean.",
            )
        raise NotFound(
            "there is no campaign yet.",
            remedy="Write one with `gradefarm campaign new`, then `gradefarm campaign start` it.",
        )

    def listed(self, limit: int) -> list[CampaignStanding]:
        """The newest `limit`, newest first."""
        with self.database.read() as session:
            return [
                CampaignStanding(campaign=one, progress=campaign_progress(session, one.id))
                for one in list_campaigns(session, limit=limit)
            ]

    def status(self, campaign_id: str | None) -> CampaignStatus:
        """How far one is, and what keeps the farm from working."""
        found = self.find(campaign_id)
        with self.database.read() as session:
            progress = campaign_progress(session, found.id)
            replies = replies_by_system(session, [found.id])
        hint = self.workers.hint(())
        return CampaignStatus(campaign=found, progress=progress, hint=hint, replies=replies)

    def looks(self, campaign_ids: Sequence[str]) -> Iterator[tuple[CampaignProgress, ...]]:
        """Progress four times a second."""
        while True:
            with self.database.read() as session:
                looked = tuple(campaign_progress(session, one) for one in campaign_ids)
            yield looked
            time.sleep(LOOK_S)


@dataclass(frozen=True)
class LocalSteering:
    """Keeps `Steering` over a database."""

    settings: Settings
    database: Database
    catalog: Catalog
    clock: Clock
    artifacts: Callable[[], ArtifactStore]

    def start(self, spec: CampaignSpec, *, unproven: bool) -> CampaignView:
        """Plan a campaign; returns when all runs are inserted."""
        refuse_without_gateway(self.settings, spec)
        refuse_inexact_replays(self.artifacts, spec)
        started = start_campaign(self.database, self.catalog, spec, self.clock, unproven=unproven)
        with self.database.read() as session:
            return find_campaign(session, started)

    def pause(self, campaign_id: str, *, now: bool) -> PausedCampaign:
        """Give out no more work of it; with `now` interrupt runs that are at work."""
        pause_campaign(self.database, campaign_id)
        interrupted, left = 0, 0
        if now:
            interrupted, left = interrupt_work(self.database, campaign_id, self.clock)
        with self.database.read() as session:
            paused = find_campaign(session, campaign_id)
        return PausedCampaign(campaign=paused, interrupted=interrupted, left=left)

    def resume(self, campaign_id: str, insert: Insert | None = None) -> None:
        """Go on with it, and with its plan by `insert`, at once by default."""
        resume_campaign(self.database, campaign_id, self.clock, insert)

    def cancel(self, campaign_id: str, later: Later | None = None) -> None:
        """End it for good; runs that wait by `later`, at once by default."""
        cancel_campaign(self.database, campaign_id, self.clock, later)

    def set_budget(self, campaign_id: str, budget: Budget) -> dict[Resource, Spend]:
        """Let it use so much in all."""
        return set_budget(self.database, campaign_id, budget)
