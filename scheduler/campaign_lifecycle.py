"""Starts, pauses, resumes and cancels campaigns."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from sqlalchemy.orm import Session

from models.clock import Clock
from models.errors import Refused
from models.identifiers import CampaignId
from models.schemas.campaign import UNENDED, CampaignKind, CampaignSpec, CampaignState
from models.schemas.campaign_request import CampaignRequest
from models.schemas.gate import GateColour
from models.schemas.task import Variant
from models.storage.campaign_endings import end_cancelled_runs
from models.storage.campaign_requests import keep_request
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import campaign_row
from models.storage.dispatching import unqueue_campaign
from models.storage.gates import find_decision
from models.storage.interruptions import interrupt_campaign, runs_leased
from models.storage.plans import create_campaign, insert_runs, read_plan
from models.storage.transaction import Database
from scheduler.campaign_budget import refuse_unfit_budget, refuse_used_up
from scheduler.planning import plan_cells, resolve_spec, runs_in_order, variants_of
from tasks_catalog.catalog import Catalog

PLAN_BATCH = 10_000
"""Runs in one transaction: some tenths of a second without another writer."""
CANCEL_BATCH = 5_000
CLAIMS_TAKE_S = 0.3
INTERRUPT_PATIENCE_S = 5.0
"""After that the scheduler goes on alone."""

PAUSED = (CampaignState.PAUSED,)

Insert = Callable[[str], object]
"""Sees to it that the runs of a campaign are inserted, now or later."""
Later = Callable[[Callable[[], None]], object]
"""Carries something out behind the present answer; the scheduler does it where that fails."""


def start_campaign(
    database: Database, catalog: Catalog, spec: CampaignSpec, clock: Clock, *, unproven: bool
) -> CampaignId:
    """Plan a campaign and let its runs begin; returns when all runs are inserted.

    Raises as `begin_campaign`.
    """
    campaign_id = begin_campaign(database, catalog, spec, clock, unproven=unproven)
    insert_plan(database, campaign_id, clock)
    return campaign_id


def begin_campaign(
    database: Database,
    catalog: Catalog,
    spec: CampaignSpec,
    clock: Clock,
    *,
    unproven: bool,
    request: CampaignRequest | None = None,
) -> CampaignId:
    """Write a campaign without its runs, which `insert_plan` or the scheduler insert.

    Raises InvalidInput that lists every unknown name; Refused when the budget pays for no run, or
    the verifier of a variant is not proved, unless `unproven`, which marks the campaign. Gate
    campaigns need no proof. Raises AskedBefore where the request was carried out already.
    """
    offered = offered_variants(catalog)
    resolved = resolve_spec(spec, offered)
    variants = [catalog.variant(*pair) for pair in variants_of(resolved, offered)]
    unproved = [] if spec.kind is CampaignKind.GATE else unproved_variants(database, variants)
    if not unproven:
        refuse_unproved(resolved, unproved)
    cells = plan_cells(resolved, variants, agent_walls(catalog, resolved, variants))
    refuse_unfit_budget(resolved, cells)
    with database.transaction() as session:
        campaign_id = create_campaign(
            session,
            resolved,
            cells,
            unproven=bool(unproved),
            now=clock.now(),
        )
        if request is not None:
            keep_request(session, campaign_id, request, clock.now())
    return CampaignId(campaign_id)


def agent_walls(
    catalog: Catalog, spec: CampaignSpec, variants: Sequence[Variant]
) -> dict[tuple[str, str], float]:
    """How long an agent may work on each (task, language), in seconds: the campaign's limit or the
    task's, times the language's factor."""
    walls: dict[tuple[str, str], float] = {}
    for task, language in ((variant.task, variant.language) for variant in variants):
        limit = spec.limits.agent_wall_s or catalog.task(task).limits.agent_wall_s
        walls[task, language] = limit * catalog.language(language).limit_factor
    return walls


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
    mark_planned(database, campaign_id)


def plan_by(insert: Insert | None, database: Database, campaign_id: str, clock: Clock) -> None:
    """Let `insert` insert the runs that are missing; without one, do it."""
    if insert is None:
        insert_plan(database, campaign_id, clock)
    else:
        insert(campaign_id)


def mark_planned(database: Database, campaign_id: str) -> None:
    """All runs of a campaign are inserted: it is running, if it was in planning."""
    with database.transaction() as session:
        change_campaign(session, campaign_id, (CampaignState.PLANNING,), CampaignState.RUNNING)


def pause_campaign(database: Database, campaign_id: str) -> None:
    """Give out no more work of a campaign; leased runs go on to the end of their stage.

    Raises NotFound, and Refused for a campaign that has ended.
    """
    with database.transaction() as session:
        _change(session, campaign_id, UNENDED, CampaignState.PAUSED)
        unqueue_campaign(session, campaign_id)


def interrupt_work(database: Database, campaign_id: str, clock: Clock) -> tuple[int, int]:
    """Take what is at work of a paused campaign back, uncounted; workers stop within seconds.

    Returns how many runs were taken back, and how many are at work still, which others were
    changing all the while. Those, and claims that were under way, are the scheduler's, as long as
    the campaign is paused. Raises NotFound, and Refused for one that isn't paused.
    """
    with database.transaction() as session:
        # In one with the first of them: the scheduler, which sees it then, takes what is left.
        _change(session, campaign_id, PAUSED, CampaignState.PAUSED, stops_work=True)
        interrupted = interrupt_campaign(session, campaign_id, clock.now())
    give_up = time.monotonic() + INTERRUPT_PATIENCE_S
    while True:
        while taken := interrupt_some(database, campaign_id, clock):
            interrupted += taken
        time.sleep(CLAIMS_TAKE_S)  # most that were passed over are free by then
        with database.read() as session:
            left = runs_leased(session, campaign_id)
        if not left or time.monotonic() > give_up:
            return interrupted, left


def interrupt_some(database: Database, campaign_id: str, clock: Clock) -> int:
    """Take back some of what is at work of a campaign, where it is paused; returns how many."""
    with database.transaction() as session:
        if campaign_row(session, campaign_id).state is not CampaignState.PAUSED:
            return 0
        return interrupt_campaign(session, campaign_id, clock.now())


def resume_campaign(
    database: Database, campaign_id: str, clock: Clock, insert: Insert | None = None
) -> None:
    """Go on with a paused campaign, and with its plan by `insert`, at once by default.

    Raises NotFound, and Refused for one that isn't paused or whose budget is used up.
    """
    refuse_used_up(database, campaign_id)
    with database.transaction() as session:
        campaign = campaign_row(session, campaign_id)
        whole = campaign.planned == campaign.total
        target = CampaignState.RUNNING if whole else CampaignState.PLANNING
        _change(
            session,
            campaign_id,
            PAUSED,
            target,
            planned_at=clock.now(),
            problem="",
            stops_work=False,
        )
    if not whole:
        plan_by(insert, database, campaign_id, clock)


def cancel_campaign(
    database: Database, campaign_id: str, clock: Clock, later: Later | None = None
) -> None:
    """End a campaign: what is at work ends at once, its workers stop with their next renewal.

    Runs that wait are ended by `later`, at once by default. Results that it has are kept. Raises
    NotFound, and Refused for one that has ended.
    """
    with database.transaction() as session:
        _change(session, campaign_id, UNENDED, CampaignState.CANCELLED, ended_at=clock.now())
    cancel_some(database, campaign_id, clock)
    rest = partial(_cancel_rest, database, campaign_id, clock)
    rest() if later is None else later(rest)


def _cancel_rest(database: Database, campaign_id: str, clock: Clock) -> None:
    while cancel_some(database, campaign_id, clock):
        pass


def cancel_some(database: Database, campaign_id: str, clock: Clock) -> int:
    """End some runs of a cancelled campaign; returns how many, 0 when none is left."""
    with database.transaction() as session:
        return end_cancelled_runs(session, campaign_id, clock.now(), CANCEL_BATCH)


def _change(
    session: Session,
    campaign_id: str,
    sources: tuple[CampaignState, ...],
    target: CampaignState,
    **values: object,
) -> None:
    state = campaign_row(session, campaign_id).state
    if not change_campaign(session, campaign_id, sources, target, **values):
        raise Refused(
            f"{campaign_id} is {state} and can't become {target}.",
            remedy=f"`gradefarm campaign status {campaign_id}` shows where it is.",
        )


def refuse_unproved(spec: CampaignSpec, variants: Sequence[Variant]) -> None:
    """Raise Refused, naming them, where there are unproved `variants`."""
    if not variants:
        return
    names = ", ".join(variant.name for variant in variants)
    tasks = dict.fromkeys(variant.task for variant in variants)
    commands = "; ".join(f"gradefarm gate run --task {task}" for task in tasks)
    raise Refused(
        f"campaign {spec.name}: the verifier of {names} is not proved in its present universe.",
        remedy=f"Prove it with {commands}, or start it with --unproven and publish nothing.",
    )
