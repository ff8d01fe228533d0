"""Snapshots of one campaign graded again in another, on both databases."""

from dataclasses import dataclass

import pytest

from models.errors import NotFound
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.task import Variant
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import campaign_progress, find_campaign
from models.storage.leases import claim, finish_agent, finish_grade, void_attempt
from models.storage.plans import create_campaign, insert_runs, read_plan
from models.storage.regrades import read_regrade, regrades_of, source_run
from models.storage.results import cell_counts
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.verdicts import Verdict, VoidCategory
from scheduler.dispatch import top_up
from scheduler.planning import plan_cells, runs_in_order
from tests.fakes.campaigns import (
    NOW,
    SNAPSHOT,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    variant,
    write_campaign,
)

NEW_UNIVERSE = "sha256:" + "f" * 64
VOID = StageVoid(category=VoidCategory.DISK_FULL, detail="")


@dataclass
class Source:
    """A finished campaign of two systems, three repeats: passed, failed and void runs."""

    campaign: str
    runs: list[int]


def changed(one: Variant) -> Variant:
    return one.model_copy(update={"universe": NEW_UNIVERSE})


def end_run(database: Database, run: int, verdict: Verdict | None) -> None:
    """To its end with `verdict`; void in the agent stage where there is none."""
    with database.transaction() as session:
        order = claim(session, run, Stage.AGENT, "w", NOW, TERMS)
        assert order is not None
        if verdict is None:
            void_attempt(session, order, VOID, NOW)
            return
        finish_agent(session, order, agent_result(), NOW)
        graded = claim(session, run, Stage.GRADE, "w", NOW, TERMS)
        assert graded is not None
        finish_grade(session, graded, grade_result(graded, verdict), NOW)


@pytest.fixture
def source(database: Database) -> Source:
    spec = campaign_spec(repeats=3, policy={"max_attempts": 1})
    campaign = write_campaign(database, spec)
    with database.read() as session:
        runs = [one.id for one in list_runs(session, RunFilter(campaign_id=campaign))]
    ends = [Verdict.PASSED, Verdict.FAILED, Verdict.PASSED, None, Verdict.FAILED, Verdict.PASSED]
    for run, end in zip(runs, ends, strict=True):
        end_run(database, run, end)
    with database.transaction() as session:
        states = (CampaignState.RUNNING,)
        assert change_campaign(session, campaign, states, CampaignState.FINISHED)
    return Source(campaign, runs)


def regrade(database: Database, source: Source, *, batch: int) -> str:
    """A regrade of the source in another universe, inserted `batch` runs at a time."""
    with database.read() as session:
        spec = find_campaign(session, source.campaign).spec
    with database.transaction() as session:
        cells = plan_cells(spec, (changed(variant()),))
        campaign = create_campaign(
            session, spec, cells, unproven=False, now=NOW, regrades=source.campaign
        )
    runs = list(runs_in_order(len(cells), spec.repeats))
    for first in range(0, len(runs), batch):
        with database.transaction() as session:
            plan = read_plan(session, campaign)
            assert insert_runs(session, plan, runs[first : first + batch], NOW)
    with database.transaction() as session:
        states = (CampaignState.PLANNING,)
        assert change_campaign(session, campaign, states, CampaignState.RUNNING)
    return campaign


@pytest.mark.parametrize("batch", [1, 3, 4, 6])
def test_runs_begin_frozen_as_their_source_left_them(
    database: Database, source: Source, batch: int
) -> None:
    campaign = regrade(database, source, batch=batch)
    with database.read() as session:
        taken = list_runs(session, RunFilter(campaign_id=campaign))
        progress = campaign_progress(session, campaign)
        sources = [source_run(session, run.id) for run in taken]
    assert sources == source.runs
    frozen = [run for run in taken if run.state is RunState.FROZEN]
    assert len(frozen) == 5
    assert {run.snapshot for run in frozen} == {SNAPSHOT}
    assert all(run.stop_reason is not None and run.changed for run in frozen)
    assert progress.voids == {"disk_full": 1}
    assert (progress.frozen, progress.waiting) == (5, 0)


def test_only_the_grade_stage_is_sent_and_counted_anew(database: Database, source: Source) -> None:
    campaign = regrade(database, source, batch=6)
    assert top_up(database, NOW, window=64, slot_s=TERMS.queue_slot_s) == 5
    with database.read() as session:
        taken = list_runs(session, RunFilter(campaign_id=campaign))
    for run in taken:
        with database.transaction() as session:
            assert claim(session, run.id, Stage.AGENT, "w", NOW, TERMS) is None
            order = claim(session, run.id, Stage.GRADE, "w", NOW, TERMS)
            if order is not None:
                assert order.universe == NEW_UNIVERSE
                finish_grade(session, order, grade_result(order, Verdict.PASSED), NOW)
    with database.read() as session:
        told = read_regrade(session, campaign, 100)
        (old, new) = (cell_counts(session, [one]) for one in (source.campaign, campaign))
    assert sorted(told.turned) == [
        ("failed", "passed", 2),
        ("passed", "passed", 3),
        ("void", "void", 1),
    ]
    assert [run.source_run_id for run in told.changed] == [source.runs[1], source.runs[4]]
    assert told.changed[0].checks == (("one", "wrong", "passed"), ("two", "wrong", "passed"))
    assert [(each.before, each.after) for each in told.universes] == [
        (variant().universe, NEW_UNIVERSE)
    ]
    assert sum(cell.failed for cell in old) == 2
    assert sum(cell.passed for cell in new) == 5
    assert sum(cell.voids for cell in new) == 1


def test_runs_that_have_not_ended_are_open_and_not_told_as_changed(
    database: Database, source: Source
) -> None:
    campaign = regrade(database, source, batch=6)
    with database.read() as session:
        told = read_regrade(session, campaign, 100)
    assert ("passed", "open", 3) in told.turned
    assert told.changed == ()


def test_a_campaign_knows_its_regrades_and_a_regrade_its_source(
    database: Database, source: Source
) -> None:
    campaigns = [regrade(database, source, batch=6), regrade(database, source, batch=6)]
    with database.read() as session:
        assert regrades_of(session, source.campaign) == campaigns
        assert [find_campaign(session, one).regrades for one in campaigns] == [source.campaign] * 2
        assert find_campaign(session, source.campaign).regrades is None
        with pytest.raises(NotFound, match="grades no other"):
            read_regrade(session, source.campaign, 10)
