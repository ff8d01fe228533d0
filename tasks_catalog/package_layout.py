"""What may lie where in a task package, and nothing else may."""

import stat
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

from models.schemas.task import TaskFacts, TaskManifest
from tasks_catalog.file_tree import walk
from tasks_catalog.package_faults import PackageFault

TOP = frozenset({"task.toml", "public", "sealed"})
PUBLIC_FILES = frozenset({"ticket.md", "visible_checks.json"})
SEALED_FILES = frozenset({"hidden_checks.json"})
LEFTOVERS = (
    "__pycache__",
    "*.pyc",
    ".git",
    ".DS_Store",
    "node_modules",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "*.orig",
    "*.rej",
    "*~",
)


def layout_faults(package: Path, manifest: TaskFacts | None) -> Iterator[PackageFault]:
    """Unknown, linked, special, leftover and oddly named files of one package folder.

    Which language folders and patches belong there is only told with a manifest.
    """
    for name in _names(package):
        if name not in TOP:
            yield PackageFault(name, "", "unknown at the top of a task", "move or remove it")
    for half in ("public", "sealed"):
        if (package / half).is_symlink():
            yield _link(half)
        elif (package / half).is_dir():
            yield from _file_faults(package, half)
    if manifest is not None:
        allowed = {"public": PUBLIC_FILES | set(manifest.languages)}
        yield from _unplanned(package, allowed)
    if isinstance(manifest, TaskManifest):
        yield from _unplanned(package, _allowed_sealed(manifest))


def _file_faults(package: Path, half: str) -> Iterator[PackageFault]:
    for path, status in walk(package / half):
        file = f"{half}/{path}"
        if stat.S_ISLNK(status.st_mode):
            yield _link(file)
        elif not stat.S_ISREG(status.st_mode):
            yield PackageFault(file, "", "not a regular file", "replace it by a regular file")
        leftover = leftover_pattern(path)
        if leftover:
            yield PackageFault(file, "", f"a leftover ({leftover})", "remove it")
        if not path.isprintable() or "\\" in path:
            remedy = "use printable characters without backslashes"
            yield PackageFault(repr(file), "", "an odd file name", remedy)


def _link(file: str) -> PackageFault:
    return PackageFault(file, "", "a symbolic link", "replace it by what it points to")


def leftover_pattern(path: str) -> str:
    """The pattern of LEFTOVERS that a part of `path` has; empty where none has one."""
    for part in path.split("/"):
        for pattern in LEFTOVERS:
            if fnmatch(part, pattern):
                return pattern
    return ""


def _allowed_sealed(manifest: TaskManifest) -> dict[str, frozenset[str]]:
    patches = {f"{fault.id}.patch" for fault in manifest.faults}
    allowed = {"sealed": SEALED_FILES | set(manifest.languages)}
    for language in manifest.languages:
        allowed[f"sealed/{language}"] = frozenset({"reference", "faults", *_suite_names(manifest)})
        allowed[f"sealed/{language}/faults"] = frozenset(patches)
    return allowed


def _unplanned(package: Path, allowed: Mapping[str, frozenset[str]]) -> Iterator[PackageFault]:
    for folder, names in sorted(allowed.items()):
        for name in _names(package / folder):
            if name not in names:
                remedy = "declare it in task.toml, or move or remove it"
                yield PackageFault(f"{folder}/{name}", "", "the task declares no such", remedy)


def _suite_names(manifest: TaskManifest) -> tuple[str, ...]:
    return ("suite", "suite.json") if manifest.uses_suite else ()


def _names(folder: Path) -> list[str]:
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir())
