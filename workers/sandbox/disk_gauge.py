"""How much the writable directories of a run hold, without walking them all the time."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK_BYTES = 512
_DEEPEST = 128
_WALK_EVERY = 20
_LEAST_ROOM_BYTES = 4 * 2**20
_LEAST_ROOM_FILES = 64


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Bytes and entries; `hidden` if a directory could not be opened.

    A file with holes counts by its length: whoever copies or freezes it has that much to do.
    """

    used_bytes: int
    files: int
    hidden: bool


class DiskGauge:
    """Tells when a set of directories on one file system holds more than its caps.

    Growth of the whole file system bounds the growth of the directories, and asking for it costs
    one system call. Only when it could have reached a cap (or, since others may free space, at
    every twentieth asking) are the directories walked.
    """

    def __init__(self, directories: Sequence[Path], most_bytes: int, most_files: int) -> None:
        self._directories = tuple(directories)
        self._most_bytes = most_bytes
        self._most_files = most_files
        self._askings = 0
        self._walked = DiskUse(0, 0, hidden=False)
        self._first_fill = self._walk_fill = self._fill()

    def over_limit(self, *, walk: bool = False) -> bool:
        """Whether the directories hold more than they may; with `walk` it is counted exactly."""
        if not self._directories:
            return False
        self._askings += 1
        fill = self._fill()
        grown_bytes = max(0, fill[0] - self._walk_fill[0])
        grown_files = max(0, fill[1] - self._walk_fill[1])
        suspect = self._exceeds(
            self._walked.used_bytes + grown_bytes, self._walked.files + grown_files
        )
        if not (suspect or walk or self._askings % _WALK_EVERY == 0):
            return False
        self._walk_fill = fill
        self._walked = measure_trees(self._directories, self._most_files)
        if self._walked.hidden:
            # What can't be seen is charged by how much the file system grew.
            return self._exceeds(fill[0] - self._first_fill[0], fill[1] - self._first_fill[1])
        return self._exceeds(self._walked.used_bytes, self._walked.files)

    def no_room(self) -> bool:
        """Whether the file system is as good as full, so that writing fails through no fault of a
        program that is within its caps."""
        if not self._directories:
            return False
        state = os.statvfs(self._directories[0])
        # Some file systems make files as they are needed, and count none.
        no_files = state.f_files > 0 and state.f_favail < _LEAST_ROOM_FILES
        return no_files or state.f_bavail * state.f_frsize < _LEAST_ROOM_BYTES

    def _exceeds(self, used_bytes: int, files: int) -> bool:
        return used_bytes > self._most_bytes or files > self._most_files

    def _fill(self) -> tuple[int, int]:
        """Bytes and files in use on the file system of the first directory."""
        if not self._directories:
            return (0, 0)
        state = os.statvfs(self._directories[0])
        used = (state.f_blocks - state.f_bfree) * state.f_frsize
        return (used, state.f_files - state.f_ffree)


def measure_trees(directories: Sequence[Path], most_files: int) -> DiskUse:
    """What the trees hold; stops as soon as `most_files` is passed. Follows no link.

    A nest deeper than 128 counts as too many files, so that nothing can hide down there.
    """
    used_bytes, files, hidden = 0, 0, False
    for directory in directories:
        for size in _entry_sizes(directory):
            files += 1
            if size is None:
                hidden = True
            else:
                used_bytes += size
            if files > most_files:
                return DiskUse(used_bytes, files, hidden)
            if size == _TOO_DEEP:
                return DiskUse(used_bytes, most_files + 1, hidden)
    return DiskUse(used_bytes, files, hidden)


_TOO_DEEP = -1


def _entry_sizes(directory: Path) -> Iterator[int | None]:
    """Size of each entry below; None for one that can't be read, -1 below the cap."""
    try:
        stack = [os.open(directory, os.O_RDONLY | os.O_DIRECTORY)]
    except PermissionError:
        yield None
        return
    pending: list[list[str]] = [os.listdir(stack[0])]  # noqa: PTH208 (a descriptor has no path)
    try:
        while stack:
            if not pending[-1]:
                os.close(stack.pop())
                pending.pop()
                continue
            name = pending[-1].pop()
            yield _measure(name, stack, pending)
    finally:
        for descriptor in stack:
            os.close(descriptor)


def _measure(name: str, stack: list[int], pending: list[list[str]]) -> int | None:
    """Size of one entry of the innermost directory; a directory is entered as well."""
    try:
        state = os.stat(name, dir_fd=stack[-1], follow_symlinks=False)
    except FileNotFoundError:
        return 0
    except OSError:
        return None
    if stat.S_ISDIR(state.st_mode):
        if len(stack) >= _DEEPEST:
            return _TOO_DEEP
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        try:
            descriptor = os.open(name, flags, dir_fd=stack[-1])
        except FileNotFoundError:
            return 0
        except OSError:
            return None
        stack.append(descriptor)
        pending.append(os.listdir(descriptor))  # noqa: PTH208 (a descriptor has no path)
    length = state.st_size if stat.S_ISREG(state.st_mode) else 0
    return max(length, state.st_blocks * _BLOCK_BYTES)
