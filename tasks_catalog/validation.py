"""Validates task packages: every fault at once, each with file, field and remedy."""

from collections.abc import Collection, Iterator
from pathlib import Path

from models.schemas.check import CheckRecord, Visibility
from models.schemas.task import PublicManifest, TaskFacts, TaskManifest
from tasks_catalog.file_tree import read_files
from tasks_catalog.leaks import leak_faults, suite_leaks
from tasks_catalog.loading import (
    HIDDEN_FILE,
    MANIFEST_FILE,
    OTHER_HALF,
    TICKET_FILE,
    VISIBLE_FILE,
    fault_patch,
    reference_folder,
    starter_folder,
    suite_folder,
    suite_record,
)
from tasks_catalog.package_faults import PackageFault
from tasks_catalog.package_layout import layout_faults
from tasks_catalog.parsing import Parsed, parse_checks, parse_manifest, parse_suite, read_text
from tasks_catalog.plan_rules import manifest_faults, record_faults
from tasks_catalog.suite_rules import suite_faults, unsealed_faults
from tasks_catalog.variant_rules import sealed_faults, starter_faults


def package_faults(
    package: Path,
    sealed_package: Path | None,
    languages: Collection[str],
    suite_languages: Collection[str] | None = None,
) -> tuple[PackageFault, ...]:
    """Every fault of one task, sorted by file; empty where the package is sound.

    `package` holds task.toml and public/, `sealed_package` holds sealed/ and may be the same
    folder; None leaves the sealed half out. A package that is marked as a public half alone is
    looked at as such, unless `sealed_package` holds the whole task.toml. `languages` are the ids
    that have a definition, `suite_languages` those that can run native suites; None leaves that
    question out.
    """
    parsed = _manifest_of(package, sealed_package)
    manifest = parsed.value
    faults = [*parsed.faults, *_public_faults(package, manifest, languages)]
    if isinstance(manifest, PublicManifest):
        faults += [NOT_ALONE] if (package / "sealed").is_dir() else []
        return tuple(sorted(set(faults)))
    if sealed_package is not None:
        faults += layout_faults(sealed_package, manifest)
        faults += _hidden_faults(package, sealed_package, manifest)
    if manifest is not None:
        faults += _runner_faults(manifest, suite_languages)
    if manifest is not None and sealed_package is not None:
        for language in dict.fromkeys(manifest.languages):
            faults += _sealed_faults(package, sealed_package, manifest, language)
    return tuple(sorted(set(faults)))


NOT_ALONE = PackageFault(
    "sealed", "", "beside the manifest of a public half", "remove it: agents are kept from it"
)


def _manifest_of(
    package: Path, sealed_package: Path | None
) -> Parsed[TaskManifest] | Parsed[TaskManifest | PublicManifest]:
    """The whole manifest wherever it lies, else that of the public half."""
    own = parse_manifest(package / MANIFEST_FILE, MANIFEST_FILE)
    if not isinstance(own.value, PublicManifest) or sealed_package in (None, package):
        return own
    beside = sealed_package / MANIFEST_FILE
    whole = parse_manifest(beside, MANIFEST_FILE).value if beside.is_file() else None
    if not isinstance(whole, TaskManifest):
        return own
    return Parsed(whole, () if whole.public() == own.value else (OTHER_HALF,))


LONGEST_TICKET = 100_000
"""Bytes. It may be handed over as part of one argument, which Linux takes up to 131,071."""


def _ticket_faults(package: Path) -> Iterator[PackageFault]:
    ticket = read_text(package / TICKET_FILE, TICKET_FILE)
    yield from ticket.faults
    if ticket.value is not None and not ticket.value.strip():
        yield PackageFault(TICKET_FILE, "", "the ticket is empty", "say what is to be done")
    if ticket.value is not None and len(ticket.value.encode()) > LONGEST_TICKET:
        problem = f"the ticket is longer than {LONGEST_TICKET} bytes"
        remedy = "shorten it, or put what is long into files of the starter"
        yield PackageFault(TICKET_FILE, "", problem, remedy)


