"""Rules for the native test suite of a task in one language. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import PurePosixPath

from models.doubles import doubles
from models.schemas.check import Transport
from models.schemas.suite import NativeSuite
from models.schemas.task import TaskManifest
from tasks_catalog.package_faults import PackageFault


def is_test(path: str, patterns: Iterable[str], *, is_folder: bool = False) -> bool:
    """Whether a file, or a folder, of a workspace matches one of a runner's `test_files` itself.

    A pattern meets a name at any depth; with a slash before it, only a path from the top; with a
    slash behind it, a folder or a link, and no file.
    """
    name = PurePosixPath(path).name
    for pattern in patterns:
        if is_folder and not pattern.endswith("/"):
            continue
        bare = pattern.removesuffix("/")
        met = path if bare.startswith("/") else name
        if fnmatch(met, bare.removeprefix("/")):
            return True
    return False


def suite_faults(
    manifest: TaskManifest, language: str, suite: NativeSuite, files: Mapping[str, bytes]
) -> Iterator[PackageFault]:
    """Where a suite isn't about exactly the planned checks, or lacks files (path to bytes)."""
    place = f"sealed/{language}/suite.json"
    answered = [suite.runs, *suite.tests.values()]
    planned = {check.id for check in manifest.checks if check.transport is Transport.SUITE}
    for check in sorted(doubles(answered)):
        problem = f"{check} is the check of more than one test"
        yield PackageFault(place, "tests", problem, "give every test a check of its own")
    for check in sorted(set(answered) - planned):
        problem = f"{check} is not planned as a check of a suite"
        yield PackageFault(place, "tests", problem, "plan it in task.toml, or take it out")
    for check in sorted(planned - set(answered)):
        problem = f"the planned check {check} is no test of it"
        yield PackageFault(place, "tests", problem, "name its test, or take it out of the plan")
    for number, entry in enumerate(suite.entries):
        if entry not in files:
            problem = f"{entry} is not among the files of the suite"
            remedy = f"put it into sealed/{language}/suite"
            yield PackageFault(place, f"entries.{number}", problem, remedy)


def unsealed_faults(
    language: str, suite: Collection[str], reference: Collection[str]
) -> Iterator[PackageFault]:
    """Files of a reference that the suite would be laid over."""
    for file in sorted(set(suite) & set(reference)):
        problem = "the suite has a file of this name, which is laid over it"
        remedy = "remove it from one of the two"
        yield PackageFault(f"sealed/{language}/reference/{file}", "", problem, remedy)
