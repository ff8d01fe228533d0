"""What pip compiles beside the bundled tasks decides nothing, and is not there for any program."""

import compileall
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tasks_catalog
from models.errors import Refused
from tasks_catalog import compiled_leftovers
from tasks_catalog.catalog import Catalog
from tasks_catalog.compiled_leftovers import drop_compiled

ROOT = Path(tasks_catalog.__file__).resolve().parents[1]
TASK = "circuit-breaker"
SHOWN = f"""
from tasks_catalog.catalog import open_catalog
from tasks_catalog.compiled_leftovers import INSTALLED
bundled = INSTALLED / "bundled"
catalog = open_catalog(bundled, bundled, INSTALLED / "languages")
print(INSTALLED, catalog.variant("{TASK}", "python").universe)
"""

VALIDATES = "from tasks_catalog.cli import app; app(['validate'])"


def test_a_catalogue_that_pip_compiled_is_the_one_that_was_packed(tmp_path: Path) -> None:
    ours = tmp_path / "tasks_catalog"
    ignored = shutil.ignore_patterns("__pycache__", "bundled")
    for package in ("models", "tasks_catalog"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copytree(ROOT / "tasks_catalog/bundled" / TASK, ours / "bundled" / TASK)
    assert compileall.compile_dir(ours, quiet=1)
    data = [ours / "bundled", ours / "languages"]
    assert all(any(folder.rglob("*.pyc")) for folder in data)
    bundled = ROOT / "tasks_catalog" / "bundled"
    packed = Catalog(bundled, bundled, ROOT / "tasks_catalog" / "languages")
    universe = packed.variant(TASK, "python").universe
    assert run(tmp_path, SHOWN).split() == [str(ours), universe]
    assert not any(any(folder.rglob("__pycache__")) for folder in data)
    assert compileall.compile_dir(ours, quiet=1)
    assert run(tmp_path, VALIDATES) == f"{TASK}: sound\n"


def run(folder: Path, program: str) -> str:
    """What a Python that imports from `folder` prints."""
    return subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        cwd=folder,
        env={"PYTHONPATH": str(folder), "HOME": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    ).stdout


def test_bytecode_in_a_catalogue_of_ones_own_stays_where_it_is(tmp_path: Path) -> None:
    compiled = tmp_path / "__pycache__" / "main.pyc"
    compiled.parent.mkdir()
    compiled.touch()
    drop_compiled(tmp_path, None)
    assert compiled.exists()


def test_only_bytecode_is_taken_away(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled_leftovers, "INSTALLED", tmp_path)
    for name in ("a/__pycache__/x.pyc", "b/__pycache__/x.pyc", "b/__pycache__/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "x.pyc"
    elsewhere.touch()
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "__pycache__").symlink_to(elsewhere.parent)
    drop_compiled(tmp_path)
    assert elsewhere.exists()
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*")) == [
        "a",
        "b",
        "b/__pycache__",
        "b/__pycache__/x.py",
        "c",
        "c/__pycache__",
    ]
    (tmp_path / "a" / "__pycache__" / "x.pyc").mkdir(parents=True)
    with pytest.raises(Refused, match="--no-compile"):
        drop_compiled(tmp_path)
