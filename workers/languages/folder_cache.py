"""Folders that are made once and then shared by all workers of a machine."""

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path


def make_once(folder: Path, make: Callable[[Path], None]) -> Path:
    """`folder`, made by calling `make` with an empty draft folder if it is not there yet.

    Of several processes that ask at once, one makes it and the others wait. Readers see a
    complete folder or none, readable for every user; after a failure nothing is left, and what
    a killed process left is removed by the next that makes it.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder.with_name(folder.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _make(folder, make)
    finally:
        os.close(lock)
    return folder


def _make(folder: Path, make: Callable[[Path], None]) -> None:
    # The caller holds the lock: whoever began these drafts is gone.
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
    try:
        draft.mkdir(mode=0o755)
        make(draft)
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def make_readable(folder: Path) -> None:
    """Let every user read and enter what trusted programs wrote below `folder`."""
    for root, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(root, name)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o644))


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write text files, by path below `folder`, readable for every user."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
    for path in (folder, *(inner for inner in folder.rglob("*") if inner.is_dir())):
        path.chmod(0o755)
