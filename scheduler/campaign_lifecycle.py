"""Starts, pauses, resumes, cancels and finishes campaigns."""

import logging
from collections.abc import Sequence
from itertools import islice

from models.clock import Clock
from models.errors import FarmError, Refused
from models.identifiers import CampaignId
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState
from models.schemas.gate import GateColour
from models.schemas.task import Variant
from models.storage.campaign_endings import (
    campaigns_without_work,
    cancelled_with_work,
    end_cancelled_runs,
)
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import find_campaign
from models.storage.dispatching import unqueue_campaign
from models.storage.gates import find_decision
from models.storage.plans import create_campaign, insert_runs, read_plan, stalled_plans
from models.storage.transaction import Database
from scheduler.gate_campaigns import decide_gate
from scheduler.planning import plan_cells, resolve_spec, runs_in_order, variants_of
from tasks_catalog.catalog import Catalog

log = logging.getLogger(__name__)

PLAN_BATCH = 10_000
"""Runs in one transaction: some tenths of a second without another writer."""
CANCEL_BATCH = 5_000
PLANNER_PATIENCE_S = 15.0
"""A plan that stands still for so long has lost its planner."""


def start_campaign(
    database: Database, catalog: Catalog, spec: CampaignSpec, clock: Clock, *, unproven: bool
) -> CampaignId:
    """Plan a campaign and let its runs begin; returns when all runs are inserted.

    Raises InvalidInput that lists every unknown name; Refused when the verifier of a variant is
    not proved, unless `unproven`, which marks the campaign. Gate campaigns need no proof.
    """
    offered = offered_variants(catalog)
    resolved = resolve_spec(spec, offered)
    variants = [catalog.variant(*pair) for pair in variants_of(resolved, offered)]
    unproved = [] if spec.kind is CampaignKind.GATE else unproved_variants(database, variants)
    if unproved and not unproven:
        raise _unproved(resolved, unproved)
    with database.transaction() as session:
        campaign_id = create_campaign(
            session,
            resolved,
            plan_cells(resolved, variants),
            unproven=bool(unproved),
            now=clock.now(),
        )
    insert_plan(database, campaign_id, clock)
    return CampaignId(campaign_id)


