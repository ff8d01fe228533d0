"""Puts the files of a task that no agent may change back to what the starter holds."""

import shutil
from pathlib import Path

from workers.tree_copy import copy_file, lay_over


def restore_protected(starter: Path, sources: Path, protected: tuple[str, ...]) -> None:
    """Replace every protected path (a folder where it ends with a slash) by the starter's.

    What an agent added below a protected folder is removed; a path that the starter doesn't
    hold is removed too. `sources` holds no links that lead outside.
    """
    for name in protected:
        ours, theirs = starter / name, sources / name
        _clear(sources, name)
        if ours.is_dir():
            theirs.mkdir(parents=True, exist_ok=True)
            theirs.chmod(0o755)
            lay_over(ours, theirs)
        elif ours.is_file():
            copy_file(ours, theirs)


def _clear(sources: Path, name: str) -> None:
    """Remove `name`, and whatever stands where one of its folders should be."""
    step = sources
    parts = Path(name).parts
    for part in parts:
        step = step / part
        if step.is_symlink() or step.is_file():
            step.unlink()
            return
    if step.is_dir():
        shutil.rmtree(step)
