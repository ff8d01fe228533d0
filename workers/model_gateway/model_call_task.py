"""One call from its reservation to its settlement, whatever becomes of the client meanwhile."""

import asyncio
import json
import random
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import NoReturn, cast

from models.clock import Clock
from models.schemas.model_call import ModelCall, Stop, TokenUsage, Wire
from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.budget_book import Hold
from workers.model_gateway.call_room import Holding
from workers.model_gateway.configuration import Provider
from workers.model_gateway.error_format import error_bytes, error_event
from workers.model_gateway.event_stream import EventSplitter
from workers.model_gateway.kept_bodies import KeptBodies
from workers.model_gateway.price_table import Price
from workers.model_gateway.provider_health import ProviderHealth
from workers.model_gateway.provider_limits import ProviderLimits
from workers.model_gateway.reply_line import ReplyLine
from workers.model_gateway.request_preparing import PreparedRequest
from workers.model_gateway.retry_rules import (
    FARM_REFUSED,
    MAY_BE_OWN,
    OWN_DOING,
    TOO_MANY,
    is_providers_fault,
    is_too_large,
    pause_before,
)
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.model_gateway.stream_cleaning import StreamCleaner
from workers.model_gateway.stream_reading import StreamReader, stream_reader
from workers.model_gateway.tallies import GatewayTallies
from workers.model_gateway.upstream import (
    NoReply,
    NotAllowed,
    ReplyBroke,
    Upstream,
    UpstreamReply,
    UpstreamRequest,
)
from workers.model_gateway.usage_reading import stop_of, usage_of
from workers.model_gateway.waiting_time import Phase

MOST_ALONE = 20
"""So many refusals of its own requests are looked into for each run; each costs the farm a call."""


@dataclass(frozen=True, slots=True)
class GatewayTools:
    """What every call works with."""

    upstream: Upstream
    limits: Mapping[str, ProviderLimits]
    bodies: KeptBodies
    secrets: SecretsFilter
    clock: Clock
    tallies: GatewayTallies
    health: ProviderHealth


@dataclass(frozen=True, slots=True)
class CallPlan:
    """What is known of a call before it is made. `raw`: as it came in; `began` is monotonic."""

    number: int
    wire: Wire
    model: str
    raw: bytes
    began: float
    prepared: PreparedRequest
    price: Price
    hold: Hold
    asked: UpstreamRequest
    question: bytes
    provider: Provider


@dataclass(frozen=True, slots=True)
class Result:
    """How a call came out. `body` is what the provider said; `read` what it told of the input."""

    status: int
    stop: Stop
    body: bytes = b""
    usage: TokenUsage | None = None
    read: TokenUsage | None = None
    charged: bool = True


