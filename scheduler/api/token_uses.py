"""Keeps when tokens were used last, without letting a request wait for the database."""

import asyncio
import contextlib
import threading

import anyio.to_thread

from models.schemas.api_token import TokenView
from models.storage.api_tokens import note_uses
from models.storage.transaction import DATABASE_ERRORS, Database

COARSE_S = 60.0
"""A use is written when the last one that was written is so old."""
WRITE_EVERY_S = 5.0


class TokenUses:
    """Uses of tokens that are still to be written. May be told from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._fresh: dict[str, float] = {}

    def note(self, token: TokenView, now: float) -> None:
        """A token was used at `now`."""
        if token.last_used_at is None or now - token.last_used_at >= COARSE_S:
            with self._lock:
                self._fresh[token.name] = now

    async def write_for_ever(self) -> None:
        """Write what was noted every few seconds, until it is cancelled."""
        while True:
            await asyncio.sleep(WRITE_EVERY_S)
            await anyio.to_thread.run_sync(self.write)

    def write(self) -> None:
        """Write what was noted. What the database does not take is told at the next use."""
        with self._lock:
            uses, self._fresh = self._fresh, {}
        if uses:
            with contextlib.suppress(*DATABASE_ERRORS), self._database.transaction() as session:
                note_uses(session, uses)
