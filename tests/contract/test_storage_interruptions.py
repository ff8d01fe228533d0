"""Runs are taken out of the hands of living workers, and nobody is blamed."""

from pathlib import Path

import pytest
from sqlalchemy import text

from models.clock import FixedClock
from models.errors import LeaseLost, Refused
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.interruptions import interrupt_all, interrupt_campaign
from models.storage.leases import LeaseAnswer, claim, finish_agent, is_held, renew
from models.storage.runs import attempts_of, find_run, list_runs
from models.storage.transaction import Database
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, VoidCategory
from scheduler.campaign_lifecycle import interrupt_work, pause_campaign, resume_campaign
from scheduler.campaign_upkeep import finish_campaigns
from tasks_catalog.catalog import Catalog
from tests.fakes.campaigns import NOW, TERMS, agent_result, write_campaign

NO_CATALOG = Catalog(Path("nowhere"), None, Path("nowhere"))


def states(database: Database, campaign: str, *runs: int) -> set[RunState]:
    with database.read() as session:
        return {run.state for run in list_runs(session, RunFilter(campaign)) if run.id in runs}


def test_what_a_paused_campaign_has_at_work_is_taken_back_uncounted(database: Database) -> None:
    campaign, other = write_campaign(database), write_campaign(database)
    with database.read() as session:
        runs = [list_runs(session, RunFilter(one))[0].id for one in (campaign, other)]
    with database.transaction() as session:
        orders = [claim(session, run, Stage.AGENT, "worker-1", NOW, TERMS) for run in runs]
    held, kept = orders
    assert held is not None
    assert kept is not None
    pause_campaign(database, campaign)
    assert interrupt_work(database, campaign, FixedClock(NOW + 1)) == (1, 0)
    with database.transaction() as session:
        assert not is_held(session, held.run_id, held.token)
        assert is_held(session, kept.run_id, kept.token)
        asked = [(held.run_id, held.token)]
        assert renew(session, asked, NOW + 2, TERMS) == {held.run_id: LeaseAnswer.LOST}
        assert claim(session, held.run_id, Stage.AGENT, "worker-1", NOW + 2, TERMS) is None
    with database.read() as session:
        run = find_run(session, held.run_id)
        (attempt,) = attempts_of(session, held.run_id)
        row = session.get(RunRow, held.run_id)
    assert row is not None
    assert (run.state, row.agent_tries) == (RunState.PLANNED, 0)
    assert (attempt.ending, attempt.category) == (AttemptEnding.INTERRUPTED, VoidCategory.OPERATOR)
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_agent(session, held, agent_result(), NOW + 3)
    resume_campaign(database, campaign, FixedClock(NOW + 4))
    with database.transaction() as session:
        again = claim(session, held.run_id, Stage.AGENT, "worker-2", NOW + 4, TERMS)
    assert again is not None
    assert again.token == held.token + 1


def test_a_run_that_is_being_written_holds_no_interruption_up(postgresql: Database) -> None:
    campaign = write_campaign(postgresql)
    with postgresql.transaction() as session:
        held = [
            claim(session, run.id, Stage.AGENT, "worker-1", NOW, TERMS)
            for run in list_runs(session, RunFilter(campaign))[:2]
        ]
    assert held[0] is not None
    with postgresql.transaction() as writing:
        assert renew(writing, [(held[0].run_id, held[0].token)], NOW, TERMS)
        with postgresql.transaction() as session:
            session.execute(text("SET LOCAL lock_timeout = '1s'"))
            assert interrupt_campaign(session, campaign, NOW) == 1
    with postgresql.transaction() as session:
        assert interrupt_campaign(session, campaign, NOW) == 1


def test_what_was_being_written_all_the_while_is_taken_back_by_the_scheduler(
    postgresql: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.campaign_lifecycle.INTERRUPT_PATIENCE_S", 0.0)
    campaign, clock = write_campaign(postgresql), FixedClock(NOW)
    with postgresql.read() as session:
        renewed, claimed = [run.id for run in list_runs(session, RunFilter(campaign))[:2]]
    with postgresql.transaction() as session:
        held = claim(session, renewed, Stage.AGENT, "worker-1", NOW, TERMS)
    assert held is not None
    with postgresql.transaction() as renewing, postgresql.transaction() as claiming:
        assert renew(renewing, [(held.run_id, held.token)], NOW, TERMS)
        assert claim(claiming, claimed, Stage.AGENT, "worker-2", NOW, TERMS) is not None
        pause_campaign(postgresql, campaign)
        assert interrupt_work(postgresql, campaign, clock) == (0, 1)
    assert states(postgresql, campaign, renewed, claimed) == {RunState.AGENT_LEASED}
    assert finish_campaigns(postgresql, NO_CATALOG, clock) == 2
    assert states(postgresql, campaign, renewed, claimed) == {RunState.PLANNED}
    assert finish_campaigns(postgresql, NO_CATALOG, clock) == 0


def test_a_pause_at_once_ends_with_the_pause(database: Database) -> None:
    campaign, clock = write_campaign(database), FixedClock(NOW)
    with database.read() as session:
        run = list_runs(session, RunFilter(campaign))[0].id
    with pytest.raises(Refused, match="is running"):
        interrupt_work(database, campaign, clock)
    pause_campaign(database, campaign)
    assert interrupt_work(database, campaign, clock) == (0, 0)
    resume_campaign(database, campaign, clock)
    with database.transaction() as session:
        assert claim(session, run, Stage.AGENT, "worker-1", NOW, TERMS) is not None
    pause_campaign(database, campaign)
    assert finish_campaigns(database, NO_CATALOG, clock) == 0
    assert states(database, campaign, run) == {RunState.AGENT_LEASED}


def test_everything_that_is_at_work_can_be_taken_back_at_once(database: Database) -> None:
    write_campaign(database)
    with database.transaction() as session:
        for run in list_runs(session, RunFilter()):
            assert claim(session, run.id, Stage.AGENT, "worker-1", NOW, TERMS) is not None
        assert interrupt_all(session, NOW + 1, "the farm moves on") == 4
        assert interrupt_all(session, NOW + 1, "the farm moves on") == 0
        assert {run.state for run in list_runs(session, RunFilter())} == {RunState.PLANNED}
