"""Work on big requests, beside the event loop and in turns, so that no other call waits for it."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from workers.model_gateway.account import GrantAccount

HEAVY = 64 * 1024
"""Bytes of a request that take milliseconds."""

Made = TypeVar("Made")


class HeavyWork:
    """At most one piece at a time, and of one run no second one in the line."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def do(self, account: GrantAccount, size: int, work: Callable[[], Made]) -> Made:
        """What `work` makes of a request of `size` bytes. Raises what it raises."""
        if size <= HEAVY:
            return work()
        async with account.heavy, self._turn:
            return await asyncio.to_thread(work)
