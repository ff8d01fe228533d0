"""Puts an imported package into a folder of packages: whole and valid, or not at all."""

import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from models.errors import Refused
from models.schemas.check import Visibility
from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.package_draft import Files, PackageDraft
from tasks_catalog.importers.package_text import manifest_text, records_text
from tasks_catalog.loading import (
    HIDDEN_FILE,
    MANIFEST_FILE,
    TICKET_FILE,
    VISIBLE_FILE,
    reference_folder,
    starter_folder,
    suite_folder,
    suite_record,
)
from tasks_catalog.package_layout import leftover_pattern
from tasks_catalog.plan_rules import is_inner_path
from tasks_catalog.validation import package_faults


@dataclass(frozen=True, slots=True)
class Placing:
    """Where packages go, whether they take the place of older ones, and what there is to be named:
    languages with a definition, and those of them that run native suites."""

    into: Path
    replace: bool
    languages: Collection[str]
    suite_languages: Collection[str]


def make_target(placing: Placing) -> None:
    """Make the folder of packages, and see that it can be written. Raises Refused."""
    try:
        placing.into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".import-", dir=placing.into):
            pass
    except OSError as error:
        raise Refused(
            f"{placing.into} can't be written: {error.strerror}.",
            remedy="Name a folder that you can write, with --into.",
        ) from error


def place_package(draft: PackageDraft, placing: Placing) -> Path:
    """Write a package; its folder. Raises NotImportable, and has written nothing then."""
    target = placing.into / draft.id
    if target.exists() and not placing.replace:
        raise NotImportable(f"{target} is there already; --replace puts the new one in its place")
    with tempfile.TemporaryDirectory(prefix=".import-", dir=placing.into) as name:
        package = Path(name) / draft.id
        _write(draft, package)
        faults = package_faults(package, package, placing.languages, placing.suite_languages)
        if faults:
            first = faults[0].as_input_fault()
            more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
            raise NotImportable(f"the package is not valid: {first}{more}")
        package.chmod(0o755)
        if target.exists():
            target.rename(Path(name) / "replaced")
        package.rename(target)
    return target


def _write(draft: PackageDraft, package: Path) -> None:
    texts = {
        MANIFEST_FILE: manifest_text(draft),
        TICKET_FILE: draft.ticket,
        VISIBLE_FILE: records_text(draft, Visibility.VISIBLE),
        HIDDEN_FILE: records_text(draft, Visibility.HIDDEN),
    }
    _write_files(package, {name: text.encode() for name, text in texts.items()})
    for language, own in draft.languages.items():
        _write_files(starter_folder(package, language), own.starter)
        _write_files(reference_folder(package, language), own.reference)
        _write_files(suite_folder(package, language), own.suite_files)
        if own.suite is not None:
            record = own.suite.model_dump_json(by_alias=True, indent=2) + "\n"
            _write_files(package, {suite_record(language): record.encode()})


def _write_files(folder: Path, files: Files) -> None:
    for name, content in files.items():
        # Names come from the configuration of whoever made the exercise.
        if not is_inner_path(name):
            raise NotImportable(f"{name!r} is no path of a file below the exercise's folder")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def drop_leftovers(files: Files) -> dict[str, bytes]:
    """The files without those that no package may hold."""
    return {name: content for name, content in files.items() if not leftover_pattern(name)}
