"""Recordings in a farm elsewhere."""

from dataclasses import dataclass

from models.schemas.api_answers import Page
from models.schemas.recording import Recording, RecordingView
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.pages import PagedList

RECORDINGS = PagedList("recordings", Page[RecordingView], 1_000)


@dataclass(frozen=True)
class RemoteRecordings:
    """Keeps `Recordings` over HTTP."""

    connection: Connection

    def listed(self, *, limit: int) -> list[RecordingView]:
        """The newest `limit`, newest first, page by page."""
        return RECORDINGS.first(self.connection, limit, {})

    def opened(self, number: int) -> Recording:
        """One with all of its steps."""
        return self.connection.ask(Request("GET", f"recordings/{number}"), Recording)
