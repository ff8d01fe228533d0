"""Makes a task package of an Exercism exercise: one task for each exercise and language.

Tracks declare different tests for the same exercise, so that their check ids don't agree, and
languages are not compared within such a task.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from models.schemas.check import CheckRecord, SuiteCheck, Visibility
from models.schemas.suite import NativeSuite, SuiteRunner
from models.schemas.task import TaskLimits
from tasks_catalog.importers.check_ids import check_ids
from tasks_catalog.importers.exercism_exercise import Exercise, solved_files
from tasks_catalog.importers.exercism_tracks import Track
from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.native_test import FoundTest
from tasks_catalog.importers.package_draft import LanguageDraft, PackageDraft
from tasks_catalog.importers.package_placing import drop_leftovers
from tasks_catalog.suite_rules import is_test

RUNS = SuiteCheck(id="suite-runs", title="The tests can be built and begun", transport="suite")
TEST_COMMAND = "run_tests.sh"
LIMITS = TaskLimits(agent_wall_s=900, build_wall_s=120, check_wall_s=60, memory_mb=1_024)

ENDING = """\
## What to hand in

Complete {files}. Keep the names and the forms of call that stand there: hidden tests use them.
Only the standard library is there, and no network. `sh {command}` says whether your files can be
read and compiled; it runs no tests.
"""


def exercism_package(
    exercise: Exercise, track: Track, runner: SuiteRunner
) -> tuple[PackageDraft, tuple[str, ...]]:
    """The package, and notes on what was left out. Raises NotImportable."""
    suite_files = dict(_suite_files(exercise, track, runner))
    found = _found_tests(exercise, track, suite_files)
    tests = [test for entry in found for test in found[entry]]
    ids = check_ids([test.path for test in tests], [RUNS.id])
    parameters = dict(track.parameters(exercise))
    suite = NativeSuite(
        schema=1,
        entries=tuple(found),
        parameters=parameters,
        runs=RUNS.id,
        tests=_by_name(tests, ids),
    )
    starter = _starter(exercise, track, runner)
    own = LanguageDraft(starter, _reference(exercise, starter), suite, suite_files)
    hidden = [
        SuiteCheck(id=one, title=_title(test), transport="suite")
        for one, test in zip(ids, tests, strict=True)
    ]
    draft = PackageDraft(
        id=f"{exercise.slug}-{track.language}",
        title=f"{exercise.slug.replace('-', ' ').capitalize()} ({track.language})",
        tags=("imported", "exercism"),
        ticket=_ticket(exercise),
        limits=LIMITS,
        protected=_protected(exercise, starter),
        checks=_planned(hidden),
        may_fail=tuple(ids),
        languages={track.language: own},
    )
    return draft, tuple(_notes(track, suite_files, found))


def _planned(hidden: list[SuiteCheck]) -> tuple[tuple[Visibility, CheckRecord], ...]:
    return ((Visibility.VISIBLE, RUNS), *((Visibility.HIDDEN, check) for check in hidden))


def _by_name(tests: list[FoundTest], ids: list[str]) -> dict[str, str]:
    named = {test.name: one for test, one in zip(tests, ids, strict=True)}
    if len(named) != len(tests):
        raise NotImportable("two of its tests have the same name")
    return named


def _title(test: FoundTest) -> str:
    return " ".join(test.name.split())


def _suite_files(
    exercise: Exercise, track: Track, runner: SuiteRunner
) -> Iterator[tuple[str, bytes]]:
    """The tests that the exercise declares, and what else of its code tests are known by."""
    for name in exercise.files.test:
        if name not in exercise.given:
            raise NotImportable(f"the test file {name} is missing")
    for name, content in exercise.given.items():
        declared = name in exercise.files.test
        if declared or (name.endswith(track.suffix) and _is_test(name, runner)):
            yield name, content


def _is_test(name: str, runner: SuiteRunner) -> bool:
    """Whether a file, or a folder above it, has the name of a test."""
    files = [one for one in runner.test_files if not one.endswith("/")]
    above = [folder.as_posix() for folder in PurePosixPath(name).parents][:-1]
    return is_test(name, files) or any(
        is_test(folder, runner.test_files, is_folder=True) for folder in above
    )


def _found_tests(
    exercise: Exercise, track: Track, suite_files: Mapping[str, bytes]
) -> dict[str, list[FoundTest]]:
    """The files that a suite starts from, with their tests, in the order of the exercise."""
    found: dict[str, list[FoundTest]] = {}
    others = sorted(set(suite_files) - set(exercise.files.test)) if track.suites == "all" else []
    for name in (*exercise.files.test, *others):
        if name.endswith(track.suffix):
            tests = track.find(suite_files[name].decode("utf-8", "replace"))
            found |= {name: tests} if tests else {}
    if not found:
        raise NotImportable("there are no tests in its test files")
    if len(found) > 1 and track.suites == "alone":
        raise NotImportable(f"its tests are {len(found)} programs, and a suite is one")
    return found


def _starter(exercise: Exercise, track: Track, runner: SuiteRunner) -> dict[str, bytes]:
    declared = set(exercise.files.test)
    given = {
        name: content
        for name, content in exercise.given.items()
        if name not in declared and not _is_test(name, runner)
    }
    command = f"#!/bin/sh\nset -eu\n{track.command(exercise)}\n"
    return {**drop_leftovers(given), TEST_COMMAND: command.encode()}


def _reference(exercise: Exercise, starter: Mapping[str, bytes]) -> dict[str, bytes]:
    solved = solved_files(exercise)
    return {name: data for name, data in solved.items() if starter.get(name) != data}


def _protected(exercise: Exercise, starter: Mapping[str, bytes]) -> tuple[str, ...]:
    """The developer test command, and what the exercise shows but doesn't want changed."""
    shown = (*exercise.files.editor, *exercise.files.invalidator)
    return (TEST_COMMAND, *dict.fromkeys(name for name in shown if name in starter))


def _ticket(exercise: Exercise) -> str:
    if not exercise.documents:
        raise NotImportable("it has no instructions")
    files = ", ".join(f"`{name}`" for name in exercise.files.solution)
    ending = ENDING.format(files=files, command=TEST_COMMAND)
    return "\n\n".join([*exercise.documents, ending])


def _notes(
    track: Track, suite_files: Mapping[str, bytes], found: Mapping[str, list[FoundTest]]
) -> Iterator[str]:
    for name in sorted(set(suite_files) - set(found)):
        try:
            unasked = len(track.find(suite_files[name].decode("utf-8", "replace")))
        except NotImportable:
            unasked = 0
        if unasked:
            yield f"{unasked} tests in {name}, which isn't declared, are not asked"
