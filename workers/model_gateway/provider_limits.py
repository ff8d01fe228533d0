"""How many calls one provider gets at once, and how many may start in a minute."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from models.clock import Clock

MINUTE_S = 60.0


class ProviderLimits:
    """One for each provider in a gateway; who comes first is served first."""

    def __init__(self, concurrent: int | None, starts_per_minute: int | None, clock: Clock) -> None:
        self._room = None if concurrent is None else asyncio.Semaphore(concurrent)
        self._most = starts_per_minute
        self._clock = clock
        self._starts: deque[float] = deque(maxlen=starts_per_minute or 1)
        self._line = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait for one's turn, and keep its room until the end of the block."""
        if self._room is None:
            await self._pace()
            yield
            return
        async with self._room:
            await self._pace()
            yield

    async def _pace(self) -> None:
        if self._most is None:
            return
        async with self._line:
            if len(self._starts) == self._most:
                early = self._starts[0] + MINUTE_S - self._clock.monotonic()
                await asyncio.sleep(max(0.0, early))
            self._starts.append(self._clock.monotonic())
