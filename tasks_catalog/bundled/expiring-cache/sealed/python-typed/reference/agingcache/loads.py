"""The loads under way."""

from dataclasses import dataclass, field


@dataclass
class Load:
    """`invalidated` holds the tags that were invalidated since the load began."""

    ticket: int
    until: int
    overtaken: bool = False
    invalidated: set[str] = field(default_factory=set)

    def is_superseded(self, tags: list[str]) -> bool:
        return self.overtaken or not self.invalidated.isdisjoint(tags)


class Loads:
    """At most one load of a key is under way at a time."""

    def __init__(self) -> None:
        self._ticket = 0
        self._by_key: dict[str, Load] = {}

    def under_way(self, key: str, at: int) -> Load | None:
        """The load of this key whose lease has not ended, or None."""
        load = self._by_key.get(key)
        return load if load is not None and at < load.until else None

    def begin(self, key: str, until: int) -> int:
        """Begin a load; return its ticket."""
        self._ticket += 1
        self._by_key[key] = Load(self._ticket, until)
        return self._ticket

    def end(self, key: str) -> None:
        del self._by_key[key]

    def overtake(self, key: str) -> None:
        """Something newer than what the load of this key will bring has happened to the key."""
        if key in self._by_key:
            self._by_key[key].overtaken = True

    def invalidate(self, tag: str) -> None:
        for load in self._by_key.values():
            load.invalidated.add(tag)

    def count(self, at: int) -> int:
        return sum(at < load.until for load in self._by_key.values())
