"""Inserts the runs of new campaigns behind the answers that tell of them."""

from functools import partial

import anyio
import anyio.to_thread
from fastapi import BackgroundTasks

from scheduler.campaign_lifecycle import Insert, insert_plan
from scheduler.farm_access.local_farm import LocalFarm

AT_ONCE = 2
"""They share one write lock: more would only take threads and connections from requests."""


class Planners:
    """Those of one server."""

    def __init__(self, farm: LocalFarm) -> None:
        self._farm = farm
        self._turns: anyio.CapacityLimiter | None = None

    def behind(self, answer: BackgroundTasks) -> Insert:
        """Inserts plans once `answer` is sent. The scheduler does it where this process ends."""
        return partial(answer.add_task, self.insert)

    async def insert(self, campaign_id: str) -> None:
        """Insert the plan of a campaign when its turn comes; the scheduler does it where that
        takes too long, or this process ends."""
        self._turns = self._turns or anyio.CapacityLimiter(AT_ONCE)
        await anyio.to_thread.run_sync(
            insert_plan,
            self._farm.database,
            campaign_id,
            self._farm.clock,
            limiter=self._turns,
        )
