"""Whether a provider answers anybody: its own trouble, told from what one request brings on."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from models.clock import Clock
from models.schemas.model_call import Wire
from workers.model_gateway.upstream import NoReply, NotAllowed, Upstream, UpstreamRequest

PROBE_S = 30.0
"""How long a question of the gateway's own may take."""
PROBE_TOKENS = 16
"""Fewer are refused by some."""
ASKED = [{"role": "user", "content": "Say yes."}]
PROBES: Mapping[Wire, Mapping[str, object]] = {
    "openai-chat": {"messages": ASKED},
    "openai-responses": {"input": "Say yes.", "store": False},
    "anthropic": {"messages": ASKED},
}
OUTPUT_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens")


class ProviderHealth:
    """What is known of each provider and model."""

    def __init__(self, upstream: Upstream, clock: Clock) -> None:
        self._upstream = upstream
        self._clock = clock
        self._good: dict[tuple[str, str], float] = {}
        self._probed: dict[tuple[str, str], tuple[float, bool]] = {}
        self._asking = defaultdict[tuple[str, str], asyncio.Lock](asyncio.Lock)

    def note_good(self, asked: UpstreamRequest, at: float) -> None:
        """What was sent at that time, monotonic, got an answer."""
        key = _key(asked)
        self._good[key] = max(at, self._good.get(key, at))

    def answered_since(self, asked: UpstreamRequest, since: float) -> bool:
        """Whether anything that was sent to the same model after `since` got an answer."""
        return self._good.get(_key(asked), since) > since

    async def answers(self, asked: UpstreamRequest, since: float) -> bool:
        """As `answered_since`; where nothing did, the gateway asks by itself, at the farm's
        expense."""
        key = _key(asked)
        async with self._asking[key]:
            if self.answered_since(asked, since):
                return True
            at, found = self._probed.get(key, (since, False))
            if at <= since:
                at = self._clock.monotonic()
                found = await self._probe(asked)
                self._probed[key] = (at, found)
            return found

    async def _probe(self, asked: UpstreamRequest) -> bool:
        try:
            async with asyncio.timeout(PROBE_S):
                reply = await self._upstream.ask(_probe_for(asked))
        except NotAllowed:
            # Recorded answers: what was the request's own doing then is so now.
            return True
        except (NoReply, TimeoutError):
            return False
        await reply.close()
        return reply.status < 300


def _key(asked: UpstreamRequest) -> tuple[str, str]:
    return asked.provider, asked.model


def _probe_for(asked: UpstreamRequest) -> UpstreamRequest:
    sent = cast("Mapping[str, object]", json.loads(asked.content))
    limits = {name: PROBE_TOKENS for name in OUTPUT_LIMITS if name in sent}
    body = {"model": sent["model"], **PROBES[asked.wire], **limits}
    return replace(asked, content=json.dumps(body).encode(), label="", grant="", streamed=False)
