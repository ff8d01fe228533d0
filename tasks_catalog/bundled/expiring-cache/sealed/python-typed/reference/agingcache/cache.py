"""Carries out commands."""

from collections import Counter
from collections.abc import Callable

from agingcache.command import Command, parse
from agingcache.loads import Load, Loads
from agingcache.refusal import Refused
from agingcache.store import EXPIRED, INVALIDATED, Entry, Store, size_of

COUNTED = ("hits", "stale", "absent", "misses", "expired", "evicted", "invalidated")


class Cache:
    """Answers one line after the other.

    Each operation first raises all its refusals, and only then begins to change anything.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._store = Store(0)
        self._longest = 0
        self._clock = 0
        self._version = 0
        self._loads = Loads()
        self._counts: Counter[str] = Counter()
        self._removals: list[str] = []
        self._operations: dict[str, Callable[[Command], str]] = {
            "set": self._set,
            "absent": self._absent,
            "cas": self._cas,
            "get": self._get,
            "touch": self._touch,
            "delete": self._delete,
            "invalidate": self._invalidate,
            "load": self._load,
            "loaded": self._loaded,
            "failed": self._failed,
            "resize": self._resize,
            "stats": self._stats,
        }

    def answer(self, line: str) -> list[str]:
        """The lines of removals and the answer line of a command."""
        self._removals = []
        try:
            answer = self._carry_out(parse(line))
        except Refused as refusal:
            return [str(refusal)]
        return [*self._removals, answer]

    def _carry_out(self, command: Command) -> str:
        if command.name == "cache":
            return self._open(command)
        if not self._is_open:
            raise Refused("not_open")
        if len(command.key) > self._longest:
            raise Refused("key_too_long")
        if len(command.value) > self._longest:
            raise Refused("value_too_long")
        if command.at < self._clock:
            raise Refused("time_backwards")
        answer = self._operations[command.name](command)
        self._clock = command.at
        return answer

    def _open(self, command: Command) -> str:
        if self._is_open:
            raise Refused("already_open")
        self._is_open = True
        self._store = Store(command.numbers["bytes"])
        self._longest = command.numbers["chars"]
        return "ok"

    def _set(self, command: Command) -> str:
        self._refuse_too_large(command, command.value)
        return self._write(command, command.value)

    def _absent(self, command: Command) -> str:
        self._refuse_too_large(command, None)
        return self._write(command, None)

    def _cas(self, command: Command) -> str:
        entry = self._store.live(command.key, command.at)
        version = 0 if entry is None else entry.version
        if version != command.numbers["version"]:
            raise Refused("wrong_version", version)
        self._refuse_too_large(command, command.value)
        return self._write(command, command.value)

    def _get(self, command: Command) -> str:
        self._bury(command)
        refresh = "yes" if self._loads.under_way(command.key, command.at) is None else "no"
        entry = self._store.live(command.key, command.at)
        if entry is None:
            self._counts["misses"] += 1
            return f"miss {refresh}"
        entry.last_use = command.at
        if not entry.is_fresh(command.at):
            self._counts["stale"] += 1
            return f"stale {entry.version} {refresh} {entry.value}"
        if entry.slides:
            entry.renew(command.at)
        if entry.value is None:
            self._counts["absent"] += 1
            return f"absent {entry.version}"
        self._counts["hits"] += 1
        return f"hit {entry.version} {entry.value}"

    def _touch(self, command: Command) -> str:
        entry = self._find(command)
        if not entry.is_fresh(command.at):
            raise Refused("not_fresh")
        entry.renew(command.at)
        entry.last_use = command.at
        return f"ok {entry.fresh_until}"

    def _delete(self, command: Command) -> str:
        self._find(command)
        del self._store.entries[command.key]
        self._loads.overtake(command.key)
        return "ok"

    def _invalidate(self, command: Command) -> str:
        [tag] = command.tags
        entries = self._store.entries
        keys = [key for key, entry in entries.items() if tag in entry.tags and entry.is_live(command.at)]
        for key in sorted(keys):
            del entries[key]
            self._loads.overtake(key)
            self._removed(key, INVALIDATED)
        self._loads.invalidate(tag)
        return f"ok {len(keys)}"

    def _load(self, command: Command) -> str:
        entry = self._store.live(command.key, command.at)
        if entry is not None and entry.is_fresh(command.at):
            raise Refused("fresh")
        load = self._loads.under_way(command.key, command.at)
        if load is not None:
            raise Refused("in_flight", load.ticket)
        self._bury(command)
        ticket = self._loads.begin(command.key, command.at + command.numbers["lease"])
        return f"ok {ticket}"

    def _loaded(self, command: Command) -> str:
        load = self._find_load(command)
        self._refuse_too_large(command, command.value)
        self._loads.end(command.key)
        if load.is_superseded(command.tags):
            self._bury(command)
            return "ok superseded"
        return self._write(command, command.value)

    def _failed(self, command: Command) -> str:
        self._find_load(command)
        self._bury(command)
        self._loads.end(command.key)
        return "ok"

    def _resize(self, command: Command) -> str:
        self._store.capacity = command.numbers["bytes"]
        self._make_room(0, command.at)
        return f"ok {self._store.used}"

    def _stats(self, command: Command) -> str:
        counts = " ".join(f"{name}={self._counts[name]}" for name in COUNTED)
        stored = f"entries={len(self._store.entries)} bytes={self._store.used}"
        return f"ok {stored} {counts} loading={self._loads.count(command.at)}"

    def _find(self, command: Command) -> Entry:
        entry = self._store.live(command.key, command.at)
        if entry is None:
            raise Refused("not_found")
        return entry

    def _find_load(self, command: Command) -> Load:
        load = self._loads.under_way(command.key, command.at)
        if load is None or load.ticket != command.numbers["ticket"]:
            raise Refused("unknown_load")
        return load

    def _refuse_too_large(self, command: Command, value: str | None) -> None:
        if size_of(command.key, value) > self._store.capacity:
            raise Refused("too_large")

    def _write(self, command: Command, value: str | None) -> str:
        self._bury(command)
        self._store.entries.pop(command.key, None)
        self._make_room(size_of(command.key, value), command.at)
        self._version += 1
        ttl = command.numbers["ttl"]
        self._store.entries[command.key] = Entry(
            key=command.key,
            value=value,
            version=self._version,
            slides=command.slides,
            ttl=ttl,
            stale=command.numbers.get("stale", 0),
            tags=command.tags,
            fresh_until=command.at + ttl,
            last_use=command.at,
        )
        self._loads.overtake(command.key)
        return f"ok {self._version}"

    def _make_room(self, size: int, at: int) -> None:
        for key, cause in self._store.make_room(size, at):
            self._removed(key, cause)

    def _bury(self, command: Command) -> None:
        """Remove the entry of the command's key if it is dead."""
        entry = self._store.entries.get(command.key)
        if entry is not None and not entry.is_live(command.at):
            del self._store.entries[command.key]
            self._removed(command.key, EXPIRED)

    def _removed(self, key: str, cause: str) -> None:
        self._counts[cause] += 1
        self._removals.append(f"removed {key} {cause}")
