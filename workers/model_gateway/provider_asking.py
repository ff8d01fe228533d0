"""Asking a provider for one call until it answers, refuses, or stays in trouble."""

import asyncio
import random
from contextlib import AsyncExitStack, suppress
from typing import NoReturn

from models.verdicts import VoidCategory
from workers.model_gateway.account import GrantAccount
from workers.model_gateway.call_plan import CallPlan, GatewayTools
from workers.model_gateway.error_format import error_bytes
from workers.model_gateway.provider_health import Said
from workers.model_gateway.retry_rules import (
    FARM_REFUSED,
    OWN_DOING,
    TOO_MANY,
    is_providers_fault,
    is_too_large,
    may_be_own,
    pause_before,
)
from workers.model_gateway.tallies import NO_REPLY
from workers.model_gateway.upstream import NoReply, NotAllowed, UpstreamReply, rest_of
from workers.model_gateway.waiting_time import CallTime, Phase

MOST_ALONE = 20
"""So many refusals of its own requests are looked into for each run; each costs the farm a call."""
ALONE_AGAIN_S = 60.0
"""After those, one in so many seconds: the farm may come to be refused in the middle of a run."""


class NotAnswered(Exception):
    """The provider said `body` instead of an answer; the client gets `shown`."""

    def __init__(self, status: int, body: bytes, shown: bytes) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.shown = shown


class ProviderAsking:
    """Asks for one call, in its turn, and again while the provider is in trouble."""

    def __init__(
        self, account: GrantAccount, plan: CallPlan, tools: GatewayTools, time: CallTime
    ) -> None:
        self.attempts = 0
        """How often it was asked."""
        self._account = account
        self._plan = plan
        self._tools = tools
        self._time = time

    async def answer(self, stack: AsyncExitStack) -> UpstreamReply | None:
        """The answer, its body still to be read, open until `stack` is; None where there will be
        none, and the attempt is void or over. Raises NotAnswered."""
        reply = await self._first_byte(stack)
        if reply is not None and reply.status >= 300:
            await self._refuse(reply)
        return reply

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
            body = await rest_of(reply)
            if is_too_large(body):
                self._time.answered()
                raise NotAnswered(OWN_DOING, body, body)

    async def _ask(self) -> tuple[UpstreamReply | None, str]:
        """An answer, and what was wrong on the provider's side."""
        self.attempts += 1
        try:
            reply = await self._tools.upstream.ask(self._plan.asked)
        except NoReply as error:
            self._tools.tallies.note_attempt(self._plan.asked.provider, NO_REPLY)
            return None, str(error)
        except NotAllowed as error:
            self._account.fail(VoidCategory.GATEWAY, str(error))
            return None, ""
        self._tools.tallies.note_attempt(self._plan.asked.provider, str(reply.status))
        return reply, f"HTTP {reply.status}" if is_providers_fault(reply.status) else ""

    async def _take_turn(self, turn: AsyncExitStack) -> None:
        """Come to one's turn, or to the end of the grant."""
        limits, grant = self._tools.limits[self._plan.asked.provider], self._plan.asked.grant
        taking = asyncio.ensure_future(turn.enter_async_context(limits.turn(grant)))
        closing = asyncio.ensure_future(self._account.closing.wait())
        phase: Phase | None = None
        try:
            while not (taking.done() or closing.done()):
                turned = asyncio.ensure_future(limits.turned.wait())
                before, phase = phase, Phase.AT_WORK if limits.only_own(grant) else Phase.QUEUED
                if phase is not before:
                    self._time.goes_on(phase, self._tools.clock.monotonic())
                ends = (taking, closing, turned)
                try:
                    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    turned.cancel()
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
        if reply is None or not may_be_own(reply.status):
            return ""
        plan, status, body = self._plan, reply.status, await rest_of(reply)
        answers, account = True, self._account
        if account.refused_alone < MOST_ALONE or tried - account.looked_into >= ALONE_AGAIN_S:
            account.looked_into = tried
            refusal = Said(status, body)
            answers = await self._tools.health.answers(plan.asked, plan.question, refusal, tried)
        if answers:
            account.refused_alone += 1
            raise NotAnswered(OWN_DOING if status in FARM_REFUSED else status, body, body)
        if answers is None:
            return f"HTTP {status}"
        raise self._farm_refused(status, body)

    async def _refuse(self, reply: UpstreamReply) -> NoReturn:
        """The provider won't answer this: the agent's own doing, or the farm's, which voids the
        attempt. Raises NotAnswered."""
        body, status = await rest_of(reply), reply.status
        if status >= 400 and status not in FARM_REFUSED:
            raise NotAnswered(status, body, body)
        raise self._farm_refused(status, body)

    def _farm_refused(self, status: int, body: bytes) -> NotAnswered:
        refused = f"{self._plan.asked.provider} refuses the farm with HTTP {status}"
        detail = f"{refused}: look at its key, its credit and its address"
        self._account.fail(VoidCategory.GATEWAY, detail)
        return NotAnswered(503, body, error_bytes(self._plan.wire, 503, detail))
