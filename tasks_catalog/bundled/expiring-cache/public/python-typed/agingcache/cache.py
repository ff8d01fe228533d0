"""Carries out commands."""

from collections import Counter

from agingcache.store import Entry, Store

REFUSED = "refused bad_command"
FIELDS_OF_SET = 7


class Cache:
    """Answers one line after the other."""

    def __init__(self) -> None:
        self._store = Store(0)
        self._version = 0
        self._counts: Counter[str] = Counter()

    def answer(self, line: str) -> list[str]:
        """The lines of removals and the answer line of a command."""
        name, *fields = line.split(" ")
        if name == "set":
            fields = line.split(" ", FIELDS_OF_SET)[1:]
        match name, fields:
            case "cache", [capacity, _]:
                self._store = Store(number(capacity))
                return ["ok"]
            case "set", [at, key, _, ttl, _, tags, value]:
                return self._set(number(at), key, number(ttl), tags.split(","), value)
            case "get", [at, key]:
                return self._get(number(at), key)
            case "touch", [at, key]:
                return self._touch(number(at), key)
            case "delete", [at, key]:
                return self._delete(number(at), key)
            case "invalidate", [at, tag]:
                return self._invalidate(number(at), tag)
            case "resize", [_, capacity]:
                self._store.capacity = number(capacity)
                return [f"ok {self._store.used}"]
            case "stats", [_]:
                return [self._stats()]
        return [REFUSED]

    def _set(self, at: int, key: str, ttl: int, tags: list[str], value: str) -> list[str]:
        self._version += 1
        lines = self._bury(at, key)
        for evicted in self._store.put(Entry(key, value, self._version, ttl, at + ttl, tags)):
            lines.append(self._removed(evicted, "evicted"))
        return [*lines, f"ok {self._version}"]

    def _get(self, at: int, key: str) -> list[str]:
        lines = self._bury(at, key)
        entry = self._store.entries.get(key)
        if entry is None:
            self._counts["misses"] += 1
            return [*lines, "miss yes"]
        self._counts["hits"] += 1
        return [f"hit {entry.version} {entry.value}"]

    def _touch(self, at: int, key: str) -> list[str]:
        entry = self._store.entries.get(key)
        if entry is None or entry.is_dead(at):
            return [REFUSED]
        entry.until = at + entry.ttl
        return [f"ok {entry.until}"]

    def _delete(self, at: int, key: str) -> list[str]:
        entry = self._store.entries.get(key)
        if entry is None or entry.is_dead(at):
            return [REFUSED]
        del self._store.entries[key]
        return ["ok"]

    def _invalidate(self, at: int, tag: str) -> list[str]:
        lines: list[str] = []
        for key, entry in sorted(self._store.entries.items()):
            if tag in entry.tags and not entry.is_dead(at):
                del self._store.entries[key]
                lines.append(self._removed(key, "invalidated"))
        return [*lines, f"ok {len(lines)}"]

    def _stats(self) -> str:
        counts = self._counts
        return (
            f"ok entries={len(self._store.entries)} bytes={self._store.used} hits={counts['hits']} stale=0 absent=0"
            f" misses={counts['misses']} expired={counts['expired']} evicted={counts['evicted']}"
            f" invalidated={counts['invalidated']} loading=0"
        )

    def _bury(self, at: int, key: str) -> list[str]:
        entry = self._store.entries.get(key)
        if entry is None or not entry.is_dead(at):
            return []
        del self._store.entries[key]
        return [self._removed(key, "expired")]

    def _removed(self, key: str, cause: str) -> str:
        self._counts[cause] += 1
        return f"removed {key} {cause}"


def number(text: str) -> int:
    """The number that a field holds; 0 if it holds none."""
    if text.isascii() and text.isdigit() and len(text) < 14:
        return int(text)
    return 0
