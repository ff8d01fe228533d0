"""Brings campaigns on without their callers: finishes them, takes plans over, ends cancelled runs
and takes back those of campaigns that were paused at once.

What goes wrong with one campaign is kept with that campaign, in words, and holds up no other.
"""

import logging
from collections.abc import Callable
from functools import partial
from itertools import islice

from models.clock import Clock
from models.errors import FarmError, Refused
from models.schemas.campaign import CampaignKind, CampaignState
from models.storage.campaign_endings import campaigns_without_work, cancelled_with_work
from models.storage.campaign_states import change_campaign, note_problem
from models.storage.campaigns import campaign_row
from models.storage.interruptions import campaigns_to_stop
from models.storage.plans import insert_runs, read_plan, stalled_plan
from models.storage.transaction import DATABASE_AWAY, Database
from scheduler.campaign_budget import pause_used_up
from scheduler.campaign_lifecycle import (
    PLAN_BATCH,
    cancel_some,
    interrupt_some,
    mark_planned,
)
from scheduler.gate_deciding import decide_gate, keep_undecided
from scheduler.planning import runs_in_order
from tasks_catalog.catalog import Catalog

log = logging.getLogger(__name__)

PLANNER_PATIENCE_S = 15.0
"""A plan that stands still for so long has lost its planner."""


def finish_campaigns(database: Database, catalog: Catalog, clock: Clock) -> int:
    """Close campaigns whose runs have all ended, and decide their gates; returns how many.

    Also goes on with cancellations, and with pauses that take back what is at work, where their
    caller left some. A gate that can't be decided is closed with an inconclusive decision that
    says why. Raises DATABASE_AWAY alone.
    """
    with database.read() as session:
        over = campaigns_without_work(session)
        stopping = {cancel_some: cancelled_with_work(session)}
        stopping[interrupt_some] = campaigns_to_stop(session)
    for campaign_id in over:
        _finish(database, catalog, campaign_id, clock)
    moved = len(over)
    for stop_some, campaign_ids in stopping.items():
        for campaign_id in campaign_ids:
            step = partial(stop_some, database, campaign_id, clock)
            moved += _contained(database, campaign_id, step)
    return moved


def pause_without_budget(database: Database) -> int:
    """Pause campaigns that can begin no more run, with the reason; returns how many."""
    paused = pause_used_up(database)
    if paused:
        log.warning("%d campaigns are paused: their budget is used up", paused)
    return paused


def take_over_plan(database: Database, clock: Clock) -> int:
    """Insert the next runs of a plan whose planner is gone; returns how many.

    One bounded slice of one plan: the scheduler has more to do. A plan that can't be gone on
    with pauses its campaign, with the reason. Raises DATABASE_AWAY alone.
    """
    with database.read() as session:
        campaign_id = stalled_plan(session, clock.now(), PLANNER_PATIENCE_S)
    if campaign_id is None:
        return 0
    problem, inserted = _tried(campaign_id, lambda: _insert_slice(database, campaign_id))
    if problem:
        with database.transaction() as session:
            note_problem(session, campaign_id, problem)
            change_campaign(session, campaign_id, (CampaignState.PLANNING,), CampaignState.PAUSED)
    return inserted


def _insert_slice(database: Database, campaign_id: str) -> int:
    with database.read() as session:
        plan = read_plan(session, campaign_id)
    log.warning(
        "planning of %s stood still at %d of %d; going on with it",
        *(campaign_id, plan.planned, plan.total),
    )
    repeats = plan.total // len(plan.cells)
    batch = list(islice(runs_in_order(len(plan.cells), repeats, plan.planned), PLAN_BATCH))
    if not batch and plan.planned < plan.total:
        raise Refused(f"{plan.total} runs are no whole repeats of {len(plan.cells)} cells.")
    with database.transaction() as session:
        # Its time stays, so that the next slice need not wait for patience to run out again.
        if batch and not insert_runs(session, plan, batch, plan.planned_at):
            return 0
    if plan.planned + len(batch) == plan.total:
        mark_planned(database, campaign_id)
    return len(batch)


def _finish(database: Database, catalog: Catalog, campaign_id: str, clock: Clock) -> None:
    problem, _ = _tried(campaign_id, lambda: _decide(database, catalog, campaign_id, clock))
    if problem:
        _contained(
            database,
            campaign_id,
            lambda: keep_undecided(database, campaign_id, problem, clock),
        )
    with database.transaction() as session:
        if problem:
            note_problem(session, campaign_id, problem)
        change_campaign(
            session,
            campaign_id,
            (CampaignState.RUNNING,),
            CampaignState.FINISHED,
            ended_at=clock.now(),
        )
    log.info("%s is finished", campaign_id)


def _decide(database: Database, catalog: Catalog, campaign_id: str, clock: Clock) -> int:
    with database.read() as session:
        kind = campaign_row(session, campaign_id).kind
    if kind is CampaignKind.GATE:
        return len(decide_gate(database, catalog, campaign_id, clock))
    return 0


def _contained(database: Database, campaign_id: str, step: Callable[[], int]) -> int:
    """Do a step for a campaign; where it fails, keep why with the campaign and return 0."""
    problem, done = _tried(campaign_id, step)
    if problem:
        with database.transaction() as session:
            note_problem(session, campaign_id, problem)
    return done


def _tried(campaign_id: str, step: Callable[[], int]) -> tuple[str, int]:
    """What a step for a campaign returned, or in words why it failed.

    Whatever it is, it concerns that campaign; only a database that is away concerns all.
    """
    try:
        return "", step()
    except DATABASE_AWAY:
        raise
    except Exception as error:
        known = isinstance(error, FarmError)
        log.error(
            "%s: a step failed; the farm goes on without it: %s",
            *(campaign_id, error),
            exc_info=None if known else error,
        )
        return f"{type(error).__name__}: {error}", 0
