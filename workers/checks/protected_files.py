"""Puts the files of a task that no agent may change back to what the starter holds."""

import shutil
from pathlib import Path

from models.canonical import digest_of
from models.identifiers import Digest
from tasks_catalog.content_hash import FileDigest, tree_digest
from tasks_catalog.file_tree import digest_file, digest_tree
from workers.tree_copy import copy_file, lay_over


def restore_protected(starter: Path, sources: Path, protected: tuple[str, ...]) -> None:
    """Replace every protected path (a folder where it ends with a slash) by the starter's.

    What an agent added below a protected folder is removed; a path that the starter doesn't
    hold is removed too. `sources` holds no links that lead outside.
    """
    for name in protected:
        ours, theirs = starter / name, sources / name
        clear_path(sources, name)
        if ours.is_dir():
            theirs.mkdir(parents=True, exist_ok=True)
            theirs.chmod(0o755)
            lay_over(ours, theirs)
        elif ours.is_file():
            copy_file(ours, theirs)


def protected_digest(starter: Path, protected: tuple[str, ...]) -> Digest:
    """Names all that `restore_protected` writes and removes."""
    return digest_of([[name, tree_digest(_files(starter / name))] for name in sorted(protected)])


def _files(path: Path) -> tuple[FileDigest, ...]:
    if path.is_dir():
        return digest_tree(path)
    return (digest_file(path),) if path.is_file() else ()


def clear_path(sources: Path, name: str) -> None:
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
