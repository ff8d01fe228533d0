"""Loads the halves of a variant and the definitions of languages from their folders.

A task package is a folder named like its task:

    task.toml                             the manifest: limits, check plan, languages, faults
    public/ticket.md                      what a system is told
    public/visible_checks.json            records of the visible checks
    public/<language>/                    the starter
    sealed/hidden_checks.json             records of the hidden checks
    sealed/<language>/reference/          files laid over the starter
    sealed/<language>/faults/<id>.patch   one planted fault each, on starter plus reference
    sealed/<language>/suite.json          which check each test of a native suite is, if any
    sealed/<language>/suite/              the files of the suite, laid over what is graded

The public half needs nothing below `sealed/`; the sealed half may lie in another root. A public
half alone has a manifest of its own (`half = "public"`), which names nothing hidden; beside it, the
root of the sealed half holds the whole `task.toml` too.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from models.errors import NotFound
from models.schemas.check import CheckRecord
from models.schemas.language import LanguageDefinition
from models.schemas.suite import NativeSuite, SuiteRunner
from models.schemas.task import PublicHalf, PublicManifest, SealedHalf, TaskManifest
from tasks_catalog.content_hash import FileDigest, VariantTrees
from tasks_catalog.file_tree import digest_file, digest_tree
from tasks_catalog.package_faults import PackageFault, PackageInvalid
from tasks_catalog.parsing import (
    Parsed,
    parse_checks,
    parse_language,
    parse_manifest,
    parse_runner,
    parse_suite,
    read_text,
)

MANIFEST_FILE = "task.toml"
TICKET_FILE = "public/ticket.md"
VISIBLE_FILE = "public/visible_checks.json"
HIDDEN_FILE = "sealed/hidden_checks.json"
RUNNER_FILE = "suite.toml"

OTHER_HALF = PackageFault(
    MANIFEST_FILE,
    "half",
    "it is not the public half of the task.toml in the sealed root",
    "export both halves from the same catalogue",
)
"""A public half and a sealed half that were made from different packages."""

T = TypeVar("T")


def starter_folder(package: Path, language: str) -> Path:
    """Where the starter of a language lies."""
    return package / "public" / language


def reference_folder(package: Path, language: str) -> Path:
    """Where the reference of a language lies: files laid over the starter."""
    return package / "sealed" / language / "reference"


def fault_patch(package: Path, language: str, fault: str) -> Path:
    """Where the patch of a planted fault lies."""
    return package / "sealed" / language / "faults" / f"{fault}.patch"


def suite_record(language: str) -> str:
    """Where in a package the record of a native suite lies."""
    return f"sealed/{language}/suite.json"


def suite_folder(package: Path, language: str) -> Path:
    """Where the files of the native suite of a language lie."""
    return package / "sealed" / language / "suite"


def runner_folder(languages: Path, language: str) -> Path:
    """Where what runs the native suites of a language lies, if there is anything."""
    return languages / f"{language}.suite"


def load_manifest(package: Path) -> TaskManifest | PublicManifest:
    """`task.toml` of a package, whole or of a public half. Raises PackageInvalid."""
    manifest = _value(package, parse_manifest(package / MANIFEST_FILE, MANIFEST_FILE))
    if manifest.id != package.name:
        problem = f"the id {manifest.id!r} is not the folder's name {package.name!r}"
        fault = PackageFault(MANIFEST_FILE, "id", problem, "rename one of the two")
        raise PackageInvalid(str(package), [fault])
    return manifest


def load_public_half(package: Path, manifest: PublicManifest, language: str) -> PublicHalf:
    """What an agent worker holds. Raises NotFound, or PackageInvalid with every fault."""
    if language not in manifest.languages:
        offered = ", ".join(manifest.languages)
        raise NotFound(
            f"the task {manifest.id} has no language {language}.", remedy=f"It has: {offered}."
        )
    starter = starter_folder(package, language)
    if not starter.is_dir():
        fault = PackageFault(f"public/{language}", "", "the starter is missing", "write it")
        raise PackageInvalid(str(package), [fault])
    return PublicHalf(
        manifest=manifest,
        language=language,
        ticket=_value(package, read_text(package / TICKET_FILE, TICKET_FILE)),
        starter=starter.absolute(),
        visible_checks=_value(package, parse_checks(package / VISIBLE_FILE, VISIBLE_FILE)),
    )


def load_sealed_half(package: Path, manifest: TaskManifest, public: PublicHalf) -> SealedHalf:
    """What only a grade worker holds; `package` is the folder of the task in the sealed root,
    `manifest` the whole one.

    Raises PackageInvalid where the checks are not exactly the planned ones or a folder is missing.
    """
    hidden = _value(package, parse_checks(package / HIDDEN_FILE, HIDDEN_FILE))
    language = public.language
    suite = _load_suite(package, language) if manifest.uses_suite else None
    reference = reference_folder(package, language)
    patches = {f.id: fault_patch(package, language, f.id) for f in manifest.faults}
    missing = [path for path in patches.values() if not path.is_file()]
    missing += [] if reference.is_dir() else [reference]
    if missing:
        faults = [
            PackageFault(path.relative_to(package).as_posix(), "", "it is missing", "write it")
            for path in missing
        ]
        raise PackageInvalid(str(package), faults)
    return SealedHalf(
        public=public,
        manifest=manifest,
        checks=_in_plan_order(package, manifest, (*public.visible_checks, *hidden)),
        reference=reference.absolute(),
        faults={fault: path.absolute() for fault, path in patches.items()},
        suite=suite,
        suite_files=suite_folder(package, language).absolute() if suite else None,
    )


def _load_suite(package: Path, language: str) -> NativeSuite:
    file = suite_record(language)
    return _value(package, parse_suite(package / file, file))


def load_runner(languages: Path, language: str) -> SuiteRunner:
    """How a language runs native suites. Raises NotFound, or PackageInvalid with every fault."""
    folder = runner_folder(languages, language)
    if not (folder / RUNNER_FILE).is_file():
        raise NotFound(
            f"the language {language} can't run native test suites.",
            remedy=f"Write {folder / RUNNER_FILE}, or take the language out of the task.",
        )
    return _value(folder, parse_runner(folder / RUNNER_FILE, RUNNER_FILE))


def load_runners(languages: Path) -> dict[str, SuiteRunner]:
    """What runs native suites, by language. Raises PackageInvalid with all faults of all files."""
    runners: dict[str, SuiteRunner] = {}
    faults: list[PackageFault] = []
    for path in sorted(languages.glob(f"*.suite/{RUNNER_FILE}")):
        parsed = parse_runner(path, path.relative_to(languages).as_posix())
        faults += parsed.faults
        if parsed.value is not None:
            runners[path.parent.stem] = parsed.value
    if faults:
        raise PackageInvalid(str(languages), faults)
    return runners


def load_trees(sealed: SealedHalf, runner: Path) -> VariantTrees:
    """Digests of all files of a variant, read now; `runner` is the folder of its suite runner."""
    return VariantTrees(
        suite=_digest_suite(sealed, runner),
        starter=digest_tree(sealed.public.starter),
        reference=digest_tree(sealed.reference),
        fault_patches={fault: digest_file(path) for fault, path in sealed.faults.items()},
    )


def _digest_suite(sealed: SealedHalf, runner: Path) -> tuple[FileDigest, ...]:
    """What decides what a native suite says: its record, its files, and what runs it."""
    if sealed.suite_files is None:
        return ()
    record = digest_file(sealed.suite_files.with_name("suite.json"))
    return (
        record,
        *(replace(file, path=f"suite/{file.path}") for file in digest_tree(sealed.suite_files)),
        *(replace(file, path=f"runner/{file.path}") for file in digest_tree(runner)),
    )


def load_languages(folder: Path) -> dict[str, LanguageDefinition]:
    """Every `<id>.toml` in `folder`, by id. Raises PackageInvalid with all faults of all files."""
    definitions: dict[str, LanguageDefinition] = {}
    faults: list[PackageFault] = []
    for path in sorted(folder.glob("*.toml")):
        parsed = parse_language(path, path.name)
        faults += parsed.faults
        if parsed.value is None:
            continue
        definitions[parsed.value.id] = parsed.value
        if parsed.value.id != path.stem:
            problem = f"the id {parsed.value.id!r} is not the file's name"
            faults.append(PackageFault(path.name, "id", problem, "rename one of the two"))
    if faults:
        raise PackageInvalid(str(folder), faults)
    return dict(sorted(definitions.items()))


def task_folders(root: Path) -> tuple[Path, ...]:
    """The folders directly below `root`, hidden ones left out. Raises NotFound without a root."""
    if not root.is_dir():
        raise NotFound(
            f"there is no catalogue at {root}.",
            remedy="Set GRADEFARM_CATALOG_PUBLIC to a folder of task packages.",
        )
    folders = (path for path in root.iterdir() if path.is_dir())
    return tuple(sorted(path for path in folders if not path.name.startswith((".", "_"))))


def package_folders(root: Path) -> tuple[Path, ...]:
    """The task packages directly below `root`: folders that hold a `task.toml`."""
    return tuple(path for path in task_folders(root) if (path / MANIFEST_FILE).is_file())


def _in_plan_order(
    package: Path, manifest: TaskManifest, checks: Iterable[CheckRecord]
) -> tuple[CheckRecord, ...]:
    records = list(checks)
    by_id = {check.id: check for check in records}
    if len(by_id) != len(records) or set(by_id) != set(manifest.check_ids):
        problem = "the ids of the check records are not exactly the planned ones, each once"
        fault = PackageFault(MANIFEST_FILE, "checks", problem, "run `gradefarm catalog validate`")
        raise PackageInvalid(str(package), [fault])
    return tuple(by_id[check_id] for check_id in manifest.check_ids)


def _value(package: Path, parsed: Parsed[T]) -> T:
    if parsed.value is None:
        raise PackageInvalid(str(package), parsed.faults)
    return parsed.value
