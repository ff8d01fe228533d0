"""Lays one trusted tree of files over another."""

import shutil
from pathlib import Path

from tasks_catalog.file_tree import is_executable, walk


def lay_over(source: Path, target: Path) -> None:
    """Copy every regular file of `source` to the same path below `target`, readable for all.

    A file that stands where a folder is needed, or the reverse, makes OSError.
    """
    for path, status in walk(source):
        if (source / path).is_symlink():
            continue
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, copy)
        copy.chmod(0o755 if is_executable(status) else 0o644)