def offered_variants(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """The languages of every task, without those that this farm has no definition of."""
    defined = catalog.languages()
    return {
        task.id: tuple(language for language in task.languages if language in defined)
        for task in catalog.tasks()
    }


def unproved_variants(database: Database, variants: Sequence[Variant]) -> list[Variant]:
    """The variants without a green gate decision in exactly their universe."""
    with database.read() as session:
        found = [find_decision(session, v.task, v.language, v.universe) for v in variants]
    return [
        variant
        for variant, decision in zip(variants, found, strict=True)
        if decision is None or decision.colour is not GateColour.GREEN
    ]


def insert_plan(database: Database, campaign_id: str, clock: Clock) -> None:
    """Insert the runs that are still missing, in bounded memory; then the campaign is running.

    Stops where it is when another planner took over, or the campaign was paused or cancelled.
    """
    with database.read() as session:
        plan = read_plan(session, campaign_id)
    repeats = plan.total // len(plan.cells)
    runs = runs_in_order(len(plan.cells), repeats, plan.planned)
    while batch := list(islice(runs, PLAN_BATCH)):
        with database.transaction() as session:
            if not insert_runs(session, plan, batch, clock.now()):
                return
        plan = plan.after(len(batch))
    with database.transaction() as session:
        change_campaign(session, campaign_id, (CampaignState.PLANNING,), CampaignState.RUNNING)


def take_over_plans(database: Database, clock: Clock) -> int:
    """Go on with plans whose planner is gone; returns how many."""
    with database.read() as session:
        stalled = stalled_plans(session, clock.now() - PLANNER_PATIENCE_S)
    for campaign_id in stalled:
        log.warning("planning of %s stands still; going on with it", campaign_id)
        insert_plan(database, campaign_id, clock)
    return len(stalled)


def pause_campaign(database: Database, campaign_id: str, clock: Clock) -> None:
    """Give out no more work of a campaign; leased runs go on to the end of their stage.

    Raises NotFound, and Refused for a campaign that has ended.
    """
    active = (CampaignState.PLANNING, CampaignState.RUNNING, CampaignState.PAUSED)
    _change(database, campaign_id, active, CampaignState.PAUSED, clock)
    with database.transaction() as session:
        unqueue_campaign(session, campaign_id)


def resume_campaign(database: Database, campaign_id: str, clock: Clock) -> None:
    """Go on with a paused campaign. Raises NotFound, and Refused for one that isn't paused."""
    paused = (CampaignState.PAUSED,)
    with database.read() as session:
        campaign = find_campaign(session, campaign_id)
    if campaign.planned == campaign.total:
        _change(database, campaign_id, paused, CampaignState.RUNNING, clock)
        return
    _change(database, campaign_id, paused, CampaignState.PLANNING, clock)
    insert_plan(database, campaign_id, clock)


def cancel_campaign(database: Database, campaign_id: str, clock: Clock) -> None:
    """End a campaign: its runs end at once, workers stop with their next renewal.

    Results that it has are kept. Raises NotFound, and Refused for one that has ended.
    """
    going = (CampaignState.PLANNING, CampaignState.RUNNING, CampaignState.PAUSED)
    _change(database, campaign_id, going, CampaignState.CANCELLED, clock)
    while _cancel_some(database, campaign_id, clock):
        pass


def finish_campaigns(database: Database, catalog: Catalog, clock: Clock) -> int:
    """Close campaigns whose runs have all ended, and decide their gates; returns how many.

    Also goes on with cancellations whose caller is gone.
    """
    with database.read() as session:
        over = campaigns_without_work(session)
        cancelled = cancelled_with_work(session)
    for campaign_id in over:
        _finish(database, catalog, campaign_id, clock)
    return len(over) + sum(_cancel_some(database, each, clock) for each in cancelled)


def _finish(database: Database, catalog: Catalog, campaign_id: str, clock: Clock) -> None:
    with database.read() as session:
        campaign = find_campaign(session, campaign_id)
    if campaign.kind is CampaignKind.GATE:
        try:
            decide_gate(database, catalog, campaign_id, clock)
        except FarmError as error:
            log.error("the gate %s can't be decided: %s", campaign_id, error)
    with database.transaction() as session:
        change_campaign(
            session,
            campaign_id,
            (CampaignState.RUNNING,),
            CampaignState.FINISHED,
            ended_at=clock.now(),
        )
    log.info("%s is finished", campaign_id)


def _cancel_some(database: Database, campaign_id: str, clock: Clock) -> int:
    with database.transaction() as session:
        return end_cancelled_runs(session, campaign_id, clock.now(), CANCEL_BATCH)


def _change(
    database: Database,
    campaign_id: str,
    sources: tuple[CampaignState, ...],
    target: CampaignState,
    clock: Clock,
) -> None:
    ended = {"ended_at": clock.now()} if target is CampaignState.CANCELLED else {}
    with database.transaction() as session:
        state = find_campaign(session, campaign_id).state
        if not change_campaign(session, campaign_id, sources, target, **ended):
            raise Refused(
                f"{campaign_id} is {state} and can't become {target}.",
                remedy=f"`gradefarm campaign status {campaign_id}` shows where it is.",
            )


def _unproved(spec: CampaignSpec, variants: Sequence[Variant]) -> Refused:
    names = ", ".join(variant.name for variant in variants)
    tasks = dict.fromkeys(variant.task for variant in variants)
    commands = "; ".join(f"gradefarm gate run --task {task}" for task in tasks)
    return Refused(
        f"campaign {spec.name}: the verifier of {names} is not proved in its present universe.",
        remedy=f"Prove it with {commands}, or start unproven and publish nothing.",
    )
