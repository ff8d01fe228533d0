"""One call from its reservation to its settlement, whatever becomes of the client meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.call_plan import CallPlan, GatewayTools
from workers.model_gateway.call_room import Holding
from workers.model_gateway.call_settling import CallSettling, Result
from workers.model_gateway.error_format import error_bytes, error_event
from workers.model_gateway.event_stream import EventSplitter, json_object
from workers.model_gateway.provider_asking import NotAnswered, ProviderAsking
from workers.model_gateway.reply_line import ReplyLine
from workers.model_gateway.stream_cleaning import StreamCleaner
from workers.model_gateway.stream_reading import StreamReader, is_end, stream_reader
from workers.model_gateway.upstream import ReplyBroke, UpstreamReply, rest_of
from workers.model_gateway.usage_reading import stop_of, usage_of

ENDING_S = 1.0
"""So long may a provider keep a stream open after its last event."""


class ModelCallTask:
    """Makes one call. `line` is where the client listens."""

    def __init__(self, account: GrantAccount, plan: CallPlan, tools: GatewayTools) -> None:
        self.line = ReplyLine(self._rest)
        self._account = account
        self._plan = plan
        self._tools = tools
        self._time = account.waiting.begin(tools.clock.monotonic())
        self._asking = ProviderAsking(account, plan, tools, self._time)
        self._settling = CallSettling(account, plan, tools, self._time)
        self._streamed: _Streamed | None = None

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
            await self._give_up(self._why_cancelled())
        except Exception as error:
            self._account.fail(VoidCategory.GATEWAY, f"the gateway failed: {type(error).__name__}")
            await self._give_up("the gateway failed")
            raise
        finally:
            self._rest()
            self.line.end()

    def _rest(self) -> None:
        """Its run waits for it no longer, nor is it at work for anybody."""
        self._account.waiting.end(self._time, self._tools.clock.monotonic())

    def _why_cancelled(self) -> str:
        if self._account.closed:
            return "the grant was closed before the reply had ended"
        why = f"the gateway ended during call {self._plan.number}"
        if not self._settling.settled:
            self._account.fail(VoidCategory.GATEWAY, why)
        return why

    async def _give_up(self, why: str) -> None:
        if self._streamed is not None and not self._settling.settled:
            await self._break_off(self._streamed, why)
        else:
            await self._settle(Result(502, "cut", charged=self._asking.attempts > 0))
            self._say(502, why)

    async def _break_off(self, streamed: "_Streamed", why: str) -> None:
        reader, body = streamed.reader, streamed.body()
        await self._settle(Result(200, "cut", body, reader.usage, reader.read))
        self.line.put(error_event(self._plan.wire, why) + b"\n\n")

    async def _make(self, stack: AsyncExitStack) -> None:
        try:
            reply = await self._asking.answer(stack)
        except NotAnswered as error:
            body = self._clean(error.body)
            await self._settle(Result(error.status, "error", body, charged=False))
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

    async def _whole(self, reply: UpstreamReply) -> None:
        body = self._clean(await rest_of(reply))
        said = json_object(body)
        if said is None:
            await self._settle(Result(502, "cut", body))
            self._say(502, "the reply broke off")
            return
        wire = self._plan.wire
        usage = usage_of(wire, said.get("usage"))
        await self._settle(Result(200, stop_of(wire, said), body, usage))
        self.line.answer(200, body)

    async def _stream(self, reply: UpstreamReply) -> None:
        reader = stream_reader(self._plan.wire, hide_usage=self._plan.prepared.hide_usage)
        streamed = self._streamed = _Streamed(reader)
        self.line.begin_stream()
        chunks, broke = reply.chunks(), False
        try:
            await self._follow(chunks, streamed)
        except ReplyBroke:
            broke = True
        if not reader.finished and (broke or reader.stop == "unknown"):
            await self._break_off(streamed, "the reply broke off")
        else:
            await self._settle_stream(streamed)
        self._rest()
        self.line.end()
        await _let_end(chunks)

    async def _follow(self, chunks: AsyncIterator[bytes], streamed: "_Streamed") -> None:
        splitter, cleaner = EventSplitter(), StreamCleaner(self._tools.secrets)
        try:
            async for chunk in chunks:
                for event in splitter.feed(chunk):
                    for clean in cleaner.feed(event):
                        await self._show(clean, streamed)
                    if is_end(event):
                        return
        finally:
            for clean in cleaner.rest():
                await self._show(clean, streamed)

    async def _show(self, event: bytes, streamed: "_Streamed") -> None:
        streamed.kept.append(event)
        shown = streamed.reader.show(event)
        if streamed.reader.finished:
            # Who has read the last event finds the call in the report.
            await self._settle_stream(streamed)
        if shown is not None:
            self.line.put(shown + b"\n\n")

    async def _settle_stream(self, streamed: "_Streamed") -> None:
        reader, body = streamed.reader, streamed.body()
        await self._settle(Result(200, reader.stop, body, reader.usage, reader.read))

    async def _settle(self, result: Result) -> None:
        await self._settling.settle(result, self._asking.attempts, hung_up=self.line.hung_up)

    def _clean(self, data: bytes) -> bytes:
        return self._tools.secrets.clean(data)

    def _say(self, status: int, message: str) -> None:
        self.line.answer(status, self._clean(error_bytes(self._plan.wire, status, message)))


async def _let_end(chunks: AsyncIterator[bytes]) -> None:
    """So that the connection can be used again; who does not end is left."""
    with suppress(ReplyBroke, TimeoutError):
        async with asyncio.timeout(ENDING_S):
            async for _ in chunks:
                pass


@dataclass
class _Streamed:
    """What has come of a streamed reply so far."""

    reader: StreamReader
    kept: list[bytes] = field(default_factory=list[bytes])

    def body(self) -> bytes:
        return b"".join(event + b"\n\n" for event in self.kept)
