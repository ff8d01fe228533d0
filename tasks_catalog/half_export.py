"""Writes one half of task packages into a folder of its own, for the machines of one role.

The public half is what agent workers hold: a manifest that names nothing hidden, the ticket, the
visible checks, the starters. The sealed half is all else, with the whole manifest; together they
make the packages that they came from.
"""

import shutil
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from models.errors import Refused
from models.schemas.task import TaskManifest
from tasks_catalog.file_tree import is_executable, walk
from tasks_catalog.loading import MANIFEST_FILE, TICKET_FILE, VISIBLE_FILE, starter_folder
from tasks_catalog.public_manifest_text import public_manifest_text


class Half(StrEnum):
    """The two halves of a catalogue."""

    PUBLIC = "public"
    SEALED = "sealed"


@dataclass(frozen=True, slots=True)
class WholePackage:
    """A task with both halves: `public` and `sealed` are its folders in the two roots, and
    `manifest_file` is the whole manifest in one of them."""

    manifest: TaskManifest
    manifest_file: Path
    public: Path
    sealed: Path


def export_half(
    packages: Iterable[WholePackage], half: Half, into: Path
) -> tuple[tuple[str, int], ...]:
    """Write one half of each package into `into`, all of them or nothing.

    Returns how many files each task has there. A sealed half can be entered by its owner alone.
    Raises Refused where something is there already or
    nothing can be written.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise Refused(f"{into} is there already.", remedy="Name a new or an empty folder.")
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=into.parent) as name:
            draft = Path(name) / "half"
            draft.mkdir(mode=0o700 if half is Half.SEALED else 0o755)
            counts = tuple(
                (one.manifest.id, _write(one, half, draft / one.manifest.id)) for one in packages
            )
            draft.replace(into)
    except OSError as error:
        raise Refused(
            f"{into} can't be written: {error.strerror}.",
            remedy="Name a folder that you can write.",
        ) from error
    return counts


def _write(package: WholePackage, half: Half, target: Path) -> int:
    target.mkdir(mode=0o755)
    if half is Half.SEALED:
        _copy_file(package.manifest_file, target / MANIFEST_FILE)
        return 1 + _copy_tree(package.sealed / "sealed", target / "sealed")
    text = public_manifest_text(package.manifest.public())
    (target / MANIFEST_FILE).write_text(text, encoding="utf-8")
    for file in (TICKET_FILE, VISIBLE_FILE):
        _copy_file(package.public / file, target / file)
    starters = (
        _copy_tree(starter_folder(package.public, each), starter_folder(target, each))
        for each in package.manifest.languages
    )
    return 3 + sum(starters)


def _copy_tree(source: Path, target: Path) -> int:
    """Copy the regular files, as digests see them; how many there are."""
    files = [path for path, status in walk(source) if stat.S_ISREG(status.st_mode)]
    for path in files:
        _copy_file(source / path, target / path)
    return len(files)


def _copy_file(source: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if is_executable(source.stat()) else 0o644)
