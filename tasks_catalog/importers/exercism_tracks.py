"""What is particular to each language of the Exercism layout."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from models.toml_text import read_toml
from tasks_catalog.importers.exercism_exercise import Exercise
from tasks_catalog.importers.go_tests import go_tests
from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.javascript_tests import javascript_tests
from tasks_catalog.importers.native_test import FoundTest
from tasks_catalog.importers.python_tests import python_tests
from tasks_catalog.importers.rust_tests import rust_tests

CRATE_FILES = ("Cargo.toml", ".meta/Cargo-example.toml")


@dataclass(frozen=True, slots=True)
class Track:
    """One language: `find` names the tests in a file, `command` is the developer test command for
    some solution files, `parameters` are the suite's; all of them may raise NotImportable.

    `suites`: each test file is one of its own ("alone"), each is loaded by one runner ("together"),
    or all files that look like tests are built as one, whether they are declared or not ("all").
    """

    language: str
    suffix: str
    find: Callable[[str], list[FoundTest]]
    suites: Literal["alone", "together", "all"]
    command: Callable[[Exercise], str]
    parameters: Callable[[Exercise], Mapping[str, str]]


def _no_parameters(exercise: Exercise) -> dict[str, str]:  # noqa: ARG001 (one of several)
    return {}


def _python_command(exercise: Exercise) -> str:
    check = "import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]"
    return f"python3 -c '{check}' {_solution(exercise, '.py')}"


def _javascript_command(exercise: Exercise) -> str:
    files = _solution(exercise, ".js")
    return f'for file in {files}; do node --input-type=module --check < "$file"; done'


def _go_command(exercise: Exercise) -> str:  # noqa: ARG001 (one of several)
    return "go build ./... && go vet ./..."


def _rust_command(exercise: Exercise) -> str:
    crate = _rust_parameters(exercise)
    return (
        "out=$(mktemp -d)\ntrap 'rm -rf \"$out\"' EXIT\n"
        f"rustc --edition {crate['edition']} --crate-type lib --crate-name {crate['crate']} "
        '--emit metadata --out-dir "$out" src/lib.rs'
    )


def _solution(exercise: Exercise, suffix: str) -> str:
    return shlex.join(name for name in exercise.files.solution if name.endswith(suffix))


def _rust_parameters(exercise: Exercise) -> dict[str, str]:
    """The name of the crate and its edition; there must be no other crate that it needs."""
    for name in CRATE_FILES:
        needed = sorted(_table(_crate(exercise, name), "dependencies"))
        if needed:
            whose = "the example" if name.startswith(".meta") else "it"
            raise NotImportable(
                f"{whose} needs crates that no farm has without a network: {', '.join(needed)}"
            )
    package = _table(_crate(exercise, CRATE_FILES[0]), "package")
    edition = str(package.get("edition", "2015"))
    return {"crate": str(package.get("name", "")).replace("-", "_"), "edition": edition}


def _crate(exercise: Exercise, name: str) -> Mapping[str, object]:
    content = {**exercise.given, **exercise.hidden}.get(name, b"")
    try:
        return read_toml(content.decode("utf-8", "replace"))
    except ValueError:
        raise NotImportable(f"{name} can't be read") from None


def _table(crate: Mapping[str, object], name: str) -> Mapping[str, object]:
    table = crate.get(name)
    return cast("dict[str, object]", table) if isinstance(table, dict) else {}


TRACKS = (
    Track("python", ".py", python_tests, "together", _python_command, _no_parameters),
    Track("javascript", ".js", javascript_tests, "together", _javascript_command, _no_parameters),
    Track("go", ".go", go_tests, "all", _go_command, _no_parameters),
    Track("rust", ".rs", rust_tests, "alone", _rust_command, _rust_parameters),
)


def track_of(exercise: Exercise) -> Track:
    """The track whose suffix a file of the solution has. Raises NotImportable."""
    for track in TRACKS:
        if any(name.endswith(track.suffix) for name in exercise.files.solution):
            return track
    spoken = ", ".join(track.language for track in TRACKS)
    raise NotImportable(f"only suites of {spoken} can be imported")
