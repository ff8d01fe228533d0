"""A check is corrected, and frozen snapshots are graded again without their agents."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.clock import SystemClock
from models.errors import Refused
from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignView
from models.schemas.regrade import Regrade
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import find_campaign
from models.storage.regrades import source_run
from models.storage.runs import list_runs
from models.verdicts import Verdict
from scheduler.boards.common_terms import refuse_other_terms
from scheduler.campaign_lifecycle import cancel_campaign
from scheduler.campaign_upkeep import finish_campaigns
from scheduler.regrading import start_regrade
from tasks_catalog.catalog import Catalog, open_catalog
from tests.integration.job_bench import Bench

pytestmark = pytest.mark.real

CLOCK = SystemClock()
GRADEFARM = Path(sys.executable).parent / "gradefarm"


@pytest.fixture
def catalog(bench: Bench) -> Catalog:
    settings = bench.hands.plan.settings
    return open_catalog(settings.catalog_public, settings.catalog_sealed, settings.languages)


@pytest.fixture
def graded(bench: Bench, catalog: Catalog) -> int:
    """A run of the reference that passed, in a campaign that is finished."""
    run = bench.start("reference")
    assert bench.work(run, Stage.AGENT, Stage.GRADE).verdict is Verdict.PASSED
    assert finish_campaigns(bench.database, catalog, CLOCK) == 1
    return run


def campaign_of(bench: Bench, name: str) -> CampaignView:
    with bench.database.read() as session:
        return find_campaign(session, name)


def gradefarm(bench: Bench, *words: str) -> "subprocess.CompletedProcess[str]":
    settings = bench.hands.plan.settings
    names = {
        "GRADEFARM_HOME": settings.home,
        "GRADEFARM_CATALOG_PUBLIC": settings.catalog_public,
        "GRADEFARM_CATALOG_SEALED": settings.catalog_sealed,
        "GRADEFARM_LANGUAGES": settings.languages,
        "GRADEFARM_DATABASE_URL": settings.database_url,
        "GRADEFARM_ARTIFACTS_URL": settings.artifacts_url,
    }
    environment = {"PATH": os.environ["PATH"], **{name: str(at) for name, at in names.items()}}
    return subprocess.run(
        [str(GRADEFARM), *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )


def test_a_corrected_check_turns_the_verdict_of_a_frozen_snapshot(
    bench: Bench, catalog: Catalog, graded: int
) -> None:
    source = bench.run(graded)
    checks = bench.root / "catalog" / "tasks" / "summing" / "sealed" / "hidden_checks.json"
    kept = checks.read_text()
    refused = gradefarm(bench, "regrade", source.campaign_id)
    assert refused.returncode == 4
    assert "exactly the present universe" in refused.stderr
    try:
        checks.write_text(kept.replace("-777000111", "-777000112"))
        regraded = start_regrade(bench.database, catalog, source.campaign_id, CLOCK, unproven=True)
        with bench.database.read() as session:
            [run] = list_runs(session, RunFilter(campaign_id=regraded))
            assert source_run(session, run.id) == graded
        assert run.state is RunState.FROZEN
        after = bench.work(run.id, Stage.GRADE)
        assert after.verdict is Verdict.FAILED
        assert after.snapshot == source.snapshot
        assert after.universe != source.universe
        assert [one.stage for one in bench.attempts(run.id)] == [Stage.GRADE]
        finish_campaigns(bench.database, catalog, CLOCK)
        shown = gradefarm(bench, "regrade", source.campaign_id)
        told = gradefarm(bench, "regrade", source.campaign_id, "--json")
        transcripts = [gradefarm(bench, "runs", "transcript", str(one)) for one in (run.id, graded)]
        opened = gradefarm(bench, "runs", "show", str(run.id))
    finally:
        checks.write_text(kept)
    assert "passed -> failed" in shown.stdout, shown.stderr
    assert "hidden-sum passed -> wrong" in shown.stdout
    report = Regrade.model_validate_json(told.stdout)
    assert report.turned == (("passed", "failed", 1),)
    assert [one.source_run_id for one in report.changed] == [graded]
    assert f"regrades   run {graded}" in opened.stdout
    bodies = [one.stdout.splitlines()[1:] for one in transcripts]
    assert bodies[0] == bodies[1] != []
    assert bench.run(graded).verdict is Verdict.PASSED


def test_the_same_snapshots_are_never_added_up(bench: Bench, catalog: Catalog, graded: int) -> None:
    source = bench.run(graded).campaign_id
    again = start_regrade(bench.database, catalog, source, CLOCK, unproven=True)
    once_more = start_regrade(bench.database, catalog, source, CLOCK, unproven=True)
    for pair in ((source, again), (again, once_more)):
        with pytest.raises(Refused, match="the same snapshots"):
            refuse_other_terms([campaign_of(bench, name) for name in pair])


def test_a_regrade_of_a_regrade_is_one_of_its_source(
    bench: Bench, catalog: Catalog, graded: int
) -> None:
    source = bench.run(graded).campaign_id
    again = start_regrade(bench.database, catalog, source, CLOCK, unproven=True)
    with pytest.raises(Refused, match=f"snapshots of {source}"):
        start_regrade(bench.database, catalog, again, CLOCK, unproven=True)


def test_a_regrade_is_not_added_up_with_runs_of_its_own_universe(
    bench: Bench, catalog: Catalog, graded: int
) -> None:
    source = bench.run(graded).campaign_id
    regraded = start_regrade(bench.database, catalog, source, CLOCK, unproven=True)
    fresh = bench.run(bench.start("idle")).campaign_id
    refuse_other_terms([campaign_of(bench, regraded)])
    with pytest.raises(Refused, match="grades what agents left"):
        refuse_other_terms([campaign_of(bench, name) for name in (regraded, fresh)])


def test_what_has_not_ended_is_not_graded_again(bench: Bench, catalog: Catalog) -> None:
    run = bench.start("reference")
    campaign = bench.run(run).campaign_id
    with pytest.raises(Refused, match="has not ended"):
        start_regrade(bench.database, catalog, campaign, CLOCK, unproven=True)


def test_what_is_still_being_cancelled_is_not_graded_again(bench: Bench, catalog: Catalog) -> None:
    campaign = bench.run(bench.start("reference")).campaign_id
    with bench.database.transaction() as session:
        states = (CampaignState.RUNNING,)
        assert change_campaign(session, campaign, states, CampaignState.CANCELLED)
    with pytest.raises(Refused, match="still being ended"):
        start_regrade(bench.database, catalog, campaign, CLOCK, unproven=True)
    finish_campaigns(bench.database, catalog, CLOCK)
    start_regrade(bench.database, catalog, campaign, CLOCK, unproven=True)


def test_runs_that_a_person_cancelled_stay_so(bench: Bench, catalog: Catalog) -> None:
    run = bench.start("reference")
    bench.work(run, Stage.AGENT)
    campaign = bench.run(run).campaign_id
    cancel_campaign(bench.database, campaign, CLOCK)
    regraded = start_regrade(bench.database, catalog, campaign, CLOCK, unproven=True)
    with bench.database.read() as session:
        [taken] = list_runs(session, RunFilter(campaign_id=regraded))
    assert taken.state is RunState.CANCELLED


def test_a_regrade_needs_proved_verifiers_unless_told_otherwise(
    bench: Bench, catalog: Catalog, graded: int
) -> None:
    with pytest.raises(Refused, match="not proved"):
        start_regrade(bench.database, catalog, bench.run(graded).campaign_id, CLOCK, unproven=False)
