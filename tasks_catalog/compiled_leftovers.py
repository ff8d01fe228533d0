"""Takes away the bytecode that an installer put beside the bundled tasks and suite runners.

pip compiles every Python file that it installs, starters and references among them. No digest may
cover bytecode, which differs from machine to machine, and nothing that none covers may lie where
programs run.
"""

import os
from pathlib import Path

from models.errors import Refused

INSTALLED = Path(__file__).resolve().parent
CACHE = "__pycache__"


def drop_compiled(*roots: Path | None) -> None:
    """Remove the bytecode below those of `roots` that are part of this installation.

    Elsewhere it stays, a fault that validation names. Raises Refused where it can't be removed.
    """
    for root in dict.fromkeys(roots):
        if root is not None and root.resolve().is_relative_to(INSTALLED):
            for folder, names, _ in os.walk(root):
                if CACHE in names:
                    names.remove(CACHE)
                    _drop(Path(folder, CACHE))


def _drop(cache: Path) -> None:
    """Whatever else lies in it stays, and is a fault; so does a link to elsewhere."""
    if cache.is_symlink():
        return
    try:
        for file in cache.glob("*.pyc"):
            # Another process of the farm may be at it too.
            file.unlink(missing_ok=True)
        if cache.is_dir() and not any(cache.iterdir()):
            cache.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise Refused(
            f"{cache}: bytecode that no digest covers can't be removed: {error.strerror}.",
            remedy="Install with `pip install --no-compile`, or once, as the owner of the files: "
            f"`find {INSTALLED} -name {CACHE} -exec rm -r {{}} +`.",
        ) from error
