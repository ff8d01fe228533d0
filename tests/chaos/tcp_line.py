"""A TCP line between one process and one server, which can be cut in every way that lines are."""

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

CHUNK = 65_536
Target = tuple[str, int] | Path
"""Host and port, or the path of a unix socket."""


class _Pair:
    """One connection through the line, as it is treated from its beginning to its end."""

    def __init__(self, *writers: asyncio.StreamWriter) -> None:
        self.writers = writers
        self.stranded = False
        self.held = 0

    def abort(self) -> None:
        """End both sides with a reset, as a host does that has forgotten the connection."""
        for writer in self.writers:
            raw = writer.get_extra_info("socket")
            with suppress(OSError, AttributeError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            writer.transport.abort()


class TcpLine:
    """Forwards connections to `target`; several lines share one `LineRoom`."""

    def __init__(self, room: "LineRoom", target: Target) -> None:
        self._room = room
        self._target = target
        self._pairs: set[_Pair] = set()
        self._open = asyncio.Event()
        self._open.set()
        self._never = asyncio.Event()
        """Held, or whoever waits for it is collected as garbage."""
        self._delay_s = 0.0
        self._refuses = False
        self.port = room.listen(self._serve)

    @property
    def held_bytes(self) -> int:
        """How much has come in since the line fell silent, and waits."""
        return sum(pair.held for pair in self._pairs)

    def silence(self) -> None:
        """Nothing goes through any more, in either direction; nobody is told."""
        self._room.now(self._open.clear)

    def restore(self) -> None:
        """All is well again; what was on its way arrives late."""

        def heal() -> None:
            self._refuses, self._delay_s = False, 0.0
            self._open.set()

        self._room.now(heal)

    def slow(self, delay_s: float) -> None:
        """Every packet takes `delay_s` more."""
        self._room.now(lambda: setattr(self, "_delay_s", delay_s))

    def reset(self) -> None:
        """End all connections; new ones are welcome."""
        self._room.now(self._abort_all)

    def refuse(self) -> None:
        """End all connections, and every new one at once, until `restore`."""

        def shut() -> None:
            self._refuses = True
            self._abort_all()

        self._room.now(shut)

    def strand(self) -> None:
        """Half-open: the present connections stay silent for ever; new ones work."""

        def leave() -> None:
            for pair in self._pairs:
                pair.stranded = True

        self._room.now(leave)

    def _abort_all(self) -> None:
        for pair in list(self._pairs):
            pair.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        near = _Pair(writer)
        try:
            # Cancelled when the room is closed.
            with suppress(OSError, asyncio.CancelledError):
                if not self._refuses:
                    await self._open.wait()
                    await self._join(reader, writer, *await self._connect())
        finally:
            near.abort()

    async def _join(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        pair = _Pair(writer, far_writer)
        self._pairs.add(pair)
        try:
            await asyncio.gather(
                self._pump(pair, reader, far_writer), self._pump(pair, far_reader, writer)
            )
            for each in pair.writers:
                with suppress(OSError):
                    await each.wait_closed()
        finally:
            self._pairs.discard(pair)
            pair.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._target, Path):
            return await asyncio.open_unix_connection(self._target)
        return await asyncio.open_connection(*self._target)

    async def _pump(
        self, pair: _Pair, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._pass(pair, len(data))
                if pair.stranded:
                    await self._never.wait()
                writer.write(data)
                await writer.drain()
        if not pair.stranded:
            await self._open.wait()
            writer.close()

    async def _pass(self, pair: _Pair, size: int) -> None:
        pair.held += size
        try:
            await self._open.wait()
            if self._delay_s:
                await asyncio.sleep(self._delay_s)
        finally:
            pair.held -= size


class LineRoom:
    """The thread in which lines live."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._servers: list[asyncio.Server] = []
        self._thread = threading.Thread(target=self._loop.run_forever, name="lines", daemon=True)
        self._thread.start()

    def line(self, target: Target) -> TcpLine:
        """A new line to `target`, on a port of its own."""
        return TcpLine(self, target)

    def listen(self, serve: Callable[..., Coroutine[Any, Any, None]]) -> int:
        """Have `serve` serve a new port; returns that."""
        server = self.call(asyncio.start_server(serve, "127.0.0.1", 0))
        self._servers.append(server)
        return server.sockets[0].getsockname()[1]

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the room to its end."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    def now(self, act: Any) -> None:
        """Call `act` in the room, and wait until it is done."""

        async def do() -> None:
            act()

        self.call(do())

    def close(self) -> None:
        """Drop every connection."""

        async def end() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            for server in self._servers:
                server.close()
            await asyncio.sleep(0.05)  # transports end in a later turn of the loop

        self.call(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
