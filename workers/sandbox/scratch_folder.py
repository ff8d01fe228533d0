"""The folder that holds everything a worker needs for its sandboxes."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from models.errors import Refused

_WRITABLE_FOR_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def claim_scratch(scratch: Path) -> Path:
    """`scratch` by its real path, made if it is missing.

    Its name can be foretold, and it may lie where everybody can write: whoever made it first
    would own the sandbox's program and remembered results. Raises Refused unless it belongs to
    this user alone, OSError if it can't be made.
    """
    scratch.mkdir(mode=0o755, parents=True, exist_ok=True)
    for path in (scratch, real := scratch.resolve()):
        state = path.lstat()
        if state.st_uid != os.geteuid():
            raise _refusal(path, f"belongs to user {state.st_uid}, not to {os.geteuid()}")
    if real.lstat().st_mode & _WRITABLE_FOR_OTHERS:
        raise _refusal(real, "may be written by other users")
    return real


def refuse_closed_folders(scratch: Path) -> None:
    """Raises Refused where the users that root runs sandboxes under can't reach `scratch`."""
    if os.geteuid() != 0:
        return
    for folder in reversed((scratch, *scratch.parents)):
        if not folder.stat().st_mode & stat.S_IXOTH:
            raise Refused(
                f"the users of sandboxes can't enter {folder}, and the scratch folder "
                f"{scratch} is {'that' if folder == scratch else 'below it'}.",
                remedy="Name a folder that everybody can enter with GRADEFARM_SCRATCH, for "
                f"example one below /var/tmp, or let others pass: chmod o+x {folder}.",
            )


def _refusal(path: Path, problem: str) -> Refused:
    return Refused(
        f"the scratch folder {path} {problem}: others could put programs and results there.",
        remedy="Remove it, or name another one with GRADEFARM_SCRATCH.",
    )
