"""Stands before everything: who may not ask is turned away before a byte of the body is read."""

from typing import cast

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from models.errors import FarmError
from models.storage.transaction import DATABASE_ERRORS
from scheduler.api.access import Access, Knock, Principal
from scheduler.api.access_errors import Busy
from scheduler.api.problem_details import answer_of, database_problem
from scheduler.api.roles import READING, refuse_control_characters

MOST_CHANGES = 8
"""Changes may have to wait for the database's write lock. Each holds a thread and one of the 15
connections of a process meanwhile, and reading must find others free."""


class AccessGate:
    """ASGI middleware: puts the Principal into the request's state, or answers with a problem."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self.changing = 0
        self._threads: anyio.CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            refuse_control_characters(scope["path"])
            principal = await self._admit(_knock(scope))
        except FarmError as error:
            return await answer_of(error)(scope, receive, send)
        except DATABASE_ERRORS as error:
            return await database_problem(error)(scope, receive, send)
        cast("dict[str, object]", scope.setdefault("state", {}))["principal"] = principal
        if scope["method"] in READING:
            return await self._app(scope, receive, send)
        return await self._change(scope, receive, send)

    async def _admit(self, knock: Knock) -> Principal:
        # Threads of their own: whoever waits for a lock must not keep others from being let in.
        self._threads = self._threads or anyio.CapacityLimiter(8)
        return await anyio.to_thread.run_sync(self._access.admit, knock, limiter=self._threads)

    async def _change(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.changing >= MOST_CHANGES:
            busy = Busy(f"{MOST_CHANGES} changes are being made already.")
            return await answer_of(busy)(scope, receive, send)
        place = _Place(self, send)
        try:
            return await self._app(scope, receive, place.send)
        finally:
            place.leave()


class _Place:
    """One of the places for changes: left with the end of the answer, before what follows it."""

    def __init__(self, gate: AccessGate, send: Send) -> None:
        self._gate = gate
        self._send = send
        self._is_held = True
        gate.changing += 1

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.leave()

    def leave(self) -> None:
        """Leave it to the next change; once."""
        if self._is_held:
            self._is_held = False
            self._gate.changing -= 1


def _knock(scope: Scope) -> Knock:
    headers = Headers(scope=scope)
    client = scope.get("client")
    return Knock(
        method=scope["method"],
        path=scope["path"],
        host=headers.get("host", ""),
        authorization=headers.get("authorization"),
        address=str(client[0]) if client else "unknown",
    )
