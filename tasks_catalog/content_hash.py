"""Digests of catalogue content: what decides a score, whatever the order of files or clock times.

Pure: everything is handed in; nothing is read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from models.canonical import digest_of
from models.identifiers import Digest
from models.records.universe_proof import plan_part, rules_part, task_part
from models.rules import RULES_VERSION
from models.schemas.check import CheckRecord
from models.schemas.language import LanguageDefinition
from models.schemas.task import PublicHalf, SealedHalf, TaskFacts, TaskManifest

LARGEST_EXACT_INTEGER = 2**53

PARTS: dict[str, str] = {
    "task": "the id and kind of the task",
    "ticket": "the words of ticket.md",
    "plan": "ids, visibility and order of the checks",
    "checks": "every visible and hidden check record",
    "limits": "the limits in task.toml",
    "protected": "the protected paths",
    "starter_files": "names, x bits and bytes of the starter",
    "starter_fails": "the checks that the starter must fail",
    "reference_files": "names, x bits and bytes of the reference",
    "faults": "the declarations of the planted faults",
    "fault_patches": "the patches of the planted faults",
    "suite": "the native test suite with its runner, where the task has one",
    "language": "the definition of the language, without titles, remedies and probe",
    "rules": "the version of the grading rules",
}
"""What a universe is made of: a change of any of these makes another one."""


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file of a tree: its path with forward slashes, its x bit, the digest of its bytes."""

    path: str
    executable: bool
    digest: Digest


@dataclass(frozen=True, slots=True)
class VariantTrees:
    """The files of one variant; `fault_patches` maps a fault id to the digest of its patch.

    `suite` are those of the native suite and of what runs it; empty where the task has none.
    """

    starter: tuple[FileDigest, ...]
    reference: tuple[FileDigest, ...]
    fault_patches: Mapping[str, FileDigest]
    suite: tuple[FileDigest, ...] = ()


def tagged(value: object) -> object:
    """`value` (JSON types) in a form whose canonical bytes tell apart all that grading does.

    RFC 8785 writes 1.0 as 1 and refuses integers beyond 2^53, but an answer of 1.0 is not an
    answer of 1. Floats become {"$float": repr} and large integers {"$int": digits}; a key that
    starts with a dollar sign gets another one, so that no value collides with a tag.
    """
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {("$" + key if key.startswith("$") else key): tagged(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [tagged(item) for item in cast("Iterable[object]", value)]
    if isinstance(value, float):
        return {"$float": repr(value)}
    if isinstance(value, int) and abs(value) > LARGEST_EXACT_INTEGER:
        return {"$int": str(value)}
    return value


def record_digest(record: BaseModel) -> Digest:
    """The digest of a schema value with all its fields."""
    return digest_of(tagged(record.model_dump(mode="json", by_alias=True)))


def language_digest(language: LanguageDefinition) -> Digest:
    """The digest of all of a definition but its words for people and the worker's own probe."""
    words = {"title": True, "probe_files": True, "toolchain": {"remedy"}}
    return digest_of(tagged(language.model_dump(mode="json", by_alias=True, exclude=words)))


def check_digest(check: CheckRecord) -> Digest:
    """The digest of one check record: exactly what is asked and expected."""
    return record_digest(check)


def manifest_digest(checks: Iterable[CheckRecord]) -> Digest:
    """The digest over the sorted (check id, check digest) pairs; the same in every language."""
    return joined_digest((check.id, check_digest(check)) for check in checks)


def joined_digest(checks: Iterable[tuple[str, Digest]]) -> Digest:
    """`manifest_digest` of checks whose (check id, check digest) are known."""
    return digest_of(sorted([check, digest] for check, digest in checks))


def tree_digest(files: Iterable[FileDigest]) -> Digest:
    """The digest of a file tree: paths, x bits and bytes, whatever order the files come in."""
    rows = sorted((file.path, file.executable, file.digest) for file in files)
    return digest_of([list(row) for row in rows])


def universe_parts(
    sealed: SealedHalf, checks: Digest, trees: VariantTrees, language: LanguageDefinition
) -> dict[str, Digest]:
    """The digest of each part of a variant's universe, by name: a change of any one forks it.

    `checks` is the manifest digest of the checks.
    """
    return {
        **_shared_parts(sealed.manifest),
        **_sealed_parts(sealed.manifest),
        "ticket": digest_of(sealed.public.ticket),
        "checks": checks,
        "suite": tree_digest(trees.suite),
        "starter_files": tree_digest(trees.starter),
        "reference_files": tree_digest(trees.reference),
        "fault_patches": digest_of(
            {
                fault: [patch.path, patch.executable, patch.digest]
                for fault, patch in trees.fault_patches.items()
            }
        ),
        "language": language_digest(language),
        "rules": rules_part(RULES_VERSION),
    }


def public_digest(
    public: PublicHalf, starter: tuple[FileDigest, ...], language: LanguageDefinition
) -> Digest:
    """The digest of all that an agent is given of a variant, and that its limits come from.

    All of it decides the universe too, but this one needs nothing sealed: a machine that holds
    the public half alone can tell whether it works on what was planned.
    """
    return digest_of(
        {
            **_shared_parts(public.manifest),
            "ticket": digest_of(public.ticket),
            "visible_checks": manifest_digest(public.visible_checks),
            "starter_files": tree_digest(starter),
            "language": language_digest(language),
            "rules": rules_part(RULES_VERSION),
        }
    )


def _shared_parts(manifest: TaskFacts) -> dict[str, Digest]:
    """`plan` is that of the checks that this half names."""
    return {
        "task": task_part(manifest.kind, manifest.id),
        "plan": plan_part((check.id, check.visibility) for check in manifest.checks),
        "limits": record_digest(manifest.limits),
        "protected": digest_of(sorted(manifest.protected)),
    }


def _sealed_parts(manifest: TaskManifest) -> dict[str, Digest]:
    faults = [fault.model_dump(mode="json") for fault in manifest.faults]
    return {
        "starter_fails": digest_of(_starter_fails(manifest)),
        "faults": digest_of(tagged(faults)),
    }


def _starter_fails(manifest: TaskManifest) -> object:
    """Exact declarations keep the form that they had before inexact ones were known."""
    exact, inexact = sorted(manifest.starter.fails), sorted(manifest.starter.may_fail)
    return [exact, inexact] if inexact else exact
