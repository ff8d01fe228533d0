"""Whoever holds the answer key is shown it beside an answer; nobody else is."""

import json
from pathlib import Path

import pytest

from models.schemas.check_report import BuildResult, CheckReport, CheckResult
from models.verdicts import CheckOutcome
from scheduler.farm_access.expected_answers import expected_answers
from tasks_catalog.catalog import Catalog
from tasks_catalog.content_hash import check_digest
from tests.unit.tasks_catalog.small_package import HIDDEN, write_languages, write_package


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    write_package(tmp_path / "tasks")
    return Catalog(tmp_path / "tasks", tmp_path / "tasks", write_languages(tmp_path))


def report(catalog: Catalog, task: str = "adder") -> CheckReport:
    checks = catalog.sealed_half("adder", "alpha").checks
    return CheckReport(
        task=task,
        language="alpha",
        universe="",
        snapshot="",
        manifest_digest="",
        build=BuildResult(needed=False, ok=True),
        checks=tuple(
            CheckResult(id=one.id, check_digest=check_digest(one), outcome=CheckOutcome.WRONG)
            for one in checks
        ),
    )


def test_every_check_is_shown_with_its_expected_answer(catalog: Catalog) -> None:
    shown = expected_answers(catalog, report(catalog))
    assert list(shown) == ["shown-sum", "hidden-sum", "hidden-zero"]
    assert shown["hidden-sum"] == "exit 0\n-6000006"


def test_a_check_that_was_changed_since_is_left_out(catalog: Catalog, tmp_path: Path) -> None:
    old = report(catalog)
    text = json.dumps(HIDDEN).replace("6000006", "6000007")
    (tmp_path / "tasks/adder/sealed/hidden_checks.json").write_text(text)
    assert list(expected_answers(catalog, old)) == ["shown-sum", "hidden-zero"]


def test_a_machine_without_the_sealed_half_shows_nothing(catalog: Catalog, tmp_path: Path) -> None:
    bare = Catalog(tmp_path / "tasks", None, tmp_path / "languages")
    assert expected_answers(bare, report(catalog)) == {}
    assert expected_answers(catalog, report(catalog, "gone-since")) == {}
