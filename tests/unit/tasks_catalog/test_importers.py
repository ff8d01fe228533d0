"""Exercises from elsewhere become packages that validate, whole or not at all, with the reason."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from models.schemas.check import Visibility
from tasks_catalog.catalog import Catalog
from tasks_catalog.file_tree import read_files
from tasks_catalog.importers.example_runner import example_runner
from tasks_catalog.importers.import_report import ImportLine, report_lines
from tasks_catalog.importers.import_run import Wish, import_exercism, import_neutral
from tasks_catalog.importers.package_placing import Placing
from tasks_catalog.loading import load_languages, load_runners
from tasks_catalog.validation import package_faults
from tests.unit.tasks_catalog.exercism_samples import (
    go_exercise,
    javascript_exercise,
    python_exercise,
    rust_exercise,
)

LANGUAGES = Path(__file__).resolve().parents[3] / "tasks_catalog" / "languages"
RUNNERS = load_runners(LANGUAGES)
DEFINITIONS = load_languages(LANGUAGES)


def placing(into: Path, *, replace: bool = False) -> Placing:
    return Placing(into, replace, tuple(DEFINITIONS), tuple(RUNNERS))


ALL = Wish()


def imported(tmp_path: Path, wish: Wish = ALL, *, replace: bool = False) -> list[ImportLine]:
    into = placing(tmp_path / "tasks", replace=replace)
    return import_exercism(tmp_path / "source", wish, into, RUNNERS)


def only(lines: list[ImportLine]) -> ImportLine:
    assert len(lines) == 1, lines
    return lines[0]


def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "tasks", tmp_path / "tasks", LANGUAGES)


@pytest.mark.parametrize(
    ("write", "language", "tests"),
    [
        (
            python_exercise,
            "python",
            {"AdderTest.test_small": "small", "AdderTest.test_cases": "cases"},
        ),
        (go_exercise, "go", {"TestAdd": "add"}),
        (rust_exercise, "rust", {"small": "small", "negative": "negative"}),
        (
            javascript_exercise,
            "javascript",
            {"adder > small": "small", "adder > negative": "negative"},
        ),
    ],
)
def test_an_exercise_becomes_a_task_of_its_language(
    tmp_path: Path, write: Callable[[Path], Path], language: str, tests: dict[str, str]
) -> None:
    exercise = write(tmp_path / "source")
    line = only(imported(tmp_path))
    assert line == ImportLine(
        exercise.name, (language,), f"{exercise.name}-{language}", len(tests) + 1
    )
    sealed = catalog(tmp_path).sealed_half(line.task, language)
    assert sealed.suite is not None
    assert sealed.suite.tests == tests
    manifest = sealed.manifest
    assert manifest.uses_suite
    assert manifest.ids_of(Visibility.VISIBLE) == ("suite-runs",)
    assert set(manifest.starter.may_fail) == set(tests.values())
    assert set(catalog(tmp_path).universe_parts(line.task, language))


def test_what_is_given_what_is_hidden_and_what_solves_it_are_told_apart(tmp_path: Path) -> None:
    go_exercise(tmp_path / "source")
    imported(tmp_path)
    package = tmp_path / "tasks/adder-go"
    assert set(read_files(package / "public/go")) == {
        "adder.go",
        "go.mod",
        "kinds.go",
        "run_tests.sh",
    }
    assert set(read_files(package / "sealed/go/suite")) == {"adder_test.go", "cases_test.go"}
    assert set(read_files(package / "sealed/go/reference")) == {"adder.go"}
    manifest = catalog(tmp_path).task("adder-go")
    assert set(manifest.protected) == {"run_tests.sh", "kinds.go", "go.mod"}


@pytest.mark.parametrize(
    "way_out", ["{root}/owned.py", "../../../../owned.py", "", ".", "a/./b.py"]
)
def test_a_configuration_that_names_files_elsewhere_writes_none(
    tmp_path: Path, way_out: str
) -> None:
    folder = python_exercise(tmp_path / "source")
    config = json.loads((folder / ".meta/config.json").read_text())
    solution = way_out.format(root=tmp_path)
    config["files"]["solution"] = [solution, "adder.txt"] if solution else [solution]
    (folder / ".meta/config.json").write_text(json.dumps(config))
    before = set(read_files(tmp_path))
    line = only(imported(tmp_path))
    assert not line.imported
    assert set(read_files(tmp_path)) == before
    assert not list(tmp_path.parent.glob("owned.py"))


@pytest.mark.parametrize(
    ("cargo", "words"),
    [
        ('[workspace]\nmembers = ["x"]\n', "parameters.crate"),
        ('[package]\nname = "a"\nedition.workspace = true\n', "parameters.edition"),
    ],
)
def test_one_odd_exercise_does_not_end_the_import_of_the_others(
    tmp_path: Path, cargo: str, words: str
) -> None:
    rust_exercise(tmp_path / "source", **{"Cargo.toml": cargo})
    python_exercise(tmp_path / "source")
    told = {line.exercise: line for line in imported(tmp_path)}
    assert told["adder"].imported
    assert words in told["space-adder"].reason


def test_files_below_files_and_texts_that_are_none_stay_out(tmp_path: Path) -> None:
    folder = python_exercise(tmp_path / "source")
    (folder / ".meta/b.py").write_text("B = 1\n")
    config = json.loads((folder / ".meta/config.json").read_text())
    config["files"] |= {"solution": ["example.py", "example.py/b.py"]}
    config["files"]["example"].append(".meta/b.py")
    (folder / ".meta/config.json").write_text(json.dumps(config))
    assert "a file below a file" in only(imported(tmp_path)).reason
    task = tmp_path / "neutral" / "echoer"
    task.mkdir(parents=True)
    (task / "spec.md").write_bytes(b"\xff\xfe")
    (task / "tests.json").write_text('[{"stdout": "1"}, {"stdout": "2"}]')
    for place in ("python", "reference/python"):
        (task / place).mkdir(parents=True)
        (task / place / "main.py").write_text(f"print({len(place)})\n")
    into = placing(tmp_path / "tasks")
    line = only(import_neutral(tmp_path / "neutral", ALL, into, list(DEFINITIONS.values())))
    assert "not UTF-8" in line.reason


def test_the_ticket_is_the_documents_in_their_order_and_what_to_hand_in(tmp_path: Path) -> None:
    python_exercise(tmp_path / "source")
    imported(tmp_path)
    ticket = (tmp_path / "tasks/adder-python/public/ticket.md").read_text()
    places = [ticket.index(part) for part in ("# Introduction", "# Instructions", "`adder.py`")]
    assert places == sorted(places)


def test_a_test_file_that_is_not_declared_is_hidden_and_told_of(tmp_path: Path) -> None:
    text = "import unittest\n\nclass Extra(unittest.TestCase):\n    def test_more(self): ...\n"
    python_exercise(tmp_path / "source", **{"extra_test.py": text})
    assert "1 tests in extra_test.py" in only(imported(tmp_path)).notes[0]
    assert not (tmp_path / "tasks/adder-python/public/python/extra_test.py").exists()


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({".meta/config.json": "{"}, "config.json"),
        ({".meta/config.json": '{"files": {"solution": ["a.py"]}}'}, "files.test"),
        ({".meta/config.json": '{"files": {"solution": ["a.rb"], "test": ["t.rb"]}}'}, "only"),
        (
            {".meta/config.json": '{"files": {"solution": ["adder.py"], "test": ["x_test.py"]}}'},
            "x_test.py is missing",
        ),
        (
            {
                ".meta/config.json": json.dumps(
                    {"files": {"solution": ["adder.py"], "test": ["adder_test.py"]}}
                )
            },
            "no example",
        ),
        ({"adder_test.py": "import unittest\n"}, "no tests"),
        ({".docs/instructions.md": "", ".docs/introduction.md": ""}, "no instructions"),
        ({".meta/example.py": "def add(a, b):\n    pass\n"}, "reference is the starter|missing"),
    ],
)
def test_what_cant_be_imported_says_why_and_leaves_nothing(
    tmp_path: Path, more: dict[str, str], reason: str
) -> None:
    python_exercise(tmp_path / "source", **more)
    line = only(imported(tmp_path))
    assert not line.imported
    assert re.search(reason, line.reason), line.reason
    assert not (tmp_path / "tasks").exists() or not any((tmp_path / "tasks").iterdir())


def test_rust_exercises_that_need_crates_are_refused_by_name(tmp_path: Path) -> None:
    rust_exercise(tmp_path / "source", dependencies='[dependencies]\nrand = "0.8"\n')
    assert "rand" in only(imported(tmp_path)).reason


def test_rust_tests_in_two_programs_are_refused(tmp_path: Path) -> None:
    rust_exercise(tmp_path / "source", **{"tests/more.rs": "#[test]\nfn more() {}\n"})
    assert "2 programs" in only(imported(tmp_path)).reason


def test_a_package_that_is_there_is_only_replaced_on_demand(tmp_path: Path) -> None:
    exercise = python_exercise(tmp_path / "source")
    imported(tmp_path)
    ticket = tmp_path / "tasks/adder-python/public/ticket.md"
    before = ticket.read_text()
    (exercise / ".docs/instructions.md").write_text("Add three numbers.\n")
    assert "--replace" in only(imported(tmp_path)).reason
    assert ticket.read_text() == before
    assert only(imported(tmp_path, replace=True)).imported
    assert "three" in ticket.read_text()
    assert [path.name for path in (tmp_path / "tasks").iterdir()] == ["adder-python"]


def test_languages_exercises_and_a_limit_can_be_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for slug in ("a", "b", "c"):
        python_exercise(source / "python", slug)
    go_exercise(source / "go")
    assert [line.exercise for line in imported(tmp_path, Wish(exercises={"b"}))] == ["b"]
    assert [line.languages for line in imported(tmp_path, Wish(languages={"go"}))] == [("go",)]
    limited = imported(tmp_path, Wish(limit=2), replace=True)
    assert [(line.exercise, *line.languages) for line in limited] == [
        ("adder", "go"),
        ("a", "python"),
        ("b", "python"),
    ]


def test_the_report_counts_by_language_and_says_that_no_faults_are_planted() -> None:
    lines = [
        ImportLine("a", ("go",), "a-go", 3, notes=("something is left out",)),
        ImportLine("b", ("go",), reason="there is no example"),
    ]
    text = "\n".join(report_lines(lines))
    assert "a  go  a-go: 3 checks (something is left out)" in text
    assert "b  go  not imported: there is no example" in text
    assert "go: 1 imported, 1 not" in text
    assert "no planted faults" in text


CASES = {
    "tests": [
        {"name": "Two numbers", "input": "1 2\n", "expected": "3\n"},
        {"name": "A negative number", "stdin": "-5 2\n", "expected_stdout": "-3\n"},
        {"id": "nothing", "stdin": "", "stdout": "", "args": ["--strict"], "exit": 3},
    ]
}
SOLVED = "import sys\nfor line in sys.stdin:\n    print(sum(map(int, line.split())))\n"


def neutral_task(root: Path, cases: object = CASES) -> Path:
    """A task in the neutral layout: solved in Python, unsolved in Go."""
    files = {
        "spec.md": "Print the sum of every line.\n",
        "tests.json": json.dumps(cases),
        "python/main.py": "print()\n",
        "reference/python/main.py": SOLVED,
        "go/main.go": "package main\n\nfunc main() {}\n",
        "go/go.mod": "module sums\n\ngo 1.21\n",
    }
    for name, text in files.items():
        (root / "sums" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "sums" / name).write_text(text)
    return root / "sums"


def neutral(tmp_path: Path) -> ImportLine:
    definitions = list(DEFINITIONS.values())
    into = placing(tmp_path / "tasks")
    return only(import_neutral(tmp_path / "source", Wish(), into, definitions))


def test_a_neutral_task_becomes_a_task_in_every_language_that_it_is_solved_in(
    tmp_path: Path,
) -> None:
    neutral_task(tmp_path / "source")
    line = neutral(tmp_path)
    assert (line.task, line.languages, line.checks) == ("sums", ("python",), 3)
    assert "go left out: reference/go is missing" in line.notes[0]
    package = tmp_path / "tasks/sums"
    assert package_faults(package, package, tuple(DEFINITIONS), tuple(RUNNERS)) == ()
    manifest = catalog(tmp_path).task("sums")
    assert manifest.ids_of(Visibility.VISIBLE) == ("two-numbers",)
    assert manifest.ids_of(Visibility.HIDDEN) == ("a-negative-number", "nothing")
    assert not manifest.uses_suite
    examples = package / "public/python/tests/examples"
    assert (examples / "two-numbers.in").read_text() == "1 2\n"
    assert {path.name for path in examples.iterdir()} == {"two-numbers.in", "two-numbers.out"}


def test_cases_that_are_marked_visible_are_shown_and_the_rest_is_hidden(tmp_path: Path) -> None:
    cases = [dict(case) for case in CASES["tests"]]
    cases[1]["visible"] = True
    neutral_task(tmp_path / "source", cases)
    neutral(tmp_path)
    assert catalog(tmp_path).task("sums").ids_of(Visibility.VISIBLE) == ("a-negative-number",)


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        ([{"input": "1"}], "0.stdout|expected"),
        ([{"stdout": "1"}], "one to hide|to show"),
        ({"tests": [{"stdout": "1"}, {"stdout": "2", "approx": True}]}, "approx"),
        ([{"stdout": "1", "visible": True}, {"stdout": "2", "visible": True}], "hidden"),
        ("text", "tests.json"),
    ],
)
def test_cases_that_make_no_sense_are_refused_with_their_place(
    tmp_path: Path, cases: object, reason: str
) -> None:
    neutral_task(tmp_path / "source", cases)
    line = neutral(tmp_path)
    assert not line.imported
    assert re.search(reason, line.reason), line.reason


def test_the_developer_test_command_holds_the_program_against_the_examples(
    tmp_path: Path,
) -> None:
    neutral_task(tmp_path / "source")
    neutral(tmp_path)
    starter = tmp_path / "tasks/sums/public/python"
    command = ["sh", "run_tests.sh"]
    assert subprocess.run(command, cwd=starter, capture_output=True, check=False).returncode == 1
    (starter / "main.py").write_text(SOLVED)
    assert subprocess.run(command, cwd=starter, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("language", sorted(DEFINITIONS))
def test_a_developer_test_command_names_tools_and_no_places(language: str) -> None:
    text = example_runner(DEFINITIONS[language])
    script = re.sub(r"\$\{\w+%\.in\}", "", text)
    assert not re.search(r"\{\w+\}", script), script
    assert subprocess.run(["sh", "-n", "-c", text], capture_output=True, check=False).stderr == b""


def test_a_program_that_starts_elsewhere_is_refused(tmp_path: Path) -> None:
    task = neutral_task(tmp_path / "source")
    for folder in ("python", "reference/python"):
        (task / folder / "main.py").rename(task / folder / "run.py")
    assert "no main.py" in neutral(tmp_path).reason
