"""Rules for the files of one task in one language: starter, reference, planted faults. Pure."""

from collections.abc import Iterator, Mapping

from models.schemas.task import TaskFacts, TaskManifest
from tasks_catalog.package_faults import PackageFault
from tasks_catalog.patching import PatchRefused, apply_patch, parse_patch


def starter_faults(
    manifest: TaskFacts, language: str, starter: Mapping[str, bytes]
) -> Iterator[PackageFault]:
    """What is wrong with a starter (path to bytes)."""
    folder = f"public/{language}"
    if not starter:
        yield PackageFault(folder, "", "the starter is missing or empty", "write it")
        return
    for path in manifest.protected:
        if not any(is_protected(file, (path,)) for file in starter):
            problem = f"the protected path {path} is not in it"
            yield PackageFault(folder, "", problem, "add it, or correct `protected` in task.toml")


def is_protected(file: str, protected: tuple[str, ...]) -> bool:
    """Whether `file` is one of `protected` or lies in a folder of it (which ends with /)."""
    return any(file == path or (path.endswith("/") and file.startswith(path)) for path in protected)


def sealed_faults(
    manifest: TaskManifest,
    language: str,
    files: tuple[Mapping[str, bytes], Mapping[str, bytes]],
    patches: Mapping[str, bytes],
) -> Iterator[PackageFault]:
    """What is wrong with the reference and the planted faults.

    `files` are those of starter and reference, `patches` maps fault ids to the patches found.
    """
    starter, reference = files
    folder = f"sealed/{language}/reference"
    if not reference:
        yield PackageFault(folder, "", "the reference is missing or empty", "write it")
    for file in sorted(reference):
        if is_protected(file, manifest.protected):
            problem = "the reference changes a protected file, which is put back before grading"
            yield PackageFault(f"{folder}/{file}", "", problem, "remove it")
    if reference and all(starter.get(file) == data for file, data in reference.items()):
        yield PackageFault(folder, "", "the reference is the starter", "write a solution")
    solution = {**starter, **reference}
    for fault in manifest.faults:
        place = f"sealed/{language}/faults/{fault.id}.patch"
        if fault.id not in patches:
            yield PackageFault(place, "", "the patch is missing", "plant the fault here too")
        else:
            yield from _patch_faults(place, patches[fault.id], solution, manifest.protected)


def _patch_faults(
    place: str, patch: bytes, solution: Mapping[str, bytes], protected: tuple[str, ...]
) -> Iterator[PackageFault]:
    try:
        changed = [change.path for change in parse_patch(patch)]
        result = apply_patch(patch, solution)
    except PatchRefused as error:
        field = f"{error.file} hunk {error.hunk}" if error.hunk else error.file
        yield PackageFault(place, field, error.problem, error.remedy)
        return
    if result == solution:
        yield PackageFault(place, "", "it changes nothing", "plant the fault")
    for file in changed:
        if is_protected(file, protected):
            problem = f"it changes the protected file {file}, which is put back before grading"
            yield PackageFault(place, file, problem, "plant the fault elsewhere")
