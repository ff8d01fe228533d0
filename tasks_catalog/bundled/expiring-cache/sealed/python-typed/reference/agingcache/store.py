"""What is stored, and what goes when room is needed."""

from dataclasses import dataclass

EXPIRED = "expired"
EVICTED = "evicted"
INVALIDATED = "invalidated"


@dataclass
class Entry:
    """`value` is None if the entry says that there is no such thing."""

    key: str
    value: str | None
    version: int
    slides: bool
    ttl: int
    stale: int
    tags: list[str]
    fresh_until: int
    last_use: int

    @property
    def size(self) -> int:
        return size_of(self.key, self.value)

    @property
    def dead_from(self) -> int:
        return self.fresh_until + self.stale

    def is_fresh(self, at: int) -> bool:
        return at < self.fresh_until

    def is_live(self, at: int) -> bool:
        return at < self.dead_from

    def renew(self, at: int) -> None:
        self.fresh_until = at + self.ttl


class Store:
    """Entries by key. Dead ones stay until they are removed."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: dict[str, Entry] = {}

    @property
    def used(self) -> int:
        return sum(entry.size for entry in self.entries.values())

    def live(self, key: str, at: int) -> Entry | None:
        """The live entry of this key, or None."""
        entry = self.entries.get(key)
        return entry if entry is not None and entry.is_live(at) else None

    def make_room(self, size: int, at: int) -> list[tuple[str, str]]:
        """Remove entries until `size` more bytes fit; return each key with its cause."""
        removed: list[tuple[str, str]] = []
        while self.used + size > self.capacity:
            victim = min(self.entries.values(), key=lambda entry: _turn(entry, at))
            del self.entries[victim.key]
            removed.append((victim.key, EVICTED if victim.is_live(at) else EXPIRED))
        return removed


def size_of(key: str, value: str | None) -> int:
    """The bytes that an entry uses."""
    return len(key.encode()) + len((value or "").encode())


def _turn(entry: Entry, at: int) -> tuple[int, int, int, str]:
    """The smaller, the sooner an entry goes."""
    if not entry.is_live(at):
        return (0, entry.dead_from, 0, entry.key)
    return (1, entry.last_use, -entry.size, entry.key)
