"""A package that `catalog new` wrote: sound, in every bundled language."""

import json
from pathlib import Path

import pytest

import tasks_catalog
from models.errors import Refused
from models.records.universe_proof import universe_of
from tasks_catalog.catalog import open_catalog
from tasks_catalog.loading import load_languages
from tasks_catalog.new_package import ASKED, FAULT, write_new_package
from tasks_catalog.validation import package_faults

LANGUAGES = Path(tasks_catalog.__file__).parent / "languages"


def test_it_validates_in_every_bundled_language(tmp_path: Path) -> None:
    known = load_languages(LANGUAGES)
    written = write_new_package(tmp_path, "greeter", known.values())
    package = tmp_path / "greeter"
    assert package_faults(package, package, known) == ()
    assert len(written) > 4 * len(known)
    catalog = open_catalog(tmp_path, tmp_path, LANGUAGES)
    assert catalog.task("greeter").languages == tuple(known)
    universes = [universe_of(catalog.universe_parts("greeter", each)) for each in known]
    assert len(set(universes)) == len(known)


def test_one_language_is_enough(tmp_path: Path) -> None:
    known = load_languages(LANGUAGES)
    write_new_package(tmp_path, "greeter", [known["go"]])
    assert package_faults(tmp_path / "greeter", tmp_path / "greeter", known) == ()
    sealed = tmp_path / "greeter" / "sealed"
    assert json.loads((sealed / "hidden_checks.json").read_text())[0]["id"] == ASKED
    assert (sealed / "go" / "faults" / f"{FAULT}.patch").is_file()


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "greeter").mkdir()
    (tmp_path / "greeter" / "kept").write_text("mine")
    with pytest.raises(Refused, match="there already"):
        write_new_package(tmp_path, "greeter", load_languages(LANGUAGES).values())
    assert [path.name for path in tmp_path.rglob("*")] == ["greeter", "kept"]


def test_nothing_is_left_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="can't be written"):
        write_new_package(tmp_path / "file", "greeter", load_languages(LANGUAGES).values())
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
