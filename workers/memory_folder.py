"""A small folder in memory, for trees that the farm writes, shows read-only, and throws away.

Creating and deleting many files in a row is what a disk's file system is slow at: ext4 looks at
every inode that was freed within the last minutes before it takes a fresh one.
"""

import ctypes
import errno
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

MOST_BYTES = 16 << 20
MOST_FILES = 4_096
NAME = "memory"

_NEW_MOUNTS = 0x20000
_NO_SETUID, _NO_DEVICES, _RECURSIVE, _SLAVE = 0x2, 0x4, 0x4000, 1 << 19


def mount_memory_folder(scratch: Path) -> bool:
    """Lay a file system in memory over a folder below `scratch`; whether that was allowed.

    Call it in a pool child before it starts anything. Only this process and its children see it,
    and the kernel takes it away with the last of them: a killed worker leaves nothing.
    """
    folder = scratch / NAME
    folder.mkdir(exist_ok=True)
    library = ctypes.CDLL(None, use_errno=True)
    options = f"size={MOST_BYTES},nr_inodes={MOST_FILES},mode=0755".encode()
    place, flags = os.fsencode(folder), _NO_SETUID | _NO_DEVICES
    return (
        library.unshare(_NEW_MOUNTS) == 0
        # What the machine mounts from now on is seen here as well, and nothing the other way.
        and library.mount(None, b"/", None, _RECURSIVE | _SLAVE, None) == 0
        and library.mount(b"gradefarm", place, b"tmpfs", flags, options) == 0
    )


def memory_folder(scratch: Path) -> Path | None:
    """The folder, where this process has one; a write beyond its size is ENOSPC."""
    folder = scratch / NAME
    return folder if folder.is_mount() else None


@contextmanager
def filled_folder(memory: Path | None, fill: Callable[[Path], None]) -> Generator[Path]:
    """A new folder that `fill` has filled: below `memory`, or on disk where it is too large for
    that (then it is filled anew). Removed afterwards. Raises what `fill` raises."""
    grounds = (None,) if memory is None else (memory, None)
    for ground in grounds:
        with TemporaryDirectory(
            prefix="gradefarm-graded-", dir=ground, ignore_cleanup_errors=True
        ) as name:
            folder = Path(name)
            try:
                fill(folder)
            except OSError as error:
                if ground is None or error.errno != errno.ENOSPC:
                    raise
                continue
            yield folder
            return
