"""Takes no body that is too large, and waits for none without an end."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.errors import InputFault
from scheduler.api.access_errors import TooLarge, TooSlow
from scheduler.api.problem_details import answer_of

LARGEST_BODY = 4 << 20
"""Bytes. A campaign of 100 systems with long command lines is below a tenth of it."""
BODY_PATIENCE_S = 30.0


class BodyLimits:
    """ASGI middleware. What is raised while the application reads is answered as any error."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > LARGEST_BODY:
            return await answer_of(_too_large())(scope, receive, send)
        return await self._app(scope, _LimitedBody(receive).receive, send)


class _LimitedBody:
    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._give_up = asyncio.get_running_loop().time() + BODY_PATIENCE_S
        self._bytes = 0
        self._whole = False

    async def receive(self) -> Message:
        """The next message. Raises TooLarge and TooSlow while the body is not whole."""
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._give_up):
                message = await self._receive()
        except TimeoutError:
            fault = InputFault("body", "did not arrive in time", "send it without pauses")
            raise TooSlow("the request", [fault]) from None
        self._bytes += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._bytes > LARGEST_BODY:
            raise _too_large()
        return message


def _too_large() -> TooLarge:
    remedy = f"send {LARGEST_BODY >> 20} MiB at most"
    return TooLarge("the request", [InputFault("body", "too large", remedy)])
