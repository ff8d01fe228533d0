"""Counting a prompt's tokens at the provider: costs nothing and is no call."""

from contextlib import AsyncExitStack
from functools import partial

from workers.model_gateway.account import GrantAccount
from workers.model_gateway.call_desk import (
    MOST_UNPAID,
    Call,
    CallDesk,
    CallRefused,
    upstream_headers,
)
from workers.model_gateway.call_plan import GatewayTools
from workers.model_gateway.configuration import GatewayConfiguration
from workers.model_gateway.event_stream import json_object
from workers.model_gateway.request_preparing import counted_content
from workers.model_gateway.upstream import (
    COUNT_PATH,
    NoReply,
    NotAllowed,
    ReplyBroke,
    UpstreamRequest,
)
from workers.model_gateway.usage_reading import NOTHING, count_at

MOST_COUNTS = 1_000
"""Of one grant: no budget ends them."""


class TokenCounting:
    """Asks the provider once, in turn with all calls; one question of a grant at a time."""

    def __init__(
        self, configuration: GatewayConfiguration, desk: CallDesk, tools: GatewayTools
    ) -> None:
        self._configuration = configuration
        self._desk = desk
        self._tools = tools

    async def count(self, account: GrantAccount, call: Call) -> dict[str, int]:
        """The provider's count. Raises CallRefused."""
        if account.unpaid >= MOST_UNPAID:
            raise CallRefused(403, "refusals", "too many calls were refused")
        try:
            asked = await self._asked(account, call)
        except CallRefused:
            account.unpaid += 1
            raise
        async with account.counting:
            return await self._in_turn(account, asked)

    async def _asked(self, account: GrantAccount, call: Call) -> UpstreamRequest:
        sent = await self._desk.parsed(account, call)
        served = self._desk.served(account, call.wire, sent.get("model"))
        content = await self._desk.worked_out(
            account, call, partial(counted_content, call.wire, sent, served)
        )
        return UpstreamRequest(
            provider=served.provider,
            model=str(sent["model"]),
            path=COUNT_PATH,
            wire=call.wire,
            content=content,
            headers=upstream_headers(call, self._configuration.providers[served.provider].betas),
            label="",
            grant="",
            streamed=True,  # as patient as with one: a count takes no thinking
        )

    async def _in_turn(self, account: GrantAccount, asked: UpstreamRequest) -> dict[str, int]:
        if account.counted >= MOST_COUNTS:
            raise CallRefused(403, "count", f"a run may have {MOST_COUNTS} prompts counted")
        grant = account.opening.id
        async with AsyncExitStack() as turn:
            async with account.waits():
                await turn.enter_async_context(self._tools.limits[asked.provider].turn(grant))
            if account.closed:
                raise CallRefused(401, "key", "the run is no longer at work")
            account.note_count()
            try:
                return await self._ask(asked)
            except (NoReply, NotAllowed, ReplyBroke):
                raise CallRefused(503, "count", "the provider does not count now") from None

    async def _ask(self, asked: UpstreamRequest) -> dict[str, int]:
        reply = await self._tools.upstream.ask(asked)
        try:
            told = b"".join([part async for part in reply.chunks()])
        finally:
            await reply.close()
        counted = count_at(json_object(told) or NOTHING, "input_tokens")
        if counted is None:
            raise NoReply("no count")
        return {"input_tokens": counted}
