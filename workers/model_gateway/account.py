"""One grant at work: its key's hash, its budgets, its calls, its faults."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import cast

from models.clock import Clock
from models.event_log import event
from models.schemas.model_call import (
    GatewayFault,
    GrantReport,
    GrantRequest,
    ModelCall,
    total_usage,
)
from models.verdicts import VoidCategory
from workers.model_gateway.budget_book import BudgetBook, Hold, Kind
from workers.model_gateway.journal import Entry
from workers.model_gateway.waiting_time import WaitingTime

_LOG = logging.getLogger(__name__)


class GrantClosed(Exception):
    """The grant was closed while a call waited for room in its budget."""


class BudgetExhausted(Exception):
    """A call does not fit into the budget `kind`."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class GrantOpening:
    """What a grant is from its first moment on. `opened` is in epoch seconds."""

    id: str
    request: GrantRequest
    key_hash: str
    opened: float


class GrantAccount:
    """Everything that is counted for one grant."""

    def __init__(
        self,
        opening: GrantOpening,
        price_table: str,
        clock: Clock,
        write: Callable[[str, Entry], None],
    ) -> None:
        self.opening = opening
        self.request = opening.request
        self.book = BudgetBook(self.request.cost_microusd, self.request.tokens)
        self.waiting = WaitingTime()
        self.fault: GatewayFault | None = None
        self.exhausted: Kind | None = None
        self.closed_at: float | None = None
        self.closing = asyncio.Event()
        self.heavy = asyncio.Lock()
        """Held while a big request is worked on."""
        self.counting = asyncio.Lock()
        """Held while tokens are counted at a provider."""
        self.counted = 0
        self.unpaid = 0
        """Calls that cost nothing: refused, or never answered."""
        self.unpaid_bytes = 0
        """What is kept of those."""
        self.refused_alone = 0
        """Calls that the provider refused to this grant alone."""
        self.looked_into = 0.0
        """When a call was sent last whose refusal was looked into; monotonic."""
        self.tasks: set[asyncio.Task[None]] = set()
        """What is still at work for this grant."""
        self._price_table = price_table
        self._clock = clock
        self._write = write
        self._calls: dict[int, ModelCall] = {}
        self._numbers = 0
        self._changed = asyncio.Condition()

    def next_number(self) -> int:
        """The number of a new call."""
        self._numbers += 1
        return self._numbers

    async def reserve(self, number: int, hold: Hold, begun: Entry) -> None:
        """Hold what a call can cost, as soon as it fits: while other calls of the grant are under
        way, their unused holds may make room. Raises BudgetExhausted, GrantClosed.
        """
        async with self._changed:
            while (lacking := self.book.lacks(hold)) and self.book.calls:
                await self._changed.wait()
            if self.closed:
                raise GrantClosed
            if lacking:
                self.exhausted = lacking
                self._note({"exhausted": lacking})
                raise BudgetExhausted(lacking)
            self.book.reserve(hold)
            holds = {"cost": hold.cost_microusd, "tokens": hold.tokens}
            self._note({"begin": {"number": number, **holds, **begun}})

    async def settle(self, call: ModelCall, hold: Hold) -> None:
        """Enter a call that held something."""
        self.book.settle(hold, call.cost_microusd or 0, call.tokens)
        self.enter(call)
        async with self._changed:
            self._changed.notify_all()

    def enter(self, call: ModelCall) -> None:
        """Enter a call that is over now."""
        call = call.model_copy(update={"ended_ms": round(self._clock.now() * 1_000)})
        self._take_in(call)
        self._note({"call": call.model_dump(mode="json"), "waited_ms": self.waited_ms})

    def note_count(self) -> None:
        """A provider is asked to count tokens, once more."""
        self.counted += 1
        self._note({"counted": self.counted})

    def fail(self, category: VoidCategory, detail: str) -> None:
        """The attempt is void; the first fault is the one that is told."""
        if self.fault is None:
            self.fault = GatewayFault.model_validate({"category": category, "detail": detail})
            self._note({"fault": self.fault.model_dump(mode="json")})

    def close(self) -> None:
        """The key is dead from now on."""
        if self.closed_at is None:
            self.closed_at = self._clock.now()
            self.closing.set()
            self._note({"closed": self.closed_at})

    @property
    def closed(self) -> bool:
        """Whether its key is dead."""
        return self.closed_at is not None

    def replay(self, lines: list[Entry]) -> None:
        """Become what the journal says, after the process that wrote it ended."""
        begun: dict[int, Entry] = {}
        for line in lines:
            self._replay_line(line, begun)
        self._numbers = max([0, *self._calls, *begun])
        for number in sorted(set(begun) - set(self._calls)):
            call = ModelCall.model_validate(_cut_call(begun[number]))
            self.book.charge(call.cost_microusd or 0, call.tokens)
            self.enter(call)
            if not self.closed:
                self.fail(VoidCategory.GATEWAY, f"the gateway ended during call {number}")

    def _replay_line(self, line: Entry, begun: dict[int, Entry]) -> None:
        match line:
            case {"begin": {"number": int(number)} as entry}:
                begun[number] = cast("Entry", entry)
            case {"call": call}:
                made = ModelCall.model_validate(call)
                self._take_in(made)
                self.book.charge(made.cost_microusd or 0, made.tokens)
                waited = line.get("waited_ms")
                self.waiting = WaitingTime()
                self.waiting.carry(waited / 1_000 if isinstance(waited, int) else 0)
            case {"fault": fault}:
                self.fault = GatewayFault.model_validate(fault)
            case {"counted": int(times)}:
                self.counted = times
            case {"exhausted": "cost"}:
                self.exhausted = "cost"
            case {"exhausted": "tokens"}:
                self.exhausted = "tokens"
            case {"closed": float(at)}:
                self.closed_at = at
                self.closing.set()
            case _:
                pass

    @asynccontextmanager
    async def waits(self) -> AsyncGenerator[None]:
        """No clock of the run goes on in the block."""
        call = self.waiting.begin(self._clock.monotonic())
        try:
            yield
        finally:
            self.waiting.end(call, self._clock.monotonic())

    @property
    def waited_ms(self) -> int:
        """For how long no clock of the run went on, so far."""
        return round(self.waiting.total(self._clock.monotonic()) * 1_000)

    def report(self) -> GrantReport:
        """All so far."""
        calls = tuple(self._calls[number] for number in sorted(self._calls))
        return GrantReport(
            calls=calls,
            usage=total_usage(call.usage for call in calls if call.usage is not None),
            cost_microusd=self.book.spent_cost,
            tokens=self.book.spent_tokens,
            waited_ms=self.waited_ms,
            price_table=self._price_table,
            fault=self.fault,
            exhausted=self.exhausted,
            counted=self.counted,
            closed=self.closed,
            at_ms=round(self._clock.now() * 1_000),
        )

    def _take_in(self, call: ModelCall) -> None:
        self._calls[call.number] = call
        self.unpaid += not call.tokens

    def _note(self, entry: Entry) -> None:
        """Where it can't be kept, no call goes out any more, and the attempt is void."""
        try:
            self._write(self.opening.id, entry)
        except OSError as error:
            detail = f"the journal can't be written: {error.strerror}"
            self.fault = self.fault or GatewayFault(category=VoidCategory.GATEWAY, detail=detail)
            _LOG.error("", extra=event("journal_not_written", text=str(error)))


def _cut_call(begun: Entry) -> Entry:
    kept = {name: begun[name] for name in ("number", "wire", "model", "streamed")}
    charged = {"cost_microusd": begun["cost"], "tokens": begun["tokens"]}
    return {**kept, **charged, "status": 0, "stop": "cut", "attempts": 1, "hung_up": True}
