"""How many calls are at work, and how much memory their requests take: of one run, and of all."""

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from enum import Enum, auto

from workers.model_gateway.account import GrantAccount

MOST_CALLS = 64
"""Of one run at once."""
OF_RUN = 32 * 2**20
COMING_OF_RUN = 8 * 2**20
"""For what one run has announced and not sent yet, small requests aside: slow senders hold it, and
nobody works on it."""
OF_ALL = 256 * 2**20
SMALL = 64 * 1024
"""Requests of this size find room whatever others send."""


class TooManyCalls(Exception):
    """A run has `MOST_CALLS` at work already."""


class InTheWay(Enum):
    """Why a request waits for room: for other requests of its run, or for those of others."""

    NOTHING = auto()
    OWN = auto()
    OTHERS = auto()


class _Place:
    """A request that waits for room."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waits_for = InTheWay.OWN
        self._turned = asyncio.Event()

    def turn(self, waits_for: InTheWay) -> None:
        if waits_for is not self.waits_for:
            self.waits_for = waits_for
            self._turned.set()
            self._turned = asyncio.Event()

    async def come(self, account: GrantAccount) -> None:
        while self.waits_for is not InTheWay.NOTHING:
            turned = self._turned
            if self.waits_for is InTheWay.OTHERS:
                # That counts for no clock of this run.
                async with account.waits():
                    await turned.wait()
            else:
                await turned.wait()


@dataclass(slots=True)
class _Share:
    """What one run has: calls, bytes held, and how many of those are not here yet."""

    calls: int = 0
    held: int = 0
    coming: int = 0


class Holding:
    """The room of one call, until it is given back."""

    def __init__(self, room: "CallRoom", grant: str, size: int) -> None:
        self._room = room
        self._grant = grant
        self._size = size
        self._coming = _coming(size)
        self._ended = False

    def is_here(self, size: int) -> None:
        """All of the request has come, and has `size` bytes; for no more room is held."""
        self._room.give_back(self._grant, self._size - size, self._coming)
        self._size, self._coming = size, 0

    def end(self) -> None:
        """Give it back; may be said again."""
        if not self._ended:
            self._ended = True
            self._room.give_back(self._grant, self._size, self._coming)
            self._room.leave(self._grant)


class CallRoom:
    """The room of one gateway: bytes that come in must fit in before they are read. Every run has a
    line of its own, and the lines are served in turns."""

    def __init__(self, of_run: int = OF_RUN, of_all: int = OF_ALL) -> None:
        self._of_run = of_run
        self._of_all = of_all
        self._all = 0
        self._shares: dict[str, _Share] = {}
        self._lines: OrderedDict[tuple[str, bool], deque[_Place]] = OrderedDict()
        """By run, and whether they are small: those wait behind no big ones."""

    @property
    def calls(self) -> int:
        """How many are at work or wait."""
        return sum(share.calls for share in self._shares.values())

    async def take(self, account: GrantAccount, size: int) -> Holding:
        """Wait for room for a request of `size` bytes. Raises TooManyCalls."""
        grant = account.opening.id
        share = self._shares.setdefault(grant, _Share())
        if share.calls >= MOST_CALLS:
            raise TooManyCalls
        share.calls += 1
        place, line = _Place(size), (grant, size <= SMALL)
        self._lines.setdefault(line, deque()).append(place)
        self._serve()
        holding = Holding(self, grant, size)
        try:
            await place.come(account)
        except BaseException:
            if place.waits_for is InTheWay.NOTHING:
                holding.end()
            else:
                self._leave_line(line, place)
                self.leave(grant)
                self._serve()
            raise
        return holding

    def give_back(self, grant: str, size: int, coming: int) -> None:
        """So many bytes of what a run holds; `coming`: so many that it has no more to wait for."""
        self._shares[grant].held -= size
        self._shares[grant].coming -= coming
        self._all -= size
        self._serve()

    def leave(self, grant: str) -> None:
        """One call of a run is over."""
        self._shares[grant].calls -= 1
        if not self._shares[grant].calls:
            del self._shares[grant]

    def _serve(self) -> None:
        """Let in whoever may."""
        while (line := self._next()) is not None:
            place = self._lines[line].popleft()
            self._lines.move_to_end(line)
            if not self._lines[line]:
                del self._lines[line]
            share = self._shares[line[0]]
            share.held += place.size
            share.coming += _coming(place.size)
            self._all += place.size
            place.turn(InTheWay.NOTHING)

    def _next(self) -> tuple[str, bool] | None:
        """The line whose first may come in; the others' firsts are told what is in their way. Who
        waits for others is overtaken by small requests alone."""
        is_full = False
        for (grant, small), line in self._lines.items():
            first = line[0]
            if self._holds_too_much(self._shares[grant], first.size):
                first.turn(InTheWay.OWN)
                continue
            is_full = is_full or (not small and self._is_full(first.size))
            if small or not is_full:
                return grant, small
            first.turn(InTheWay.OTHERS)
        return None

    def _holds_too_much(self, share: _Share, size: int) -> bool:
        coming = _coming(size)
        waits = coming and share.coming and share.coming + coming > COMING_OF_RUN
        return bool(waits) or (share.held > 0 and share.held + size > self._of_run)

    def _is_full(self, size: int) -> bool:
        return self._all > 0 and self._all + size > self._of_all

    def _leave_line(self, line: tuple[str, bool], place: _Place) -> None:
        self._lines[line].remove(place)
        if not self._lines[line]:
            del self._lines[line]


def _coming(size: int) -> int:
    return size if size > SMALL else 0
