"""HTTP for a gateway that many untrusted programs speak to: nobody keeps a place for nothing."""

import asyncio
import resource
from typing import Any, ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_S = 20.0
"""So long may the head of a request take, from the first byte of the connection or the last one
of the reply before."""
FILES_OF_CALL = 3
"""The client's connection, the provider's, and a file of the books."""
SPARE_FILES = 100


def most_connections() -> int:
    """How many connections fit into the files that this process may open, raised to all it may."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return max(1, (most - SPARE_FILES) // FILES_OF_CALL)


class WatchedConnection(H11Protocol):
    """One connection of a server that has at most `most`.

    Where there are more, the one goes that has waited longest for a head without sending it.
    """

    most: ClassVar[int]
    head_s: ClassVar[float] = HEAD_S

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head; where that is one connection too many, one goes."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > self.most:
            self._longest_waiting().give_up()

    def data_received(self, data: bytes) -> None:
        """Go on with the request, if there is one by now."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next head."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._rest()

    def give_up(self) -> None:
        """Close it."""
        self._rest()
        self.transport.abort()

    def _watch(self) -> None:
        # The first request has yet to come where there is no cycle.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None and not cycle.response_complete:
            self._rest()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.head_s, self.give_up)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _longest_waiting(self) -> "WatchedConnection":
        """Of the others; itself where all of them are at work."""
        ends = {
            one._timer.when(): one
            for one in cast("set[WatchedConnection]", self.connections)
            if one._timer is not None and one is not self
        }
        return ends[min(ends)] if ends else self


def watched_connection(most: int, head_s: float = HEAD_S) -> type[WatchedConnection]:
    """The protocol for a server with at most so many connections."""
    return type("WatchedConnection", (WatchedConnection,), {"most": most, "head_s": head_s})
