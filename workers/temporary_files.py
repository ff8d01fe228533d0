"""Where the temporary files of this process go, and how those of killed processes are removed."""

import fcntl
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox.scratch_folder import claim_scratch
from workers.sandbox.slots import remove_tree

PREFIX = "process-"


@dataclass(frozen=True, slots=True)
class _Own:
    """The folder of one process; the lock on it ends with the process, however that ends."""

    pid: int
    folder: Path
    lock: int

    @property
    def home(self) -> Path:
        """The folder that holds those of all processes."""
        return self.folder.parent


_owned: list[_Own] = []


def keep_temporary_files(scratch: Path) -> None:
    """From now on, temporary files of this process go into a folder of its own below `scratch`,
    where sandbox users can reach them. The folders of processes that are gone are removed.

    A forked child must call this again. Raises Refused for a scratch folder that isn't ours.
    """
    os.umask(0o022)
    home = claim_scratch(scratch) / "tmp"
    home.mkdir(exist_ok=True)
    for path in (home.parent, home):
        path.chmod(0o755)
    own = next(
        (one for one in _owned if one.pid == os.getpid() and one.folder.parent == home), None
    )
    if own is None or not own.folder.is_dir():
        _sweep(home)
        own = _claim(home)
        _owned.append(own)
    tempfile.tempdir = str(own.folder)


def _claim(home: Path) -> _Own:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=home))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue  # swept away by a process that began at the same moment
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another process may have swept it away before it was locked.
            folder.chmod(0o755)
            return _Own(os.getpid(), folder, lock)
        os.close(lock)


def _sweep(home: Path) -> None:
    for folder in home.glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(folder)
            finally:
                os.close(lock)
