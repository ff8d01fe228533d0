"""Re-creating a snapshot, whoever wrote its manifest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from models.errors import FarmError
from models.schemas.snapshot import (
    SnapshotDirectory,
    SnapshotFile,
    SnapshotLink,
    SnapshotManifest,
    decode_name,
)
from workers.freezing.escaping_links import escaping_links
from workers.freezing.freeze import Checkpoint, never_stop

_CHUNK = 2**20
_LONGEST_NAME = 255
_LONGEST_PATH = 3000
_LONGEST_LINK = 4095


class SnapshotForged(FarmError):
    """The manifest and the pack don't describe a tree that `freeze` could have written."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(
            f"Snapshot entry {path!r}: {problem}.",
            remedy="Fetch the snapshot again; if it is the same, freeze the workspace anew.",
        )


def materialise(
    manifest: SnapshotManifest, pack: IO[bytes], target: Path, checkpoint: Checkpoint = never_stop
) -> None:
    """Write the tree into `target`, which is made if it is missing and must be empty.

    The pack begins where `pack` stands. Everything is checked before the first file is written.
    Links that lead out are left out, judged by their texts and not by the manifest's flags.
    Raises SnapshotForged, OSError, and what `checkpoint` raises.
    """
    paths = _checked_paths(manifest)
    places = dict(zip(paths, manifest.entries, strict=True))
    contents = _Contents(pack, checkpoint)
    files = {path: entry for path, entry in places.items() if isinstance(entry, SnapshotFile)}
    for entry in files.values():
        contents.check(entry)
    links = {
        path: _link_text(entry) for path, entry in places.items() if isinstance(entry, SnapshotLink)
    }
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SnapshotForged(str(target), "the target directory is not empty")
    root = os.fsencode(target) + b"/"
    for path in paths:
        if isinstance(places[path], SnapshotDirectory):
            os.mkdir(root + path, 0o755)  # noqa: PTH102 (bytes)
    for path, entry in files.items():
        _write(root + path, contents.read(entry), executable=entry.executable)
    # Last of all, so that no path above can have led through one of them.
    for path in links.keys() - escaping_links(links):
        os.symlink(links[path], root + path)  # noqa: PTH211 (bytes)


class _Contents:
    """The contents in a pack, read a piece at a time."""

    def __init__(self, pack: IO[bytes], checkpoint: Checkpoint) -> None:
        self._pack = pack
        self._checkpoint = checkpoint
        self._start = pack.tell()
        self._room = pack.seek(0, os.SEEK_END) - self._start
        self._checked: set[tuple[int, int, str]] = set()

    def check(self, entry: SnapshotFile) -> None:
        """Raises SnapshotForged where the pack doesn't hold what the entry says."""
        key = (entry.offset, entry.size, entry.sha256)
        if key in self._checked:
            return
        digest = hashlib.sha256()
        if entry.offset + entry.size <= self._room:
            for chunk in self.read(entry):
                digest.update(chunk)
        if entry.offset + entry.size > self._room or digest.hexdigest() != entry.sha256:
            problem = "its content in the pack is not what its digest says"
            raise SnapshotForged(entry.path, problem)
        self._checked.add(key)

    def read(self, entry: SnapshotFile) -> Iterator[bytes]:
        """The content of an entry; nothing else may be read before this is used up."""
        self._pack.seek(self._start + entry.offset)
        left = entry.size
        while left and (chunk := self._pack.read(min(left, _CHUNK))):
            self._checkpoint()
            left -= len(chunk)
            yield chunk


def _checked_paths(manifest: SnapshotManifest) -> list[bytes]:
    """The raw paths, once they are plain, different, in order, and each below a directory."""
    paths: list[bytes] = []
    directories = {b""}
    previous = b""
    for entry in manifest.entries:
        path = _plain_path(entry.path)
        if path <= previous:
            raise SnapshotForged(entry.path, "out of order or listed twice")
        if path.rpartition(b"/")[0] not in directories:
            raise SnapshotForged(entry.path, "not below a listed directory")
        if isinstance(entry, SnapshotDirectory):
            directories.add(path)
        paths.append(path)
        previous = path
    return paths


def _plain_path(text: str) -> bytes:
    try:
        path = decode_name(text)
    except ValueError as error:
        raise SnapshotForged(text, str(error)) from error
    parts = path.split(b"/")
    if any(part in (b"", b".", b"..") or len(part) > _LONGEST_NAME for part in parts):
        raise SnapshotForged(text, "not a plain relative path")
    if b"\0" in path or len(path) > _LONGEST_PATH:
        raise SnapshotForged(text, "no file system could hold this path")
    return path


def _link_text(entry: SnapshotLink) -> bytes:
    try:
        text = decode_name(entry.target)
    except ValueError as error:
        raise SnapshotForged(entry.path, str(error)) from error
    if not text or b"\0" in text or len(text) > _LONGEST_LINK:
        raise SnapshotForged(entry.path, "the link's text is empty, too long or holds a NUL")
    return text


def _write(path: bytes, content: Iterator[bytes], *, executable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        for chunk in content:
            left = memoryview(chunk)
            while left:
                left = left[os.write(descriptor, left) :]
        os.fchmod(descriptor, 0o755 if executable else 0o644)
    finally:
        os.close(descriptor)
