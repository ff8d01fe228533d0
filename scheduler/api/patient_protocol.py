"""HTTP/1.1 that does not wait for ever for the head of a request."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_PATIENCE_S = 10.0
"""From the first byte of a connection, or of a further request, to the end of the head."""


class PatientProtocol(H11Protocol):
    """uvicorn's own protocol; a connection without a request in work is closed when time is up."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take bytes; as long as they are no whole head, the time that is left stays what it is."""
        super().data_received(data)
        if self._is_at_work():
            self._stop_waiting()
        elif self._giving_up is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._giving_up = self.loop.call_later(HEAD_PATIENCE_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

    def _give_up(self) -> None:
        self._giving_up = None
        if not self._is_at_work() and not self.transport.is_closing():
            self.transport.close()

    def _is_at_work(self) -> bool:
        # Before the first request there is none, whatever its type says.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is not None and not cycle.response_complete
