"""`gradefarm catalog`: what it prints and how it exits."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from models.errors import FarmError, Refused
from models.settings import current_settings
from tasks_catalog.cli import app
from tests.unit.tasks_catalog.small_package import write_languages, write_package


@pytest.fixture(autouse=True)
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A farm with a catalogue of its own; its tasks."""
    write_package(tmp_path / "tasks")
    monkeypatch.setenv("GRADEFARM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GRADEFARM_CATALOG_PUBLIC", str(tmp_path / "tasks"))
    monkeypatch.setenv("GRADEFARM_CATALOG_SEALED", str(tmp_path / "tasks"))
    monkeypatch.setenv("GRADEFARM_LANGUAGES", str(write_languages(tmp_path)))
    current_settings.cache_clear()
    yield tmp_path / "tasks"
    current_settings.cache_clear()


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    if isinstance(result.exception, FarmError):
        raise result.exception
    return result.exit_code, result.output


def test_the_list_names_tasks_and_languages() -> None:
    code, text = run("list")
    assert code == 0
    assert "adder  Adds numbers" in text
    assert "1 visible, 2 hidden" in text
    _, printed = run("list", "--json")
    assert json.loads(printed)["tasks"][0]["sealed_half"] is True
    assert json.loads(printed)["languages"]["beta"] == "The language beta"


def test_a_sound_catalogue_validates() -> None:
    assert run("validate") == (0, "adder: sound\n")
    assert json.loads(run("validate", "adder", "--json")[1]) == [{"source": "adder", "faults": []}]


def test_faults_exit_with_two_and_name_file_field_and_remedy(farm: Path) -> None:
    (farm / "adder/public/ticket.md").write_text("")
    (farm / "unfinished").mkdir()
    code, text = run("validate")
    assert code == 2
    assert "public/ticket.md: the ticket is empty -> say what is to be done" in text
    assert "unfinished: " in text
    code, printed = run("validate", "adder", "--json")
    assert code == 2
    assert json.loads(printed)[0]["faults"][0].keys() == {"file", "field", "problem", "remedy"}


def test_a_package_outside_the_catalogue_is_validated_by_its_path(tmp_path: Path) -> None:
    package = write_package(tmp_path / "elsewhere")
    assert run("validate", str(package)) == (0, "adder: sound\n")
    with pytest.raises(FarmError, match="neither a task"):
        run("validate", "no-such")


def test_a_broken_language_definition_is_among_the_faults(farm: Path, tmp_path: Path) -> None:
    (tmp_path / "languages/beta.toml").write_text("schema = 1\nid = \n")
    code, text = run("validate")
    assert code == 2
    assert "beta.toml: line 2" in text
    assert "adder: sound" in text


def test_an_exported_public_half_validates_lists_and_is_refused_where_answers_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, text = run("export", str(tmp_path / "agent"), "--half", "public")
    assert code == 0
    assert f"GRADEFARM_CATALOG_PUBLIC={tmp_path / 'agent'}" in text
    assert run("export", str(tmp_path / "key"), "--half", "sealed", "--json")[0] == 0
    with pytest.raises(Refused, match="is there already"):
        run("export", str(tmp_path / "agent"), "--half", "public")
    monkeypatch.setenv("GRADEFARM_CATALOG_PUBLIC", str(tmp_path / "agent"))
    monkeypatch.setenv("GRADEFARM_CATALOG_SEALED", str(tmp_path / "key"))
    current_settings.cache_clear()
    assert run("validate") == (0, "adder: sound\n")
    assert "1 visible, 2 hidden" in run("list")[1]
    monkeypatch.setenv("GRADEFARM_CATALOG_SEALED", "")
    current_settings.cache_clear()
    assert run("validate") == (0, "adder: sound\n")
    listed = json.loads(run("list", "--json")[1])["tasks"][0]
    assert (listed["visible_checks"], listed["hidden_checks"], listed["faults"]) == (1, None, None)
    with pytest.raises(Refused, match="an export needs the sealed half of adder"):
        run("export", str(tmp_path / "more"), "--half", "public")
    (tmp_path / "agent/adder/sealed").mkdir()
    assert "agents are kept from it" in run("validate")[1]
    text = (tmp_path / "agent/adder/task.toml").read_text()
    hidden = '\n[[checks]]\nid = "x"\nvisibility = "hidden"\ntitle = "X"\n'
    (tmp_path / "agent/adder/task.toml").write_text(text + hidden)
    assert "names visible checks only" in run("validate")[1]


def test_the_hash_shows_universes_with_their_parts() -> None:
    code, text = run("hash", "adder/alpha")
    assert code == 0
    assert text.startswith("adder/alpha  sha256:")
    assert "starter_files" in text
    views = json.loads(run("hash", "--json")[1])
    assert [view["variant"] for view in views] == ["adder/alpha", "adder/beta"]
    assert views[0]["universe"] != views[1]["universe"]
    assert views[0]["checks"] == views[1]["checks"]


def test_without_a_sealed_half_there_is_no_universe_to_show(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GRADEFARM_CATALOG_SEALED", "")
    current_settings.cache_clear()
    with pytest.raises(FarmError, match="no sealed half"):
        run("hash")
    assert run("validate")[0] == 0
    assert "not on this machine" in run("list")[1]
