"""`gradefarm catalog import`: what it prints and how it exits."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models.errors import FarmError, NotFound, Refused
from models.settings import current_settings
from tasks_catalog.cli import app
from tests.unit.tasks_catalog.exercism_samples import python_exercise, rust_exercise


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two exercises, of which one can't be imported."""
    python_exercise(tmp_path / "source")
    rust_exercise(tmp_path / "source", dependencies='[dependencies]\nrand = "0.8"\n')
    monkeypatch.setenv("GRADEFARM_HOME", str(tmp_path / "home"))
    current_settings.cache_clear()
    yield tmp_path / "source"
    current_settings.cache_clear()


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["import", *words])
    if isinstance(result.exception, FarmError):
        raise result.exception
    return result.exit_code, result.output


def test_every_exercise_is_told_of_and_what_came_in_is_valid(source: Path, tmp_path: Path) -> None:
    into = str(tmp_path / "tasks")
    code, text = run("exercism", str(source), "--into", into)
    assert code == 0
    assert "adder-python: 3 checks" in text
    assert "needs crates that no farm has without a network: rand" in text
    assert "python: 1 imported, 0 not" in text
    assert "no planted faults" in text
    again = CliRunner().invoke(app, ["validate", f"{into}/adder-python"])
    assert (again.exit_code, again.output) == (0, "adder-python: sound\n")


def test_json_holds_the_same(source: Path, tmp_path: Path) -> None:
    _, printed = run("exercism", str(source), "--into", str(tmp_path / "tasks"), "--json")
    told = json.loads(printed)
    assert [(one["exercise"], bool(one["reason"])) for one in told["exercises"]] == [
        ("adder", False),
        ("space-adder", True),
    ]
    assert "no planted faults" in told["note"]


def test_an_import_of_nothing_is_refused(source: Path, tmp_path: Path) -> None:
    into = str(tmp_path / "tasks")
    with pytest.raises(Refused, match="nothing was imported"):
        run("exercism", str(source), "--into", into, "--exercise", "space-adder")
    with pytest.raises(Refused, match="nothing was imported"):
        run("neutral", str(source), "--into", into)
    assert not (tmp_path / "tasks").exists() or not any((tmp_path / "tasks").iterdir())


def test_an_unknown_language_or_layout_is_refused_with_the_known_ones(
    source: Path, tmp_path: Path
) -> None:
    into = str(tmp_path / "tasks")
    with pytest.raises(NotFound, match=r"cobol.*Known: cpp"):
        run("exercism", str(source), "--into", into, "--language", "cobol")
    assert run("tarball", str(source), "--into", into)[0] == 2


def test_a_place_that_can_not_be_written_is_told_with_its_option(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(Refused, match="--into"):
        run("exercism", str(source), "--into", str(tmp_path / "file" / "tasks"))
    assert (tmp_path / "file").read_text() == "mine"
