"""Hands a reply from the task that reads it to the client, who may leave at any time."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

JSON = "application/json"
EVENTS = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class ReplyHead:
    """How a reply begins; `body` is all of it where it is not streamed."""

    status: int
    body: bytes | None


class ReplyLine:
    """One writer, one reader; the writer never waits for the reader, whose leaving calls
    `when_left`."""

    def __init__(self, when_left: Callable[[], None] = lambda: None) -> None:
        self._when_left = when_left
        self._head: asyncio.Future[ReplyHead] = asyncio.get_running_loop().create_future()
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.hung_up = False

    def answer(self, status: int, body: bytes) -> None:
        """The whole reply; where another has begun, nothing happens."""
        if not self._head.done():
            self._head.set_result(ReplyHead(status, body))

    def begin_stream(self) -> None:
        """Parts will follow."""
        self._head.set_result(ReplyHead(200, None))

    def put(self, part: bytes) -> None:
        """A part for the client, if it is still there."""
        if not self.hung_up:
            self._parts.put_nowait(part)

    def end(self) -> None:
        """No part will follow."""
        self._parts.put_nowait(None)

    def leave(self) -> None:
        """Nobody waits for the reply any more."""
        if not self.hung_up:
            self.hung_up = True
            self._when_left()

    async def head(self) -> ReplyHead:
        """Wait for the beginning."""
        return await self._head

    async def parts(self) -> AsyncGenerator[bytes]:
        """The parts until the end. Whoever stops before has hung up."""
        ended = False
        try:
            while (part := await self._parts.get()) is not None:
                yield part
            ended = True
        finally:
            if not ended:
                self.leave()
