"""Carries out commands."""

from collections import Counter

from agingcache.store import Entry, Store

REFUSED = "refused bad_command"
FIELDS_OF_SET = 7


class Cache:
    """Answers one line after the other."""

    def __init__(self):
        self._store = Store(0)
        self._version = 0
        self._counts = Counter()

    def answer(self, line):
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

    def _set(self, at, key, ttl, tags, value):
        self._version += 1
        lines = self._bury(at, key)
        for evicted in self._store.put(Entry(key, value, self._version, ttl, at + ttl, tags)):
            lines.append(self._removed(evicted, "evicted"))
        return [*lines, f"ok {self._version}"]

    def _get(self, at, key):
        lines = self._bury(at, key)
        entry = self._store.entries.get(key)
        if entry is None:
            self._counts["misses"] += 1
            return [*lines, "miss yes"]
        self._counts["hits"] += 1
        return [f"hit {entry.version} {entry.value}"]

    def _touch(self, at, key):
        entry = self._store.entries.get(key)
        if entry is None or entry.is_dead(at):
            return [REFUSED]
        entry.until = at + entry.ttl
        return [f"ok {entry.until}"]

    def _delete(self, at, key):
        entry = self._store.entries.get(key)
        if entry is None or entry.is_dead(at):
            return [REFUSED]
        del self._store.entries[key]
        return ["ok"]

    def _invalidate(self, at, tag):
        lines = []
        for key, entry in sorted(self._store.entries.items()):
            if tag in entry.tags and not entry.is_dead(at):
                del self._store.entries[key]
                lines.append(self._removed(key, "invalidated"))
        return [*lines, f"ok {len(lines)}"]

    def _stats(self):
        counts = self._counts
        return (
            f"ok entries={len(self._store.entries)} bytes={self._store.used} hits={counts['hits']} stale=0 absent=0"
            f" misses={counts['misses']} expired={counts['expired']} evicted={counts['evicted']}"
            f" invalidated={counts['invalidated']} loading=0"
        )

    def _bury(self, at, key):
        entry = self._store.entries.get(key)
        if entry is None or not entry.is_dead(at):
            return []
        del self._store.entries[key]
        return [self._removed(key, "expired")]

    def _removed(self, key, cause):
        self._counts[cause] += 1
        return f"removed {key} {cause}"


def number(text):
    """The number that a field holds; 0 if it holds none."""
    if text.isascii() and text.isdigit() and len(text) < 14:
        return int(text)
    return 0
