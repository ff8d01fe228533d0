"""What is stored."""

from dataclasses import dataclass


@dataclass
class Entry:
    """`until` is the instant at which the entry has lived for its time to live."""

    key: str
    value: str
    version: int
    ttl: int
    until: int
    tags: list[str]

    @property
    def size(self) -> int:
        return len(self.key) + len(self.value)

    def is_dead(self, at: int) -> bool:
        return at > self.until


class Store:
    """Entries by key, in the order in which they were stored."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.entries: dict[str, Entry] = {}

    @property
    def used(self) -> int:
        return sum(entry.size for entry in self.entries.values())

    def put(self, entry: Entry) -> list[str]:
        """Store an entry; return the keys of those that had to go."""
        self.entries.pop(entry.key, None)
        evicted: list[str] = []
        while self.entries and self.used + entry.size > self.capacity:
            evicted.append(next(iter(self.entries)))
            del self.entries[evicted[-1]]
        self.entries[entry.key] = entry
        return evicted
