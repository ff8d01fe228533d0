"""Work on big requests, beside the event loop and in turns, so that no other call waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import TypeVar

from workers.model_gateway.account import GrantAccount

HEAVY = 64 * 1024
"""Bytes of a request that take milliseconds."""

Made = TypeVar("Made")


class HeavyWork:
    """At most one piece at a time, and of one run no second one in the line."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        # Of its own: whatever waits for a disk must not be before it.
        self._thread = ThreadPoolExecutor(1, "heavy-work")

    async def do(self, account: GrantAccount, size: int, work: Callable[[], Made]) -> Made:
        """What `work` makes of a request of `size` bytes. Raises what it raises. To wait for the
        work of others counts for no clock of the run."""
        if size <= HEAVY:
            return work()
        async with account.heavy, AsyncExitStack() as turn:
            async with account.waits():
                await turn.enter_async_context(self._turn)
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
