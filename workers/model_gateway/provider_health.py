"""Whether a provider answers anybody: its own trouble, told from what one request brings on."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from models.clock import Clock
from models.schemas.model_call import Wire
from workers.model_gateway.provider_limits import ProviderLimits
from workers.model_gateway.retry_rules import (
    FARM_REFUSED,
    is_providers_fault,
    is_same_refusal,
)
from workers.model_gateway.upstream import (
    NoReply,
    NotAllowed,
    Upstream,
    UpstreamRequest,
    rest_of,
)

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


def small_question(wire: Wire, upstream_model: str, output_limit: str) -> bytes:
    """What shows whether a model answers the farm at all; its bytes of JSON."""
    body = {"model": upstream_model, **PROBES[wire], output_limit: PROBE_TOKENS}
    return json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class Said:
    """An answer of a provider."""

    status: int
    body: bytes = b""


class ProviderHealth:
    """What is known of each provider and model."""

    def __init__(
        self, upstream: Upstream, limits: Mapping[str, ProviderLimits], clock: Clock
    ) -> None:
        self._upstream = upstream
        self._limits = limits
        self._clock = clock
        self._good: dict[tuple[str, str], float] = {}
        self._probed: dict[tuple[str, str], tuple[float, Said | None]] = {}
        self._asking = defaultdict[tuple[str, str], asyncio.Lock](asyncio.Lock)

    def note_good(self, asked: UpstreamRequest, at: float) -> None:
        """What was sent at that time, monotonic, got an answer."""
        key = _key(asked)
        self._good[key] = max(at, self._good.get(key, at))

    def answered_since(self, asked: UpstreamRequest, since: float) -> bool:
        """Whether anything that was sent to the same model after `since` got an answer."""
        return self._good.get(_key(asked), since) > since

    async def answers(
        self, asked: UpstreamRequest, question: bytes, refusal: Said, since: float
    ) -> bool | None:
        """As `answered_since`; where nothing did, the gateway asks that question, at the farm's
        expense. False: it refuses the farm; None: it is in trouble, and can't tell. `refusal` is
        what was said to `asked`."""
        key = _key(asked)
        async with self._asking[key]:
            if self.answered_since(asked, since):
                return True
            at, found = self._probed.get(key, (since, None))
            if at <= since:
                at = self._clock.monotonic()
                # It is asked within the turn of `asked`, whose answer is over.
                self._limits[asked.provider].count_start(asked.grant)
                probe = replace(asked, content=question, label="", grant="", streamed=False)
                found = await self._probe(probe)
                self._probed[key] = (at, found)
            return None if found is None else _tells_of_own(found, refusal)

    async def _probe(self, probe: UpstreamRequest) -> Said | None:
        """The answer to the gateway's own question, None where there is none for now."""
        try:
            async with asyncio.timeout(PROBE_S):
                reply = await self._upstream.ask(probe)
                try:
                    body = b"" if reply.status < 400 else await rest_of(reply)
                finally:
                    await reply.close()
        except NotAllowed:
            # Recorded answers: what was the request's own doing then is so now.
            return Said(200)
        except (NoReply, TimeoutError):
            return None
        return None if is_providers_fault(reply.status) else Said(reply.status, body)


def _tells_of_own(found: Said, refusal: Said) -> bool:
    """Whether `found`, the answer to the gateway's own question, shows that `refusal` is of one
    request alone. Also who finds another fault with the question knows the key and the model."""
    alike = found.status == refusal.status and is_same_refusal(found.body, refusal.body)
    return not alike and found.status not in FARM_REFUSED


def _key(asked: UpstreamRequest) -> tuple[str, str]:
    return asked.provider, asked.model
