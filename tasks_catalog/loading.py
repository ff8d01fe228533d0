"""Loads the halves of a variant and the definitions of languages from their folders.

A task package is a folder named like its task:

    task.toml                             the manifest: limits, check plan, languages, faults
    public/ticket.md                      what a system is told
    public/visible_checks.json            records of the visible checks
    public/<language>/                    the starter
    sealed/hidden_checks.json             records of the hidden checks
    sealed/<language>/reference/          files laid over the starter
    sealed/<language>/faults/<id>.patch   one planted fault each, on starter plus reference

The public half needs nothing below `sealed/`; the sealed half may lie in another root.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from models.errors import NotFound
from models.schemas.check import Check
from models.schemas.language import LanguageDefinition
from models.schemas.task import PublicHalf, SealedHalf, TaskManifest
from tasks_catalog.content_hash import VariantTrees
from tasks_catalog.file_tree import digest_file, digest_tree
from tasks_catalog.package_faults import PackageFault, PackageInvalid
from tasks_catalog.parsing import (
    Parsed,
    parse_checks,
    parse_language,
    parse_manifest,
    read_text,
)

MANIFEST_FILE = "task.toml"
TICKET_FILE = "public/ticket.md"
VISIBLE_FILE = "public/visible_checks.json"
HIDDEN_FILE = "sealed/hidden_checks.json"

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


def load_manifest(package: Path) -> TaskManifest:
    """`task.toml` of a package. Raises PackageInvalid with every fault."""
    manifest = _value(package, parse_manifest(package / MANIFEST_FILE, MANIFEST_FILE))
    if manifest.id != package.name:
        problem = f"the id {manifest.id!r} is not the folder's name {package.name!r}"
        fault = PackageFault(MANIFEST_FILE, "id", problem, "rename one of the two")
        raise PackageInvalid(str(package), [fault])
    return manifest


def load_public_half(package: Path, manifest: TaskManifest, language: str) -> PublicHalf:
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


def load_sealed_half(package: Path, public: PublicHalf) -> SealedHalf:
    """What only a grade worker holds; `package` is the folder of the task in the sealed root.

    Raises PackageInvalid where the checks are not exactly the planned ones or a folder is missing.
    """
    hidden = _value(package, parse_checks(package / HIDDEN_FILE, HIDDEN_FILE))
    manifest, language = public.manifest, public.language
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
        checks=_in_plan_order(package, manifest, (*public.visible_checks, *hidden)),
        reference=reference.absolute(),
        faults={fault: path.absolute() for fault, path in patches.items()},
    )


def load_trees(sealed: SealedHalf) -> VariantTrees:
    """Digests of all files of a variant, read now."""
    return VariantTrees(
        starter=digest_tree(sealed.public.starter),
        reference=digest_tree(sealed.reference),
        fault_patches={fault: digest_file(path) for fault, path in sealed.faults.items()},
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
    package: Path, manifest: TaskManifest, checks: Iterable[Check]
) -> tuple[Check, ...]:
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
