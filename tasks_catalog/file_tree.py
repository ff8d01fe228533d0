"""Reads folders of a task package: regular files only, never through a symbolic link."""

import os
import stat
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from models.canonical import digest_of_bytes
from tasks_catalog.content_hash import FileDigest

Stamp = tuple[str, int, int, int, int, int]
"""Path, inode, mode, size, time of last change and of last status change of one file."""


def walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Everything below `root` that is not a folder: path with forward slashes and its status.

    Links are yielded, never followed, the order is sorted. Raises OSError where `root` can't
    be read.
    """
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(f"{root}/{prefix}") as entries:
            found = sorted(entries, key=attrgetter("name"))
        for entry in found:
            path = f"{prefix}/{entry.name}" if prefix else entry.name
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def file_stamps(root: Path) -> tuple[Stamp, ...]:
    """What tells whether anything below `root` (a folder or a file) changed since last time."""
    # One call tells the kind of most roots: this is asked several times in every run.
    status = os.lstat(root)
    if stat.S_ISDIR(status.st_mode) or (stat.S_ISLNK(status.st_mode) and root.is_dir()):
        return tuple(_stamp(path, status) for path, status in walk(root))
    return (_stamp("", status),)


def _stamp(path: str, status: os.stat_result) -> Stamp:
    return (
        path,
        status.st_ino,
        status.st_mode,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def is_executable(status: os.stat_result) -> bool:
    """Whether the owner may execute the file: the one mode bit that content carries."""
    return bool(status.st_mode & stat.S_IXUSR)


def read_files(root: Path) -> dict[str, bytes]:
    """Path to bytes of every regular file below `root`; links and special files are left out."""
    return {
        path: (root / path).read_bytes()
        for path, status in walk(root)
        if stat.S_ISREG(status.st_mode)
    }


def digest_tree(root: Path) -> tuple[FileDigest, ...]:
    """Every regular file below `root` with its x bit and the digest of its bytes."""
    return tuple(
        FileDigest(path, is_executable(status), digest_of_bytes((root / path).read_bytes()))
        for path, status in walk(root)
        if stat.S_ISREG(status.st_mode)
    )


def digest_file(path: Path) -> FileDigest:
    """One file, under its own name."""
    return FileDigest(path.name, is_executable(path.lstat()), digest_of_bytes(path.read_bytes()))
