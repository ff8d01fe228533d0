"""Freezing a stopped workspace that judged code has filled with whatever it liked.

Nothing here follows a link, opens anything but a regular file, recurses, or lets names out of
bytes. Every process of the sandbox is gone before. Memory is bounded by the caps on entries and
names, whatever the files hold.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Literal

from models.schemas.snapshot import (
    SnapshotDirectory,
    SnapshotEntry,
    SnapshotFile,
    SnapshotLink,
    SnapshotManifest,
    SnapshotNote,
    encode_name,
)
from workers.freezing.escaping_links import escaping_links
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit

_CHUNK = 2**20
_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_REPOSITORY = b".git"

NoteReason = Literal["fifo", "socket", "device", "unreadable", "excluded"]

Checkpoint = Callable[[], None]
"""Called again and again during long work; raises what is to end it."""


def never_stop() -> None:
    """The checkpoint of work that nobody can stop."""


def freeze(
    workspace_root: Path,
    caps: SnapshotCaps,
    pack: IO[bytes],
    *,
    keep_git: bool = False,
    checkpoint: Checkpoint = never_stop,
) -> SnapshotManifest:
    """Freeze the tree under `workspace_root`; every distinct content goes into `pack` once, end
    to end, from its beginning.

    Entries named `.git` are left out (with a note) unless `keep_git`, which keeps them as plain
    bytes. Raises WorkspaceOverLimit for a tree above the caps, OSError if the root can't be read
    or `pack` not be written, and what `checkpoint` raises.
    """
    collector = _Collector(caps, pack, checkpoint, keep_git=keep_git)
    collector.walk(workspace_root)
    return collector.manifest()


@dataclass(slots=True)
class _Level:
    """An open directory: its descriptor, its path inside, and the names still to do, last first."""

    descriptor: int
    path: bytes
    names: list[bytes]


class _Collector:
    def __init__(
        self, caps: SnapshotCaps, pack: IO[bytes], checkpoint: Checkpoint, *, keep_git: bool
    ) -> None:
        self._caps = caps
        self._pack = pack
        self._packed = 0
        self._checkpoint = checkpoint
        self._keep_git = keep_git
        self._offsets: dict[str, int] = {}
        self._files: list[tuple[bytes, SnapshotEntry]] = []
        self._links: dict[bytes, bytes] = {}
        self._notes: list[tuple[bytes, NoteReason]] = []
        self._seen = 0
        self._read_bytes = 0
        self._name_bytes = 0

    def walk(self, root: Path) -> None:
        levels = [self._level(_open_root(root), b"")]
        try:
            while levels:
                level = levels[-1]
                if not level.names:
                    os.close(levels.pop().descriptor)
                    continue
                self._checkpoint()
                name = level.names.pop()
                entered = self._take(level, name, len(levels))
                if entered is not None:
                    levels.append(entered)
        finally:
            for level in levels:
                os.close(level.descriptor)

    def manifest(self) -> SnapshotManifest:
        escaping = escaping_links(self._links)
        links: list[tuple[bytes, SnapshotEntry]] = [
            (
                path,
                SnapshotLink(
                    path=encode_name(path), target=encode_name(text), escapes=path in escaping
                ),
            )
            for path, text in self._links.items()
        ]
        entries = sorted(self._files + links, key=lambda pair: pair[0])
        notes = (
            SnapshotNote(path=encode_name(path), reason=reason)
            for path, reason in sorted(self._notes)
        )
        return SnapshotManifest(entries=tuple(entry for _, entry in entries), notes=tuple(notes))

    def _level(self, descriptor: int, path: bytes) -> _Level:
        with os.scandir(descriptor) as entries:
            room = self._caps.entries - self._seen + 1
            names = [os.fsencode(entry.name) for entry in islice(entries, room)]
        self._seen += len(names)
        if self._seen > self._caps.entries:
            os.close(descriptor)
            raise WorkspaceOverLimit("entries", self._caps.entries, path)
        return _Level(descriptor, path, sorted(names, reverse=True))

    def _take(self, level: _Level, name: bytes, depth: int) -> _Level | None:
        """Collect one entry; a directory is returned opened."""
        path = level.path + b"/" + name if level.path else name
        if len(path) > self._caps.path_bytes:
            raise WorkspaceOverLimit("path_bytes", self._caps.path_bytes, path[:200])
        self._count_name(len(path), path)
        if name == _REPOSITORY and not self._keep_git:
            self._notes.append((path, "excluded"))
            return None
        try:
            mode = os.stat(name, dir_fd=level.descriptor, follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                return self._enter(level, name, path, depth)
            if stat.S_ISLNK(mode):
                text = os.readlink(name, dir_fd=level.descriptor)
                self._count_name(len(text), path)
                self._links[path] = text
            elif stat.S_ISREG(mode):
                self._read(level, name, path)
            else:
                self._notes.append((path, _oddity(mode)))
        except PermissionError:
            self._notes.append((path, "unreadable"))
        return None

    def _enter(self, level: _Level, name: bytes, path: bytes, depth: int) -> _Level:
        if depth >= self._caps.depth:
            raise WorkspaceOverLimit("depth", self._caps.depth, path)
        descriptor = os.open(name, _OPEN_DIRECTORY, dir_fd=level.descriptor)
        self._files.append((path, SnapshotDirectory(path=encode_name(path))))
        return self._level(descriptor, path)

    def _read(self, level: _Level, name: bytes, path: bytes) -> None:
        descriptor = os.open(name, _OPEN_FILE, dir_fd=level.descriptor)
        try:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                self._notes.append((path, _oddity(state.st_mode)))
                return
            if state.st_size > self._caps.file_bytes:
                raise WorkspaceOverLimit("file_bytes", self._caps.file_bytes, path)
            size, digest, offset = self._store(descriptor, path)
        finally:
            os.close(descriptor)
        entry = SnapshotFile(
            path=encode_name(path),
            executable=bool(state.st_mode & stat.S_IXUSR),
            size=size,
            sha256=digest,
            offset=offset,
        )
        self._files.append((path, entry))

    def _store(self, descriptor: int, path: bytes) -> tuple[int, str, int]:
        """Size, digest and place in the pack of an open file's content."""
        content, size = hashlib.sha256(), 0
        for chunk in self._chunks(descriptor, path):
            content.update(chunk)
            size += self._pack.write(chunk)
        digest = content.hexdigest()
        offset = self._offsets.get(digest)
        if offset is not None:
            self._pack.seek(self._packed)
            self._pack.truncate()
            return size, digest, offset
        offset = self._offsets[digest] = self._packed
        self._packed += size
        return size, digest, offset

    def _chunks(self, descriptor: int, path: bytes) -> Iterator[bytes]:
        while chunk := os.read(descriptor, _CHUNK):
            self._checkpoint()
            self._read_bytes += len(chunk)
            if self._read_bytes > self._caps.total_bytes:
                raise WorkspaceOverLimit("total_bytes", self._caps.total_bytes, path)
            yield chunk

    def _count_name(self, size: int, path: bytes) -> None:
        self._name_bytes += size
        if self._name_bytes > self._caps.name_bytes:
            raise WorkspaceOverLimit("name_bytes", self._caps.name_bytes, path)


def _open_root(root: Path) -> int:
    """The workspace itself may have been shut by judged code that ran as the worker's user."""
    try:
        return os.open(root, _OPEN_DIRECTORY)
    except PermissionError:
        root.chmod(0o755)
        return os.open(root, _OPEN_DIRECTORY)


def _oddity(mode: int) -> NoteReason:
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"
