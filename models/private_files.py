"""Whether a file that holds a secret can be read by others than the user that it is for."""

import stat
from pathlib import Path

FOR_OTHERS = 0o077
WAY_IN = 0o011
HANDED_IN = Path("/run/secrets")
"""Where a container is given its secrets, with modes of the engine's; nobody else is in there."""


def who_else_reads(path: Path) -> str:
    """What is wrong, with the remedy, for people; empty where nobody else can read the file.

    Others can't where a folder on the way lets its owner alone in. Raises OSError.
    """
    real = path.resolve()
    mode = stat.S_IMODE(real.stat().st_mode)
    closed = any(not folder.stat().st_mode & WAY_IN for folder in real.parents)
    if not mode & FOR_OTHERS or closed or HANDED_IN in path.absolute().parents:
        return ""
    return f"others may read it (mode {mode:03o}): chmod 600 {path}"
