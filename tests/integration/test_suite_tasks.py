"""An imported exercise goes the road of every task: agent stage, freezing, grading, verdict."""

import shutil
from pathlib import Path

import pytest
from pydantic import JsonValue

from models.clock import SystemClock
from models.schemas.campaign import CampaignSpec
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.storage.results import find_report
from models.storage.runs import list_runs
from models.verdicts import CheckOutcome, Verdict
from scheduler.campaign_lifecycle import start_campaign
from tasks_catalog.catalog import open_catalog
from tasks_catalog.importers.import_run import Wish, import_exercism
from tasks_catalog.importers.package_placing import Placing
from tasks_catalog.loading import load_runners
from tests.integration.job_bench import LANGUAGES, Bench
from tests.unit.tasks_catalog.exercism_samples import python_exercise

pytestmark = pytest.mark.real


@pytest.fixture
def imported(bench: Bench, tmp_path: Path) -> Bench:
    settings = bench.hands.plan.settings
    shutil.copytree(
        LANGUAGES / "python.suite", settings.languages / "python.suite", dirs_exist_ok=True
    )
    python_exercise(tmp_path / "source")
    runners = load_runners(settings.languages)
    placing = Placing(settings.catalog_public, True, ("python",), tuple(runners))
    lines = import_exercism(tmp_path / "source", Wish(), placing, runners)
    assert [line.task for line in lines] == ["adder-python"]
    return bench


def graded(
    bench: Bench, agent: str, settings: dict[str, JsonValue] | None = None
) -> tuple[Verdict, dict[str, CheckOutcome]]:
    """The verdict of one run, and the outcomes of its checks."""
    plan = bench.hands.plan.settings
    catalog = open_catalog(plan.catalog_public, plan.catalog_sealed, plan.languages)
    spec = CampaignSpec.model_validate(
        {
            "name": "suite",
            "tasks": ["adder-python"],
            "languages": ["python"],
            "repeats": 1,
            "systems": [{"name": "one", "agent": agent, "settings": settings or {}}],
        }
    )
    campaign = start_campaign(bench.database, catalog, spec, SystemClock(), unproven=True)
    with bench.database.read() as session:
        run = list_runs(session, RunFilter(campaign_id=campaign))[0].id
    bench.work(run, Stage.AGENT, Stage.GRADE)
    with bench.database.read() as session:
        report = find_report(session, run)
    assert report is not None
    return report.verdict, dict(report.outcomes)


def test_the_reference_passes_and_an_idle_system_fails(imported: Bench) -> None:
    verdict, outcomes = graded(imported, "reference")
    assert verdict is Verdict.PASSED
    assert list(outcomes) == ["suite-runs", "small", "cases"]
    verdict, outcomes = graded(imported, "idle")
    assert verdict is Verdict.FAILED
    assert outcomes["suite-runs"] is CheckOutcome.PASSED


def test_an_agent_that_writes_tests_of_its_own_is_graded_by_the_sealed_ones(
    imported: Bench,
) -> None:
    actions = [
        "printf 'def add(a, b):\\n    return 3\\n' > adder.py",
        "printf 'import unittest\\n' > adder_test.py",
        "printf 'CASES = []\\n' > test_data.py",
    ]
    verdict, outcomes = graded(imported, "scripted", {"actions": actions})
    assert verdict is Verdict.FAILED
    assert (outcomes["small"], outcomes["cases"]) == (CheckOutcome.PASSED, CheckOutcome.WRONG)
