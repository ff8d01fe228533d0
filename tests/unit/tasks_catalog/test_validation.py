"""Every fault of a package is found at once, with its place and a remedy."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks_catalog.loading import load_languages
from tasks_catalog.package_faults import PackageFault, PackageInvalid
from tasks_catalog.validation import package_faults
from tests.unit.tasks_catalog.small_package import (
    HIDDEN,
    VISIBLE,
    check,
    write_languages,
    write_package,
)

LANGUAGES = ("alpha", "beta")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return write_package(tmp_path)


def faults_of(package: Path) -> tuple[PackageFault, ...]:
    return package_faults(package, package, LANGUAGES)


def swap(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def only(package: Path) -> PackageFault:
    faults = faults_of(package)
    assert len(faults) == 1, faults
    return faults[0]


def test_a_sound_package_has_no_fault(package: Path) -> None:
    assert faults_of(package) == ()


def test_the_public_half_alone_is_sound_too(package: Path) -> None:
    assert package_faults(package, None, LANGUAGES) == ()


def test_all_faults_of_a_package_are_reported_at_once(package: Path) -> None:
    (package / "public/ticket.md").write_text(" \n")
    (package / "notes.txt").write_text("x")
    swap(package / "task.toml", 'fails = ["hidden-sum"]', 'fails = ["hidden-sum", "shown-sum"]')
    swap(package / "sealed/beta/faults/drops-sign.patch", "-solved", "-salved")
    found = {(fault.file, fault.field) for fault in faults_of(package)}
    assert found == {
        ("public/ticket.md", ""),
        ("notes.txt", ""),
        ("task.toml", "starter.fails"),
        ("sealed/beta/faults/drops-sign.patch", "main.txt hunk 1"),
    }
    assert all(fault.problem and fault.remedy for fault in faults_of(package))


def test_a_syntax_error_names_its_line(package: Path) -> None:
    swap(package / "task.toml", "version = 1", "version = ")
    fault = only(package)
    assert (fault.file, fault.field) == ("task.toml", "line 5")
    (package / "public/visible_checks.json").write_text('[\n{"id": "a",}\n]')
    assert ("public/visible_checks.json", "line 2") in {
        (fault.file, fault.field) for fault in faults_of(package)
    }


def test_wrong_types_and_unknown_keys_name_their_field(package: Path) -> None:
    swap(package / "task.toml", "version = 1", 'version = "1"\nurgent = true')
    swap(package / "task.toml", "agent_wall_s = 60", "agent_wall_s = 0")
    swap(package / "task.toml", 'kind = "missing_guard"', 'kind = "non-terminating"')
    fields = [fault.field for fault in faults_of(package)]
    assert fields == ["faults.0.kind", "limits.agent_wall_s", "urgent", "version"]


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ('[{"id": "a", "id": "b"}]', "id", "twice"),
        ("[NaN]", "", "NaN"),
        ("[1e999]", "", "out of range"),
        ('["\\ud800"]', "", "canonical"),
        ("[" * 100_000, "", "nested too deeply"),
        ("[" + "9" * 5_000 + "]", "", "out of range"),
    ],
)
def test_check_records_are_strict_json(package: Path, text: str, field: str, words: str) -> None:
    (package / "public/visible_checks.json").write_text(text)
    fault = only(package)
    assert (fault.file, fault.field) == ("public/visible_checks.json", field)
    assert words in fault.problem


@pytest.mark.parametrize(
    ("value", "words"), [("[" * 5_000, "too deeply"), ("0x" + "f" * 5_000, "out of range")]
)
def test_a_manifest_that_overflows_its_reader_is_a_fault(
    package: Path, value: str, words: str
) -> None:
    swap(package / "task.toml", "version = 1", f"version = {value}")
    fault = only(package)
    assert fault.file == "task.toml"
    assert words in fault.problem
    assert fault.remedy


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("version", "[]", "at least 1 item"),
        ("version_pattern", "'('", "no regular expression"),
        ("version_pattern", "'[0-9]+'", "in parentheses"),
        ("minimum", "'newest'", "numbers with dots"),
        ("limit_factor", "-1", "greater than 0"),
        ("mounts", "['/opt/{nowhere}']", "stands for nothing"),
    ],
)
def test_a_wrong_value_in_a_language_is_named_before_a_worker_meets_it(
    tmp_path: Path, key: str, value: str, words: str
) -> None:
    file = write_languages(tmp_path) / "alpha.toml"
    text = re.sub(rf"(?m)^{key} = .*\n", "", file.read_text())
    place = 'title = "' if key == "limit_factor" else "candidates = "
    file.write_text(text.replace(place, f"{key} = {value}\n{place}", 1))
    with pytest.raises(PackageInvalid, match=words) as refused:
        load_languages(file.parent)
    assert "alpha.toml" in str(refused.value)


def test_true_is_not_taken_for_an_exit_status(package: Path) -> None:
    records = json.loads(json.dumps(VISIBLE))
    records[0]["expect"]["exit"] = True
    (package / "public/visible_checks.json").write_text(json.dumps(records))
    assert only(package).field == "0.expect.exit"


Records = list[dict[str, Any]]


def rewrite(package: Path, file: str, change: Callable[[Records], object]) -> None:
    records: Records = json.loads((package / file).read_text())
    change(records)
    (package / file).write_text(json.dumps(records))


def test_exit_codes_that_no_signal_has_may_be_expected(package: Path) -> None:
    for code in (1, 125, 193, 255):
        rewrite(
            package,
            "sealed/hidden_checks.json",
            lambda r, code=code: r[0]["expect"].update(exit=code),
        )
        assert faults_of(package) == ()


def test_a_ticket_too_long_to_be_handed_over_is_refused(package: Path) -> None:
    (package / "public/ticket.md").write_text("é" * 50_000)
    assert faults_of(package) == ()
    (package / "public/ticket.md").write_text("é" * 50_001)
    assert "longer than" in only(package).problem


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda r: r.pop(), {""}),
        (lambda r: r.append(r[0]), {"2.id"}),
        (lambda r: r.append(check("more-sums", "More", "", [])), {"2.id"}),
        (lambda r: r[0].update(title="Another title"), {"0.title"}),
        (lambda r: r[0]["expect"].update(stdout="text"), {"0.expect.stdout"}),
        (lambda r: r[0]["expect"].update(stdout=[1.5]), {"0.compare.float_tolerance"}),
        (
            lambda r: r[0].update(compare={"kind": "text", "float_tolerance": {"abs": 1.0}}),
            {"0.expect.stdout", "0.compare.float_tolerance"},
        ),
        (lambda r: r[0]["input"].update(files={"../x": ""}), {"0.input.files"}),
        (lambda r: r[0]["input"].update(argv=["a\0b"]), {"0.input.argv"}),
        (lambda r: r[0]["input"].update(argv=["é" * 65_536]), {"0.input.argv"}),
        (lambda r: r[0]["expect"].update(exit=129), {"0.expect.exit"}),
        (lambda r: r[0]["expect"].update(exit=192), {"0.expect.exit"}),
        (lambda r: r[0].update(language="alpha"), {"0.language"}),
        (lambda r: r[0].update(skip=True), {"0.skip"}),
    ],
)
def test_records_must_be_those_of_the_plan_and_make_sense(
    package: Path, change: Callable[[Records], object], fields: set[str]
) -> None:
    rewrite(package, "sealed/hidden_checks.json", change)
    assert {fault.field for fault in faults_of(package)} == fields
    assert {fault.file for fault in faults_of(package)} == {"sealed/hidden_checks.json"}


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        ('id = "adder"', 'id = "other"', {"id"}),
        ('"alpha", "beta"]', '"alpha", "alpha", "beta"]', {"languages"}),
        ('protected = ["run', 'protected = ["../x", "run', {"protected.0"}),
        ('protected = ["run', 'protected = ["/x", "run', {"protected.0"}),
        ('required = ["hidden-sum"]', 'required = ["no-such"]', {"faults.0.required"}),
        ('permitted = ["hidden-zero"]', 'permitted = ["hidden-sum"]', {"faults.0"}),
        ('id = "hidden-zero"', 'id = "hidden-sum"', {"checks", "faults.0.permitted"}),
    ],
)
def test_a_manifest_must_agree_with_itself(
    package: Path, old: str, new: str, fields: set[str]
) -> None:
    swap(package / "task.toml", old, new)
    found = {fault.field for fault in faults_of(package) if fault.file == "task.toml"}
    assert found == fields


def test_a_task_needs_visible_and_hidden_checks(package: Path) -> None:
    swap(package / "task.toml", '"visible"', '"hidden"')
    assert "no visible check is planned" in {fault.problem for fault in faults_of(package)}


def test_a_language_without_definition_or_files_is_told(package: Path) -> None:
    swap(package / "task.toml", '"beta"]', '"beta", "gamma"]')
    assert {(fault.file, fault.field) for fault in faults_of(package)} == {
        ("task.toml", "languages.2"),
        ("public/gamma", ""),
        ("sealed/gamma/reference", ""),
        ("sealed/gamma/faults/drops-sign.patch", ""),
    }


def test_links_leftovers_and_undeclared_files_are_refused(package: Path) -> None:
    (package / "public/alpha/link.txt").symlink_to("/etc/passwd")
    (package / "public/alpha/__pycache__").mkdir()
    (package / "public/alpha/__pycache__/x.pyc").write_bytes(b"")
    (package / "public/delta").mkdir()
    (package / "sealed/alpha/faults/other.patch").write_text("")
    os.mkfifo(package / "sealed/beta/reference/pipe")
    assert {fault.file for fault in faults_of(package)} == {
        "public/alpha/link.txt",
        "public/alpha/__pycache__/x.pyc",
        "public/delta",
        "sealed/alpha/faults/other.patch",
        "sealed/beta/reference/pipe",
    }


def test_protected_files_are_there_and_left_alone(package: Path) -> None:
    (package / "public/alpha/run_tests.sh").unlink()
    (package / "sealed/beta/reference/tests").mkdir()
    (package / "sealed/beta/reference/tests/one.txt").write_text("2\n")
    assert {fault.file for fault in faults_of(package)} == {
        "public/alpha",
        "sealed/beta/reference/tests/one.txt",
    }


def test_a_reference_that_is_the_starter_is_no_solution(package: Path) -> None:
    (package / "sealed/alpha/reference/main.txt").write_text("first\nunsolved\n")
    assert "the reference is the starter" in {fault.problem for fault in faults_of(package)}


HIDDEN_STDIN: str = HIDDEN[0]["input"]["stdin"]
HIDDEN_ANSWER = json.dumps(HIDDEN[1]["expect"]["stdout"][0])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("see hidden-sum", "id"),
        ("Adds two negative numbers", "title"),
        (f"try {HIDDEN_STDIN}", "input"),
        (HIDDEN_ANSWER, "answer"),
        (HIDDEN_ANSWER.replace(" ", ""), "answer"),
        (json.dumps(HIDDEN_ANSWER), "answer"),
    ],
)
def test_hidden_material_in_the_public_half_is_told_without_repeating_it(
    package: Path, text: str, part: str
) -> None:
    (package / "public/beta/README.md").write_text(text)
    fault = only(package)
    assert fault.file == "public/beta/README.md"
    assert fault.problem.startswith(f"shows the {part} of the hidden check hidden-")
    assert text not in fault.problem


def test_a_missing_manifest_is_a_fault_of_its_own(package: Path) -> None:
    (package / "task.toml").unlink()
    assert only(package).file == "task.toml"
