"""Tells of failed logins with the addresses that they came from, however many there are."""

import logging
import threading
from dataclasses import dataclass

from models.event_log import event

log = logging.getLogger(__name__)

EVERY_S = 10.0
"""How often one address is told of at most."""
MOST_ADDRESSES = 1_000
"""More at once are counted as one, so that nobody can fill the memory by changing addresses."""
OTHERS = "other addresses"


@dataclass
class _Tally:
    told_at: float
    since: int = 0


class FailedLogins:
    """Counts failed logins by address. May be told from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tallies: dict[str, _Tally] = {}

    def note(self, address: str, now: float, why: str) -> None:
        """One more from `address` at `now`; logged at once, or counted until the next line."""
        with self._lock:
            failed = self._count(address, now)
        if failed:
            told = event("login_failed", address=address, times=failed, why=why)
            log.warning("a login failed", extra=told)

    def _count(self, address: str, now: float) -> int:
        """How many are to be told of now; 0 where the last line is too fresh."""
        if address not in self._tallies and len(self._tallies) >= MOST_ADDRESSES:
            quiet = now - EVERY_S
            self._tallies = {k: v for k, v in self._tallies.items() if v.told_at > quiet}
            if len(self._tallies) >= MOST_ADDRESSES:
                address = OTHERS
        tally = self._tallies.setdefault(address, _Tally(told_at=now - EVERY_S))
        tally.since += 1
        if abs(now - tally.told_at) < EVERY_S:
            return 0
        failed, tally.since, tally.told_at = tally.since, 0, now
        return failed
