"""Folders that are made once and then shared by all workers of a machine."""

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workers.sandbox.request import never_cancelled
from workers.stage_stopped import StageStopped

LOCK = ".lock"
LOOK_S = 0.05
"""How often one who waits for a lock looks whether it is still wanted."""


def make_once(
    folder: Path, make: Callable[[Path], None], cancelled: Callable[[], bool] = never_cancelled
) -> Path:
    """`folder`, made by calling `make` with an empty draft folder if it is not there yet.

    Of several processes that ask at once, one makes it and the others wait. Readers see a
    complete folder or none, readable for every user; after a failure nothing is left, and what
    a killed process left is removed by the next that makes it. Raises StageStopped when
    `cancelled` turns true while another makes it.
    """
    if not folder.is_dir():
        with hold_once(folder, make, cancelled):
            pass
    return folder


@contextmanager
def hold_once(
    folder: Path, make: Callable[[Path], None], cancelled: Callable[[], bool] = never_cancelled
) -> Generator[bool]:
    """`make_once` for a folder that may be removed again: within the block it never is.

    Gives whether it was there already. Raises like `make_once`.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock_of(folder)
    was_there = True
    while True:
        with _locked(lock, fcntl.LOCK_SH, cancelled):
            if folder.is_dir():
                os.utime(folder)
                yield was_there
                return
        with _locked(lock, fcntl.LOCK_EX, cancelled):
            if not folder.is_dir():
                was_there = False
                _make(folder, lock, make)


def forget(folder: Path) -> bool:
    """Remove a folder, its drafts and its lock file, unless somebody makes or holds it.

    Whether it is gone.
    """
    lock = _lock_of(folder)
    descriptor = _open(lock)
    try:
        if not _take(descriptor, fcntl.LOCK_EX) or not _stands_for(descriptor, lock):
            return False
        _remove_drafts(folder)
        if folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)
        else:
            folder.unlink(missing_ok=True)
        lock.unlink()
        return not folder.exists()
    finally:
        os.close(descriptor)


def held_names(parent: Path) -> Iterator[str]:
    """The name of every folder below `parent` of which anything is there, if only a draft."""
    names: set[str] = set()
    with suppress(FileNotFoundError), os.scandir(parent) as entries:
        names = {_name_of(entry.name) for entry in entries}
    yield from sorted(names)


def _name_of(entry: str) -> str:
    draft = entry.startswith(".")
    return entry[1:].rpartition(".")[0] if draft else entry.removesuffix(LOCK)


def _lock_of(folder: Path) -> Path:
    return folder.with_name(folder.name + LOCK)


@contextmanager
def _locked(lock: Path, kind: int, cancelled: Callable[[], bool]) -> Generator[None]:
    has_it = False
    while not has_it:
        descriptor = _open(lock)
        try:
            if has_it := _wait(descriptor, lock, kind, cancelled):
                yield
        finally:
            os.close(descriptor)


def _wait(descriptor: int, lock: Path, kind: int, cancelled: Callable[[], bool]) -> bool:
    """Wait for the lock. False where it was unlinked by whoever held it: nobody else finds it."""
    while not _take(descriptor, kind):
        if cancelled():
            raise StageStopped("the wait for another worker's build was stopped from outside.")
        time.sleep(LOOK_S)
    return _stands_for(descriptor, lock)


def _open(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _take(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _stands_for(descriptor: int, lock: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except FileNotFoundError:
        return False


def _make(folder: Path, lock: Path, make: Callable[[Path], None]) -> None:
    """The caller holds the lock: whoever began other drafts is gone."""
    _remove_drafts(folder)
    draft = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
    try:
        draft.mkdir(mode=0o755)
        make(draft)
        folder.unlink(missing_ok=True)  # It was no folder, or nothing would have to be made.
        draft.rename(folder)
    except BaseException:
        lock.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _remove_drafts(folder: Path) -> None:
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left, ignore_errors=True)


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
