"""Re-creating a snapshot, whoever wrote its manifest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from models.errors import FarmError
from models.schemas.snapshot import (
    SnapshotDirectory,
    SnapshotFile,
    SnapshotLink,
    SnapshotManifest,
    decode_name,
    escaping_links,
)

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


def materialise(manifest: SnapshotManifest, pack: bytes, target: Path) -> None:
    """Write the tree into `target`, which is made if it is missing and must be empty.

    Everything is checked before the first file is written. Links that lead out are left out,
    judged by their texts and not by the manifest's flags. Raises SnapshotForged, OSError.
    """
    paths = _checked_paths(manifest)
    places = dict(zip(paths, manifest.entries, strict=True))
    contents = {
        path: (_content(entry, pack), entry.executable)
        for path, entry in places.items()
        if isinstance(entry, SnapshotFile)
    }
    links = {
        path: _link_text(entry) for path, entry in places.items() if isinstance(entry, SnapshotLink)
    }
    directories = [path for path in paths if isinstance(places[path], SnapshotDirectory)]
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise SnapshotForged(str(target), "the target directory is not empty")
    _write_tree(os.fsencode(target) + b"/", directories, contents, links)


def _write_tree(
    root: bytes,
    directories: list[bytes],
    contents: dict[bytes, tuple[memoryview, bool]],
    links: dict[bytes, bytes],
) -> None:
    for path in directories:
        os.mkdir(root + path, 0o755)  # noqa: PTH102 (bytes)
    for path, (content, executable) in contents.items():
        _write(root + path, content, executable=executable)
    # Last of all, so that no path above can have led through one of them.
    for path in links.keys() - escaping_links(links):
        os.symlink(links[path], root + path)  # noqa: PTH211 (bytes)


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


def _content(entry: SnapshotFile, pack: bytes) -> memoryview:
    content = memoryview(pack)[entry.offset : entry.offset + entry.size]
    if len(content) != entry.size or hashlib.sha256(content).hexdigest() != entry.sha256:
        raise SnapshotForged(entry.path, "its content in the pack is not what its digest says")
    return content


def _write(path: bytes, content: memoryview, *, executable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    try:
        while content:
            content = content[os.write(descriptor, content) :]
        os.fchmod(descriptor, 0o755 if executable else 0o644)
    finally:
        os.close(descriptor)
