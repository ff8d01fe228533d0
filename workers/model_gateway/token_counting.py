"""Counting a prompt's tokens at the provider: costs nothing and is no call."""

import json
from collections.abc import Mapping
from typing import cast

from workers.model_gateway.body_parsing import parse_body
from workers.model_gateway.call_desk import Call, CallRefused, upstream_headers
from workers.model_gateway.configuration import GatewayConfiguration, ServedModel
from workers.model_gateway.provider_limits import ProviderLimits
from workers.model_gateway.request_preparing import allowed_body, as_content
from workers.model_gateway.upstream import (
    COUNT_PATH,
    NoReply,
    NotAllowed,
    ReplyBroke,
    Upstream,
    UpstreamRequest,
)


class TokenCounting:
    """Asks the provider once, in turn with all calls."""

    def __init__(
        self,
        configuration: GatewayConfiguration,
        upstream: Upstream,
        limits: Mapping[str, ProviderLimits],
    ) -> None:
        self._configuration = configuration
        self._upstream = upstream
        self._limits = limits

    async def count(self, call: Call, served: ServedModel) -> dict[str, int]:
        """The provider's count. Raises CallRefused, FieldRefused."""
        sent = parse_body(call.raw)
        body, _ = allowed_body("anthropic", sent, served)
        betas = self._configuration.providers[served.provider].betas
        asked = UpstreamRequest(
            provider=served.provider,
            path=COUNT_PATH,
            wire="anthropic",
            content=as_content(body),
            headers=upstream_headers(call, betas),
            label="",
            grant="",
        )
        try:
            async with self._limits[served.provider].turn():
                return await self._ask(asked)
        except (NoReply, NotAllowed, ReplyBroke, ValueError, KeyError, TypeError):
            raise CallRefused(503, "count", "the provider does not count now") from None

    async def _ask(self, asked: UpstreamRequest) -> dict[str, int]:
        reply = await self._upstream.ask(asked)
        try:
            told = b"".join([part async for part in reply.chunks()])
        finally:
            await reply.close()
        return {"input_tokens": int(cast("dict[str, int]", json.loads(told))["input_tokens"])}
