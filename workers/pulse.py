"""Where a worker's sign of life is, and how long ago it gave one.

Imports next to nothing: a probe runs every few seconds on every machine.
"""

import contextlib
import time
from pathlib import Path


def alive_file(home: Path, name: str) -> Path:
    """The file of the worker called `name` in the farm at `home`."""
    return home / "worker" / f"{name}.alive"


def silence(home: Path, name: str) -> float | None:
    """For how many seconds a worker was not seen; None where it has no file, as before it serves
    and after it ended in order. `name` may lack the host."""
    exact = alive_file(home, name)
    found = [exact] if exact.exists() else list(exact.parent.glob(f"{name}@*.alive"))
    with contextlib.suppress(OSError):
        return min((time.time() - file.stat().st_mtime for file in found), default=None)
    return None