def _name_faults(
    package: Path, manifest: TaskFacts, languages: Collection[str]
) -> Iterator[PackageFault]:
    if manifest.id != package.resolve().name:
        problem = f"the id {manifest.id} is not the folder's name {package.resolve().name}"
        yield PackageFault(MANIFEST_FILE, "id", problem, "rename one of the two")
    for number, language in enumerate(manifest.languages):
        if language not in languages:
            known = ", ".join(sorted(languages))
            problem = f"{language} has no language definition"
            remedy = f"use one of {known}, or write its definition"
            yield PackageFault(MANIFEST_FILE, f"languages.{number}", problem, remedy)


def _runner_faults(
    manifest: TaskManifest, suite_languages: Collection[str] | None
) -> Iterator[PackageFault]:
    if not manifest.uses_suite or suite_languages is None:
        return
    for number, language in enumerate(manifest.languages):
        if language not in suite_languages:
            known = ", ".join(sorted(suite_languages)) or "none"
            problem = f"{language} can't run native test suites"
            remedy = f"use one of {known}, or write {language}.suite beside its definition"
            yield PackageFault(MANIFEST_FILE, f"languages.{number}", problem, remedy)


def _public_faults(
    package: Path, manifest: TaskFacts | None, languages: Collection[str]
) -> Iterator[PackageFault]:
    yield from layout_faults(package, manifest)
    yield from _ticket_faults(package)
    visible = parse_checks(package / VISIBLE_FILE, VISIBLE_FILE)
    yield from visible.faults
    if manifest is None:
        return
    if visible.value is not None:
        yield from record_faults(manifest, visible.value, Visibility.VISIBLE)
    yield from _name_faults(package, manifest, languages)
    yield from manifest_faults(manifest)
    for language in dict.fromkeys(manifest.languages):
        starter = _files(starter_folder(package, language))
        yield from starter_faults(manifest, language, starter)


def _hidden_faults(
    package: Path, sealed_package: Path, manifest: TaskManifest | None
) -> Iterator[PackageFault]:
    parsed = parse_checks(sealed_package / HIDDEN_FILE, HIDDEN_FILE)
    yield from parsed.faults
    if parsed.value is None:
        return
    if manifest is not None:
        yield from record_faults(manifest, parsed.value, Visibility.HIDDEN)
    yield from _leaks(package, parsed.value)


def _leaks(package: Path, hidden: tuple[CheckRecord, ...]) -> Iterator[PackageFault]:
    yield from leak_faults(hidden, _public_files(package))


def _public_files(package: Path) -> dict[str, bytes]:
    return {f"public/{path}": data for path, data in _files(package / "public").items()}


def _sealed_faults(
    package: Path, sealed_package: Path, manifest: TaskManifest, language: str
) -> Iterator[PackageFault]:
    starter = _files(starter_folder(package, language))
    reference = _files(reference_folder(sealed_package, language))
    patches = {
        fault.id: path.read_bytes()
        for fault in manifest.faults
        if (path := fault_patch(sealed_package, language, fault.id)).is_file()
    }
    yield from sealed_faults(manifest, language, (starter, reference), patches)
    if manifest.uses_suite:
        yield from _suite_faults(package, sealed_package, manifest, language)


def _suite_faults(
    package: Path, sealed_package: Path, manifest: TaskManifest, language: str
) -> Iterator[PackageFault]:
    files = _files(suite_folder(sealed_package, language))
    reference = _files(reference_folder(sealed_package, language))
    yield from unsealed_faults(language, files, reference)
    yield from suite_leaks(files, f"public/{language}", _public_files(package))
    file = suite_record(language)
    suite = parse_suite(sealed_package / file, file)
    yield from suite.faults
    if suite.value is not None:
        yield from suite_faults(manifest, language, suite.value, files)


def _files(folder: Path) -> dict[str, bytes]:
    return read_files(folder) if folder.is_dir() else {}
