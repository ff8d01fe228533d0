"""Asking a provider over HTTP."""

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import httpx

from models.schemas.model_call import Wire
from workers.model_gateway.configuration import Provider

PATHS: dict[Wire, str] = {
    "openai-chat": "/chat/completions",
    "openai-responses": "/responses",
    "anthropic": "/v1/messages",
}
COUNT_PATH = "/v1/messages/count_tokens"
ANTHROPIC_VERSION = "2023-06-01"


class NoReply(Exception):
    """The provider could not be reached, or said nothing: not one byte of a reply came."""


class NotAllowed(Exception):
    """The farm may not ask this, or has nothing to answer with: no run's doing."""


class ReplyBroke(Exception):
    """A reply broke off after its first byte."""


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """One question to a provider, in JSON. `path` is below its base; `model` is what runs call it,
    `label` names the run, `grant` the grant that it is asked with."""

    provider: str
    model: str
    path: str
    wire: Wire
    content: bytes
    headers: Mapping[str, str]
    label: str
    grant: str
    streamed: bool


class UpstreamReply(Protocol):
    """An answer, its body still to be read; close it in any case."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises ReplyBroke."""
        ...

    async def close(self) -> None: ...


async def rest_of(reply: UpstreamReply) -> bytes:
    """All that comes of a reply, also where it breaks off."""
    parts: list[bytes] = []
    with suppress(ReplyBroke):
        async for chunk in reply.chunks():
            parts.append(chunk)
    return b"".join(parts)


class Upstream(Protocol):
    """Whoever answers in place of the providers."""

    async def ask(self, request: UpstreamRequest) -> UpstreamReply:
        """Raises NoReply, NotAllowed."""
        ...

    async def close(self) -> None: ...


class HttpUpstream:
    """The providers themselves, each with its key."""

    def __init__(self, providers: Mapping[str, Provider], keys: Mapping[str, str]) -> None:
        self._providers = providers
        self._keys = keys
        # What a proxy's environment says is for people; a gateway goes where its file says.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=200)
        self._http = httpx.AsyncClient(
            limits=limits, trust_env=False, headers={"accept-encoding": "identity"}
        )

    async def ask(self, request: UpstreamRequest) -> UpstreamReply:
        """Send it; the reply's head is there when this returns."""
        provider = self._providers[request.provider]
        silence_s = provider.silence_s if request.streamed else provider.whole_s
        silence = httpx.Timeout(silence_s, connect=provider.connect_s, pool=None)
        asked = self._http.build_request(
            "POST",
            provider.base_url + request.path,
            content=request.content,
            headers={**request.headers, **self._login(request.provider, provider)},
            timeout=silence,
        )
        try:
            return _HttpReply(await self._http.send(asked, stream=True))
        except httpx.HTTPError as error:
            raise NoReply(type(error).__name__) from error

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    def _login(self, name: str, provider: Provider) -> dict[str, str]:
        key = self._keys.get(name, "")
        head = {"content-type": "application/json"}
        if not key:
            return head
        if provider.wire == "anthropic":
            return {**head, "x-api-key": key}
        return {**head, "authorization": f"Bearer {key}"}


class _HttpReply:
    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self._response.headers

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            raise ReplyBroke(type(error).__name__) from error

    async def close(self) -> None:
        await self._response.aclose()
