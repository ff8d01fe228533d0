"""Lays one trusted tree of files over another."""

import os
import shutil
from pathlib import Path

from tasks_catalog.file_tree import is_executable, walk


def lay_over(source: Path, target: Path) -> None:
    """Copy every folder and regular file of `source` to the same path below `target`, readable
    for all.

    A file that stands where a folder is needed, or the reverse, makes OSError.
    """
    for folder, _, _ in os.walk(source):
        (target / Path(folder).relative_to(source)).mkdir(parents=True, exist_ok=True)
    for path, _ in walk(source):
        if not (source / path).is_symlink():
            copy_file(source / path, target / path)


def copy_file(source: Path, target: Path) -> None:
    """Copy one file with its x bit, making the folders above it, readable for all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if is_executable(source.stat()) else 0o644)
