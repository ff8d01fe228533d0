"""What the processes inside a running sandbox use, read from /proc by the worker."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# Fields of /proc/<pid>/stat counted behind the closing bracket of the command name.
_CPU_FIELDS = slice(11, 15)
_THREADS_FIELD = 17
_RESIDENT_FIELD = 21


@dataclass(frozen=True, slots=True)
class TreeUse:
    """Processor seconds (with those of ended children), resident bytes, and threads."""

    cpu_s: float
    resident_bytes: int
    threads: int


def read_tree(first_pid: int, *, namespaced: bool) -> TreeUse:
    """The use of `first_pid` and its descendants, or of the pid namespace it is the first of.

    Shared pages count once for each process that maps them: see `proportional_bytes`. A tree
    that is gone uses nothing.
    """
    ticks, resident, threads = 0, 0, 0
    for directory in _process_directories(first_pid, namespaced):
        fields = _stat_fields(directory)
        if fields:
            ticks += sum(int(field) for field in fields[_CPU_FIELDS])
            threads += int(fields[_THREADS_FIELD])
            resident += int(fields[_RESIDENT_FIELD]) * _PAGE_BYTES
    return TreeUse(ticks / _TICKS_PER_S, resident, threads)


def proportional_bytes(first_pid: int, *, namespaced: bool) -> int:
    """Resident bytes with every shared page split among those who share it; slower to read."""
    total = 0
    for directory in _process_directories(first_pid, namespaced):
        with contextlib.suppress(OSError), open(f"{directory}/smaps_rollup", "rb") as file:  # noqa: PTH123
            for line in file:
                if line.startswith(b"Pss:"):
                    total += int(line.split()[1]) * 1024
                    break
    return total


@dataclass(frozen=True, slots=True)
class MemoryFileUse:
    """What the sandbox's in-memory file systems hold."""

    used_bytes: int
    files: int


def read_memory_files(first_pid: int, places: Iterable[str]) -> MemoryFileUse:
    """The use of the file systems mounted at `places` inside.

    Nothing before the sandbox has a root of its own, and once it is gone.
    """
    used_bytes, files = 0, 0
    for place in places if _has_own_root(first_pid) else ():
        with contextlib.suppress(OSError):
            state = os.statvfs(f"/proc/{first_pid}/root{place}")
            used_bytes += (state.f_blocks - state.f_bfree) * state.f_frsize
            files += state.f_files - state.f_ffree
    return MemoryFileUse(used_bytes, files)


def _has_own_root(pid: int) -> bool:
    """Whether a process has left the worker's root.

    The first process of a sandbox is known before it does: until then, what can be seen through
    it are the files and processes of the whole machine, and nothing that judged code did.
    """
    try:
        seen, own = os.stat(f"/proc/{pid}/root/"), os.stat("/")  # noqa: PTH116 (as above)
    except OSError:
        return False
    return (seen.st_dev, seen.st_ino) != (own.st_dev, own.st_ino)


def _process_directories(first_pid: int, namespaced: bool) -> Iterator[str]:
    """The sandbox's own /proc lists exactly its processes, whoever their parents are."""
    inside = f"/proc/{first_pid}/root/proc"
    namespaced = namespaced and _has_own_root(first_pid)
    try:
        names = os.listdir(inside) if namespaced else []  # noqa: PTH208 (several times a second)
    except OSError:
        names = []
    if not names:
        yield from _descendants(first_pid)
        return
    for name in names:
        if name.isdigit():
            yield f"{inside}/{name}"


def _descendants(first_pid: int) -> Iterator[str]:
    pending = [str(first_pid)]
    while pending:
        pid = pending.pop()
        yield f"/proc/{pid}"
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
                with open(f"/proc/{pid}/task/{thread}/children") as file:  # noqa: PTH123
                    pending += file.read().split()


def _stat_fields(directory: str) -> list[bytes]:
    try:
        with open(f"{directory}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b") ")[2].split()
    except OSError:
        return []
