"""Asks the gateway for one reply, and stops waiting when the stage is to end."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import httpx

from models.schemas.chat_settings import ChatSettings
from workers.agents.chat.anthropic_format import AnthropicFormat
from workers.agents.chat.chat_format import ChatFormat
from workers.agents.chat.conversation import Conversation
from workers.agents.chat.json_reading import read_reply
from workers.agents.chat.model_line import ModelLine
from workers.agents.chat.openai_format import OpenAiFormat
from workers.agents.chat.replies import Reply
from workers.agents.model_needs import ModelAccess
from workers.gateway_access import KNOCK_AGAIN_S, RESTART_S

FORMATS: dict[str, ChatFormat] = {"openai-chat": OpenAiFormat(), "anthropic": AnthropicFormat()}
LOOK_S = 0.2
DATA = "data:"
GIVEN = 200
BROKEN_REPLY = 502
"""The gateway's answer where a reply broke off after its first byte."""


@dataclass(frozen=True, slots=True)
class NoReply:
    """There was no reply: the status of the gateway's answer, 0 where there was none."""

    status: int
    detail: str


class ModelClient:
    """Asks one model with one key."""

    def __init__(self, access: ModelAccess, settings: ChatSettings) -> None:
        self._access = access
        self._settings = settings
        self._format = FORMATS[settings.wire]

    def ask(self, conversation: Conversation, seed: int | None, line: ModelLine) -> Reply | NoReply:
        """The next reply. `line` watches meanwhile; what it raises ends the call."""
        body = self._format.body(self._settings, conversation, seed)
        return asyncio.run(self._watched(body, line))

    async def _watched(self, body: Mapping[str, object], line: ModelLine) -> Reply | NoReply:
        call = asyncio.ensure_future(self._call(body, line))
        try:
            while not (await asyncio.wait({call}, timeout=LOOK_S))[0]:
                line.watch()
            answer = call.result()
            return answer if isinstance(answer, NoReply) else answer.legible()
        finally:
            call.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await call

    async def _call(self, body: Mapping[str, object], line: ModelLine) -> Reply | NoReply:
        """Knocks again where nobody is there, which a gateway that is started anew is not for a
        moment, and which counts for no clock; what was sent is never sent again."""
        headers = self._format.headers(self._access.key)
        began = last = time.monotonic()
        # How long it may take is the gateway's to say, and the caller's, who watches.
        async with self._access.http() as client:
            while True:
                try:
                    async with client.stream(
                        "POST", self._format.path, json=body, headers=headers, timeout=None
                    ) as response:
                        return await self._read(response)
                except httpx.TransportError as error:
                    is_away = isinstance(error, httpx.ConnectError)
                    if not is_away or time.monotonic() - began >= RESTART_S:
                        return NoReply(0, f"{type(error).__name__}: {error}")
                await asyncio.sleep(KNOCK_AGAIN_S)
                now = time.monotonic()
                line.excuse(now - last)
                last = now

    async def _read(self, response: httpx.Response) -> Reply | NoReply:
        if response.status_code == BROKEN_REPLY:
            return Reply("", stop="cut")
        if response.status_code != GIVEN:
            text = (await response.aread()).decode("utf-8", "replace")
            return NoReply(response.status_code, text)
        if self._settings.stream:
            return await self._read_stream(response)
        try:
            return self._format.whole(read_reply(await response.aread()))
        except (ValueError, httpx.TransportError):
            return Reply("", stop="cut")

    async def _read_stream(self, response: httpx.Response) -> Reply:
        streamed = self._format.stream()
        with suppress(httpx.TransportError):
            async for line in response.aiter_lines():
                if line.startswith(DATA):
                    # What is no JSON is the mark of the end.
                    with suppress(ValueError):
                        streamed.take(read_reply(line.removeprefix(DATA)))
        return streamed.reply()
