"""How many calls one provider gets at once, and how many may start in a minute."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from models.clock import Clock

MINUTE_S = 60.0
Place = asyncio.Future[None]


class ProviderLimits:
    """One for each provider in a gateway. Every grant has a line of its own, and the lines are
    served in turns: who sends many calls waits for its own, and holds nobody up."""

    def __init__(self, concurrent: int | None, starts_per_minute: int | None, clock: Clock) -> None:
        self._concurrent = concurrent
        self._most = starts_per_minute
        self._clock = clock
        self._lines: OrderedDict[str, deque[Place]] = OrderedDict()
        self._at_work: Counter[str] = Counter()
        self._starts: deque[tuple[float, str]] = deque(maxlen=starts_per_minute or 1)
        self._later: asyncio.TimerHandle | None = None
        self._turned = asyncio.Event()

    @property
    def turned(self) -> asyncio.Event:
        """Set as soon as anybody comes, goes, or gets a turn; look at it before `only_own`."""
        return self._turned

    def only_own(self, grant: str) -> bool:
        """Whether nobody but this grant is in the way of its next call."""
        since = self._clock.monotonic() - MINUTE_S
        paced = self._starts if self._most is not None else ()
        others = {one for at, one in paced if at > since} | set(self._at_work) | set(self._lines)
        return others <= {grant}

    @asynccontextmanager
    async def turn(self, grant: str) -> AsyncGenerator[None]:
        """Wait for one's turn, and keep its room until the end of the block."""
        place: Place = asyncio.get_running_loop().create_future()
        self._lines.setdefault(grant, deque()).append(place)
        self._serve()
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._leave_line(grant, place)
            else:
                self._end_turn(grant)
            raise
        try:
            yield
        finally:
            self._end_turn(grant)

    def count_start(self, grant: str) -> None:
        """One more start within a turn that this grant has already."""
        self._starts.append((self._clock.monotonic(), grant))

    def _leave_line(self, grant: str, place: Place) -> None:
        line = self._lines.get(grant, deque())
        with suppress(ValueError):
            line.remove(place)
        if not line:
            self._lines.pop(grant, None)

    def _end_turn(self, grant: str) -> None:
        self._at_work[grant] -= 1
        if not self._at_work[grant]:
            del self._at_work[grant]
        self._serve()

    def _serve(self) -> None:
        """Let in whoever may; come again when the oldest start is a minute old."""
        self._turned.set()
        self._turned = asyncio.Event()
        while self._lines and self._has_room():
            if (early := self._early_s()) > 0:
                self._come_again(early)
                return
            grant, line = next(iter(self._lines.items()))
            place = line.popleft()
            self._lines.move_to_end(grant)
            if not line:
                del self._lines[grant]
            if place.done():
                continue
            self._at_work[grant] += 1
            self._starts.append((self._clock.monotonic(), grant))
            place.set_result(None)

    def _has_room(self) -> bool:
        return self._concurrent is None or self._at_work.total() < self._concurrent

    def _early_s(self) -> float:
        if self._most is None or len(self._starts) < self._most:
            return 0.0
        return self._starts[0][0] + MINUTE_S - self._clock.monotonic()

    def _come_again(self, seconds: float) -> None:
        if self._later is not None:
            self._later.cancel()
        self._later = asyncio.get_running_loop().call_later(seconds, self._serve)
