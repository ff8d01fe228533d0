"""Kernel control groups: the only thing that caps the memory of a whole process tree."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

GROUPS_AT = Path("/sys/fs/cgroup")
_SERIAL = itertools.count()
_EMPTY_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class GroupHome:
    """Where groups can be made: one directory for version 2, one per controller for version 1."""

    version: Literal[1, 2]
    memory: Path
    pids: Path


@dataclass(frozen=True, slots=True)
class GroupReading:
    """Counters of one run. `own_limit` tells the group's limit from a shortage of the host."""

    out_of_memory_kills: int
    own_limit: bool
    peak_memory_bytes: int | None
    process_limit_hits: int


class ControlGroup:
    """One group for one run."""

    def __init__(self, home: GroupHome, memory_bytes: int, processes: int) -> None:
        """Raises OSError if the kernel refuses."""
        name = f"gradefarm-{os.getpid()}-{next(_SERIAL)}"
        self._version = home.version
        self._memory_bytes = memory_bytes
        # Plain strings: this is done for every single launch.
        self._memory = f"{home.memory}/{name}"
        self._pids = f"{home.pids}/{name}"
        self._directories = tuple(dict.fromkeys((self._memory, self._pids)))
        for directory in self._directories:
            os.mkdir(directory)  # noqa: PTH102
        try:
            self._limit(memory_bytes, processes)
        except OSError:
            self.remove()
            raise

    def join(self, pid: int) -> None:
        """Put one process, and all that it starts from now on, into the group."""
        for directory in self._directories:
            _write(f"{directory}/cgroup.procs", pid)

    def read(self) -> GroupReading:
        """The counters as they are now."""
        return self._read_v2() if self._version == 2 else self._read_v1()

    def remove(self) -> bool:
        """Kill what is left, wait until the group is empty and remove it; False if it stays."""
        deadline = time.monotonic() + _EMPTY_TIMEOUT_S
        while True:
            try:
                for directory in self._directories:
                    with contextlib.suppress(FileNotFoundError):
                        os.rmdir(directory)  # noqa: PTH106
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    return False
                self._kill()
                time.sleep(0.005)
            else:
                return True

    def _limit(self, memory_bytes: int, processes: int) -> None:
        if self._version == 2:
            _write(f"{self._memory}/memory.max", memory_bytes)
            _write_if_there(f"{self._memory}/memory.swap.max", 0)
            _write_if_there(f"{self._memory}/memory.oom.group", 1)
        else:
            _write(f"{self._memory}/memory.limit_in_bytes", memory_bytes)
            _write_if_there(f"{self._memory}/memory.memsw.limit_in_bytes", memory_bytes)
        _write(f"{self._pids}/pids.max", processes)

    def _read_v1(self) -> GroupReading:
        kills = _field(_text(f"{self._memory}/memory.oom_control"), "oom_kill")
        peak = int(_text(f"{self._memory}/memory.max_usage_in_bytes") or 0)
        # The counter stops short of the limit by what the kernel charges in advance.
        reached = peak >= self._memory_bytes * 0.95 - 2**20
        hits = _field(_text(f"{self._pids}/pids.events"), "max")
        return GroupReading(kills, reached, peak, hits)

    def _read_v2(self) -> GroupReading:
        events = _text(f"{self._memory}/memory.events")
        peak = _text(f"{self._memory}/memory.peak")
        hits = _field(_text(f"{self._pids}/pids.events"), "max")
        kills = max(_field(events, "oom_kill"), _field(events, "oom_group_kill"))
        own = _field(events, "oom") > 0
        return GroupReading(kills, own, int(peak) if peak else None, hits)

    def _kill(self) -> None:
        if self._version == 2:
            _write_if_there(f"{self._memory}/cgroup.kill", 1)
            return
        for directory in self._directories:
            for pid in _text(f"{directory}/cgroup.procs").split():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(int(pid), 9)


def find_group_home() -> GroupHome | None:
    """Where this process may make groups with memory and process caps, or None.

    Version 2 needs a delegated parent whose controllers are on (the worker itself sits in a leaf);
    version 1 needs write access beside the worker's own groups. Proved by making one.
    """
    own = own_groups()
    for home in (*_version_2_homes(own.get("")), *_version_1_homes(own)):
        _remove_leftovers(home)
        try:
            group = ControlGroup(home, memory_bytes=2**26, processes=16)
        except OSError:
            continue
        group.remove()
        return home
    return None


def own_groups() -> dict[str, str]:
    """Controller name (empty for version 2) to this process's group path."""
    groups: dict[str, str] = {}
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    return groups


def _version_2_homes(path: str | None) -> list[GroupHome]:
    if path is None:
        return []
    own = GROUPS_AT / path.lstrip("/")
    homes = [own] if own == GROUPS_AT else [own.parent, own]
    return [GroupHome(2, home, home) for home in homes if _controllers_on(home)]


def _controllers_on(home: Path) -> bool:
    switch = home / "cgroup.subtree_control"
    if not {"memory", "pids"} <= set(_text(switch).split()):
        with contextlib.suppress(OSError):
            switch.write_text("+memory +pids")
    return {"memory", "pids"} <= set(_text(switch).split())


def _version_1_homes(own: dict[str, str]) -> list[GroupHome]:
    if "memory" not in own or "pids" not in own:
        return []
    memory = GROUPS_AT / "memory" / own["memory"].lstrip("/")
    pids = GROUPS_AT / "pids" / own["pids"].lstrip("/")
    return [GroupHome(1, memory, pids)]


def _remove_leftovers(home: GroupHome) -> None:
    """Remove the groups of workers that are no more."""
    for parent in {home.memory, home.pids}:
        for leftover in parent.glob("gradefarm-*-*"):
            owner = leftover.name.split("-")[1]
            if not Path("/proc", owner).exists():
                for pid in _text(leftover / "cgroup.procs").split():
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(int(pid), 9)
                with contextlib.suppress(OSError):
                    leftover.rmdir()


def _write(path: str, value: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def _write_if_there(path: str, value: int) -> None:
    with contextlib.suppress(OSError):
        _write(path, value)


def _text(path: str | Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 65536).decode()
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _field(text: str, name: str) -> int:
    """The number behind `name` in a file of `name number` lines, 0 if there is none."""
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
