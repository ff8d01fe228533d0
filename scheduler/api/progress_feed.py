"""Looks at the progress of campaigns for all who follow them, once for any number of them."""

import asyncio
from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from models.schemas.campaign_progress import CampaignProgress
from models.storage.campaigns import campaign_progress
from models.storage.transaction import Database

LOOK_S = 0.5
"""How old a look may be that is given out once more."""
MOST_LOOKS = 4
"""Threads that look at once: followers must not take those of all other requests."""
KEPT_LOOKS = 256


@dataclass
class _Look:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    taken_at: float = float("-inf")
    progress: CampaignProgress | None = None


class ProgressFeed:
    """Looks of one event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._looks: dict[str, _Look] = {}
        self._threads: anyio.CapacityLimiter | None = None

    async def look(self, campaign_id: str) -> CampaignProgress:
        """How far a campaign is, at most LOOK_S ago. Raises NotFound."""
        now = asyncio.get_running_loop().time
        look = self._looks.setdefault(campaign_id, _Look())
        async with look.lock:
            if look.progress is None or now() - look.taken_at >= LOOK_S:
                self._threads = self._threads or anyio.CapacityLimiter(MOST_LOOKS)
                look.progress = await anyio.to_thread.run_sync(
                    self._read, campaign_id, limiter=self._threads
                )
                look.taken_at = now()
        self._forget_old()
        return look.progress

    def _read(self, campaign_id: str) -> CampaignProgress:
        with self._database.read() as session:
            return campaign_progress(session, campaign_id)

    def _forget_old(self) -> None:
        while len(self._looks) > KEPT_LOOKS:
            oldest = min(self._looks, key=lambda one: self._looks[one].taken_at)
            del self._looks[oldest]
