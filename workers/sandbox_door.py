"""The door from a sandbox to the gateway: carries bytes, and knows nothing of them."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from models.errors import FarmError, Infrastructure
from models.verdicts import VoidCategory
from workers.gateway_access import KNOCK_AGAIN_S, RESTART_S, GatewayAccess
from workers.model_gateway.waiting_time import WaitingTime
from workers.sandbox.listening_inside import listen_inside

PORT = 8700
"""Where the gateway is inside of every sandbox."""
MOST_CONNECTIONS = 64
"""A program that opens more at once would use up what the worker itself may open."""
CHUNK = 64 * 1024
START_S = 10.0


class GatewayDoor:
    """One for each attempt; open until the end of its block.

    `waited_s` tells for how many seconds no clock of the attempt went on, from its beginning.
    Where a connection could not be carried to the gateway, the end of the block raises
    Infrastructure(gateway): what the program did without its model says nothing of it.
    """

    def __init__(
        self, access: GatewayAccess, waited_s: Callable[[], float], *, own_network: bool
    ) -> None:
        """Without `own_network`, on farms that isolate nothing, it listens at once, outside."""
        self._access = access
        self._waited_s = waited_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._servers: list[asyncio.Server] = []
        self._connected = 0
        self._outside = None if own_network else socket.create_server(("127.0.0.1", 0))
        self._before = self._last = 0.0
        self._knocking = WaitingTime()
        self._failed = ""

    @property
    def origin(self) -> str:
        """The gateway's address as the sandboxed program sees it."""
        port = PORT if self._outside is None else self._outside.getsockname()[1]
        return f"http://127.0.0.1:{port}"

    @property
    def openai_url(self) -> str:
        """What clients of OpenAI's formats call their base URL."""
        return f"{self.origin}/openai/v1"

    @property
    def anthropic_url(self) -> str:
        """What clients of Anthropic's format call their base URL."""
        return f"{self.origin}/anthropic"

    def __enter__(self) -> Self:
        self._thread.start()
        if self._outside is not None:
            self._serve(self._outside)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(START_S)
        finally:
            # Also where a task does not end: the thread and its files are not left behind.
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        if self._failed and error is None:
            raise Infrastructure(
                VoidCategory.GATEWAY,
                f"a program in the sandbox did not reach the gateway: {self._failed}.",
                remedy="Start `gradefarm gateway`, and look at its log.",
            )

    def open_in(self, pid: int, *, own_network: bool) -> None:
        """Listen in the network of process `pid`, if it has one of its own. Raises OSError."""
        self._before = self._waited()
        if own_network:
            self._serve(listen_inside(pid, PORT))

    def paused_s(self) -> float:
        """Seconds since `open_in` in which providers let the program wait."""
        return max(0.0, self._waited() - self._before)

    def shut(self) -> None:
        """Take no more connections from where it was opened last."""
        if self._outside is None:
            asyncio.run_coroutine_threadsafe(self._close_servers(), self._loop).result(START_S)

    def _waited(self) -> float:
        # A gateway that does not answer now stops no program: its grant will tell.
        with suppress(FarmError):
            self._last = self._waited_s()
        return self._last + self._knocking.total(time.monotonic())

    def _serve(self, listener: socket.socket) -> None:
        async def begin() -> None:
            self._servers.append(await asyncio.start_server(self._carry, sock=listener))

        asyncio.run_coroutine_threadsafe(begin(), self._loop).result(START_S)

    async def _close_servers(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()

    async def _end(self) -> None:
        await self._close_servers()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        # Transports end in the next round.
        await asyncio.sleep(0)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connected += 1
        try:
            if self._connected <= MOST_CONNECTIONS:
                await self._to_gateway(reader, writer)
        finally:
            self._connected -= 1
            writer.close()

    async def _to_gateway(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answers, asks = await self._reach()
        except OSError as error:
            self._failed = f"{self._access.address}: {error}"
            return
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(reader, asks))
                both.create_task(_pump(answers, writer))
        finally:
            asks.close()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Knock until the gateway is back, for RESTART_S. Raises OSError."""
        began = time.monotonic()
        knock = self._knocking.begin(began)
        try:
            while True:
                try:
                    return await self._connect()
                except OSError:
                    if time.monotonic() - began >= RESTART_S:
                        raise
                await asyncio.sleep(KNOCK_AGAIN_S)
        finally:
            self._knocking.end(knock, time.monotonic())

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if path := self._access.socket_path:
            return await asyncio.open_unix_connection(path)
        host, port = self._access.host_and_port
        secure = ssl.create_default_context() if self._access.is_secure else None
        return await asyncio.open_connection(host, port, ssl=secure)


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Carry bytes until one side ends, and tell the other."""
    with suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    with suppress(OSError, RuntimeError):
        if target.can_write_eof():
            target.write_eof()
        else:
            target.close()
