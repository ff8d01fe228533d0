"""The catalogue that ships is sound, and every variant of it has a universe of its own."""

from pathlib import Path

import pytest

from tasks_catalog.catalog import open_catalog
from tasks_catalog.loading import task_folders
from tasks_catalog.validation import package_faults

ROOT = Path(__file__).resolve().parents[3] / "tasks_catalog"
BUNDLED, LANGUAGES = ROOT / "bundled", ROOT / "languages"
CATALOG = open_catalog(BUNDLED, BUNDLED, LANGUAGES)


@pytest.mark.parametrize("package", task_folders(BUNDLED), ids=lambda path: path.name)
def test_a_bundled_task_is_sound(package: Path) -> None:
    assert package_faults(package, package, CATALOG.languages()) == ()


def test_every_bundled_variant_has_its_own_universe() -> None:
    universes = [
        CATALOG.variant(task.id, language).universe
        for task in CATALOG.tasks()
        for language in task.languages
    ]
    assert len(set(universes)) == len(universes) >= 1