class NotAnswered(Exception):
    """The provider said `body` instead of an answer; the client gets `shown`."""

    def __init__(self, status: int, body: bytes, shown: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.shown = shown


class ModelCallTask:
    """Makes one call. `line` is where the client listens."""

    def __init__(self, account: GrantAccount, plan: CallPlan, tools: GatewayTools) -> None:
        self.line = ReplyLine()
        self._account = account
        self._plan = plan
        self._tools = tools
        self._attempts = 0
        self._time = account.waiting.begin(tools.clock.monotonic())
        self._settled = False

    def start(self, holding: Holding) -> None:
        """Go on by itself from now on, and give `holding` back at the end."""
        task = asyncio.create_task(self._run())
        task.add_done_callback(lambda _: holding.end())
        self._account.tasks.add(task)
        task.add_done_callback(self._account.tasks.discard)

    async def _run(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                await self._make(stack)
        except asyncio.CancelledError:
            await self._give_up("the grant was closed before the reply had ended")
        except Exception as error:
            self._account.fail(VoidCategory.GATEWAY, f"the gateway failed: {type(error).__name__}")
            await self._give_up("the gateway failed")
            raise
        finally:
            self._account.waiting.end(self._time, self._tools.clock.monotonic())
            self.line.end()

    async def _give_up(self, why: str) -> None:
        await self._settle(Result(502, "cut"))
        self._say(502, why)

    async def _make(self, stack: AsyncExitStack) -> None:
        try:
            reply = await self._first_byte(stack)
            if reply is not None and reply.status >= 300:
                await self._refuse(reply)
        except NotAnswered as error:
            await self._settle(Result(error.status, "error", error.body, charged=False))
            self.line.answer(error.status, self._clean(error.shown))
            return
        if reply is None:
            await self._settle(Result(503, "error", charged=False))
            fault = self._account.fault
            self._say(503, fault.detail if fault else "the grant is closed")
        elif self._plan.prepared.streamed:
            await self._stream(reply)
        else:
            await self._whole(reply)

    async def _first_byte(self, stack: AsyncExitStack) -> UpstreamReply | None:
        """Ask until there is an answer that is not the provider's own trouble; None: no more.

        Raises NotAnswered where asking again would change nothing.
        """
        clock, provider = self._tools.clock, self._plan.provider
        patience, failures, began = provider.patience_s, 0, 0.0
        while not self._account.closed and self._account.fault is None:
            turn = AsyncExitStack()
            stack.push_async_exit(turn)
            await self._take_turn(turn)
            if self._account.closed:
                return None
            tried = clock.monotonic()
            began = began or tried
            self._time.goes_on(Phase.SENT, tried)
            reply, trouble = await self._ask()
            if reply is not None:
                turn.push_async_callback(reply.close)
            if not trouble:
                self._note_answer(reply, tried)
                trouble = await self._trouble_of_refusal(reply, tried)
            if not trouble:
                return reply
            await self._refuse_too_large(reply)
            retry_after = reply.headers.get("retry-after") if reply else None
            await turn.aclose()
            self._time.goes_on(Phase.QUEUED, clock.monotonic())
            failures += 1
            pause = pause_before(provider, failures, retry_after, random.random())
            patience -= clock.monotonic() - tried + pause
            if patience < 0:
                self._give_up_asking(f"{trouble}, {failures} times", began)
                return None
            await self._pause(pause)
        return None

    def _note_answer(self, reply: UpstreamReply | None, tried: float) -> None:
        self._time.answered()
        if reply is not None and reply.status < 300:
            self._tools.health.note_good(self._plan.asked, tried)

    def _give_up_asking(self, trouble: str, since: float) -> None:
        """The attempt is void, also where others are answered: a provider that is in trouble with
        long requests alone is in trouble. Who reads of the void is told so."""
        asked = self._plan.asked
        others = self._tools.health.answered_since(asked, since)
        told = f"{asked.provider}: {trouble}{', while it answered others' if others else ''}"
        self._account.fail(VoidCategory.PROVIDER_UNAVAILABLE, told)

    async def _refuse_too_large(self, reply: UpstreamReply | None) -> None:
        """A limit that one request is over alone never passes. Raises NotAnswered."""
        if reply is not None and reply.status == TOO_MANY:
            body = await self._rest(reply)
            if is_too_large(body):
                self._time.answered()
                raise NotAnswered(OWN_DOING, body, body)

    async def _ask(self) -> tuple[UpstreamReply | None, str]:
        """An answer, and what was wrong on the provider's side."""
        self._attempts += 1
        try:
            reply = await self._tools.upstream.ask(self._plan.asked)
        except NoReply as error:
            self._tools.tallies.note_attempt(self._plan.asked.provider, "no reply")
            return None, str(error)
        except NotAllowed as error:
            self._account.fail(VoidCategory.GATEWAY, str(error))
            return None, ""
        self._tools.tallies.note_attempt(self._plan.asked.provider, str(reply.status))
        return reply, f"HTTP {reply.status}" if is_providers_fault(reply.status) else ""

    async def _take_turn(self, turn: AsyncExitStack) -> None:
        """Come to one's turn, or to the end of the grant."""
        limits, grant = self._tools.limits[self._plan.asked.provider], self._plan.asked.grant
        own = limits.only_own(grant)
        self._time.goes_on(Phase.AT_WORK if own else Phase.QUEUED, self._tools.clock.monotonic())
        taking = asyncio.ensure_future(turn.enter_async_context(limits.turn(grant)))
        closing = asyncio.ensure_future(self._account.closing.wait())
        try:
            await asyncio.wait((taking, closing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in (taking, closing):
                one.cancel()
            await asyncio.gather(taking, closing, return_exceptions=True)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._account.closing.wait(), seconds)

    async def _trouble_of_refusal(self, reply: UpstreamReply | None, tried: float) -> str:
        """Nothing, or what is wrong with a provider that can't say now whether it refuses the farm
        or this request. Raises NotAnswered where it is the request."""
        if reply is None or reply.status not in MAY_BE_OWN:
            return ""
        body, plan = await self._rest(reply), self._plan
        answers = True
        if self._account.refused_alone < MOST_ALONE:
            answers = await self._tools.health.answers(plan.asked, plan.question, tried)
        if answers:
            self._account.refused_alone += 1
            raise NotAnswered(OWN_DOING, body, body)
        if answers is None:
            return f"HTTP {reply.status}"
        raise self._farm_refused(reply.status, body)

    async def _refuse(self, reply: UpstreamReply) -> NoReturn:
        """The provider won't answer this: the agent's own doing, or the farm's, which voids the
        attempt. Raises NotAnswered."""
        body, status = await self._rest(reply), reply.status
        if status >= 400 and status not in FARM_REFUSED:
            raise NotAnswered(status, body, body)
        raise self._farm_refused(status, body)

    def _farm_refused(self, status: int, body: bytes) -> NotAnswered:
        refused = f"{self._plan.asked.provider} refuses the farm with HTTP {status}"
        detail = f"{refused}: look at its key, its credit and its address"
        self._account.fail(VoidCategory.GATEWAY, detail)
        return NotAnswered(503, body, error_bytes(self._plan.wire, 503, detail))

    async def _rest(self, reply: UpstreamReply) -> bytes:
        parts: list[bytes] = []
        with suppress(ReplyBroke):
            async for chunk in reply.chunks():
                parts.append(chunk)
        return b"".join(parts)

    async def _whole(self, reply: UpstreamReply) -> None:
        body = await self._rest(reply)
        said = _json_object(body)
        if said is None:
            await self._settle(Result(502, "cut", body))
            self._say(502, "the reply broke off")
            return
        wire = self._plan.wire
        usage = usage_of(wire, said.get("usage"))
        await self._settle(Result(200, stop_of(wire, said), body, usage))
        self.line.answer(200, self._clean(body))

    async def _stream(self, reply: UpstreamReply) -> None:
        reader = stream_reader(self._plan.wire, hide_usage=self._plan.prepared.hide_usage)
        self.line.begin_stream()
        kept: list[bytes] = []
        broke = False
        try:
            await self._follow(reply, reader, kept)
        except ReplyBroke:
            broke = True
        if not reader.finished and (broke or reader.stop == "unknown"):
            await self._settle(Result(200, "cut", _joined(kept), reader.usage, reader.read))
            self.line.put(error_event(self._plan.wire, "the reply broke off") + b"\n\n")
        else:
            await self._settle_stream(reader, kept)

    async def _follow(self, reply: UpstreamReply, reader: StreamReader, kept: list[bytes]) -> None:
        splitter, cleaner = EventSplitter(), StreamCleaner(self._tools.secrets)
        try:
            async for chunk in reply.chunks():
                for event in splitter.feed(chunk):
                    for clean in cleaner.feed(event):
                        await self._show(clean, reader, kept)
        finally:
            for clean in cleaner.rest():
                await self._show(clean, reader, kept)

    async def _show(self, event: bytes, reader: StreamReader, kept: list[bytes]) -> None:
        kept.append(event)
        shown = reader.show(event)
        if reader.finished:
            # Who has read the last event finds the call in the report.
            await self._settle_stream(reader, kept)
        if shown is not None:
            self.line.put(shown + b"\n\n")

    async def _settle_stream(self, reader: StreamReader, kept: list[bytes]) -> None:
        await self._settle(Result(200, reader.stop, _joined(kept), reader.usage, reader.read))

    async def _settle(self, result: Result) -> None:
        """Charge what was used; where nobody knows, what was held. Does it once."""
        if self._settled:
            return
        self._settled = True
        plan, now = self._plan, self._tools.clock.monotonic()
        waited_s = self._time.waited(now)
        cost, tokens = self._charge(result)
        paid, keep = result.charged, self._tools.bodies.keep
        call = ModelCall(
            number=plan.number,
            wire=plan.wire,
            model=plan.model,
            streamed=plan.prepared.streamed,
            status=result.status,
            stop=result.stop,
            usage=result.usage,
            cost_microusd=cost,
            tokens=tokens,
            attempts=self._attempts,
            waited_ms=round(waited_s * 1_000),
            took_ms=max(0, round((now - plan.began - waited_s) * 1_000)),
            request=keep(self._account, plan.raw, paid=paid),
            response=keep(self._account, result.body, paid=paid),
            hung_up=self.line.hung_up,
        )
        await self._account.settle(call, plan.hold)
        self._tools.tallies.note_call(call, plan.asked.provider)

    def _charge(self, result: Result) -> tuple[int, int]:
        if not result.charged:
            return 0, 0
        price, prepared = self._plan.price, self._plan.prepared
        if result.usage is not None:
            return price.cost(result.usage), result.usage.total
        if result.read is not None:
            cost = price.cost(result.read) + price.most(0, prepared.written)
            return cost, result.read.total + prepared.written
        return self._plan.hold.cost_microusd, self._plan.hold.tokens

    def _clean(self, data: bytes) -> bytes:
        return self._tools.secrets.clean(data)

    def _say(self, status: int, message: str) -> None:
        self.line.answer(status, self._clean(error_bytes(self._plan.wire, status, message)))


def _joined(events: list[bytes]) -> bytes:
    return b"".join(event + b"\n\n" for event in events)


def _json_object(body: bytes) -> dict[str, object] | None:
    try:
        value = cast("object", json.loads(body))
    except ValueError:
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None
