"""How many calls are at work, and how much memory their requests take: of one run, and of all."""

import asyncio
from collections import Counter

from workers.model_gateway.account import GrantAccount

MOST_CALLS = 64
"""Of one run at once."""
OF_RUN = 32 * 2**20
OF_ALL = 256 * 2**20
SMALL = 64 * 1024
"""Requests of this size find room whatever others send."""


class TooManyCalls(Exception):
    """A run has `MOST_CALLS` at work already."""


class Holding:
    """The room of one call, until it is given back."""

    def __init__(self, room: "CallRoom", grant: str, size: int) -> None:
        self._room = room
        self._grant = grant
        self._size = size
        self._ended = False

    def end(self) -> None:
        """Give it back; may be said again."""
        if not self._ended:
            self._ended = True
            self._room.give_back(self._grant, self._size)


class CallRoom:
    """The room of one gateway: bytes that come in must fit in before they are read."""

    def __init__(self, of_run: int = OF_RUN, of_all: int = OF_ALL) -> None:
        self._of_run = of_run
        self._of_all = of_all
        self._calls: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()
        self._all = 0
        self._changed = asyncio.Event()

    async def take(self, account: GrantAccount, size: int) -> Holding:
        """Wait for room for a request of `size` bytes. Raises TooManyCalls."""
        grant = account.opening.id
        if self._calls[grant] >= MOST_CALLS:
            raise TooManyCalls
        self._calls[grant] += 1
        try:
            await self._wait(account, size)
        except BaseException:
            self._leave(grant)
            raise
        self._bytes[grant] += size
        self._all += size
        return Holding(self, grant, size)

    def give_back(self, grant: str, size: int) -> None:
        """What a call held."""
        self._bytes[grant] -= size
        self._all -= size
        self._leave(grant)
        self._changed.set()
        self._changed = asyncio.Event()

    async def _wait(self, account: GrantAccount, size: int) -> None:
        while True:
            held = self._bytes[account.opening.id]
            if held and held + size > self._of_run:
                await self._changed.wait()
            elif size > SMALL and self._all and self._all + size > self._of_all:
                # Others are in the way: that counts for no clock of this run.
                async with account.waits():
                    await self._changed.wait()
            else:
                return

    def _leave(self, grant: str) -> None:
        self._calls[grant] -= 1
        if not self._calls[grant]:
            del self._calls[grant], self._bytes[grant]
