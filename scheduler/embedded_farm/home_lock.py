"""One embedded farm for one home, enforced by the kernel."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from models.errors import Refused

LOCK_FILE = "farm.lock"


@contextmanager
def home_lock(home: Path) -> Generator[None]:
    """Hold the home of a farm; the lock ends with this process, however it ends.

    Raises Refused, naming the process that holds it, when another farm runs there.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(home / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, home)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, home: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 32, 0).decode(errors="replace") or "unknown"
        raise Refused(
            f"a farm already runs in {home} (process {holder})",
            remedy="Use it as it is, stop it first, or set GRADEFARM_HOME to another folder.",
        ) from error


def holder_of(home: Path) -> int | None:
    """The process id of the farm that runs in `home`, or None."""
    try:
        descriptor = os.open(home / LOCK_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(descriptor, 32, 0).decode(errors="replace")
        return int(text) if text.isdigit() else None
    finally:
        os.close(descriptor)
    return None
