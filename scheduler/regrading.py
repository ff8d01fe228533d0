"""Grades the frozen snapshots of a campaign again, in the present universe, without any agent."""

from collections.abc import Sequence

from models.clock import Clock
from models.errors import Refused
from models.identifiers import CampaignId
from models.schemas.campaign import ENDED, CampaignKind
from models.schemas.campaign_progress import CampaignView
from models.schemas.campaign_request import CampaignRequest
from models.schemas.task import Variant
from models.storage.campaign_endings import cancelled_with_work
from models.storage.campaign_requests import keep_request
from models.storage.campaigns import find_campaign, variants_asked
from models.storage.plans import create_campaign
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import (
    insert_plan,
    offered_variants,
    refuse_unproved,
    unproved_variants,
)
from scheduler.planning import plan_cells
from tasks_catalog.catalog import Catalog


def start_regrade(
    database: Database, catalog: Catalog, source_id: str, clock: Clock, *, unproven: bool
) -> CampaignId:
    """Plan a regrade; returns when all runs are inserted. Raises as `begin_regrade`."""
    campaign_id = begin_regrade(database, catalog, source_id, clock, unproven=unproven)
    insert_plan(database, campaign_id, clock)
    return campaign_id


def begin_regrade(
    database: Database,
    catalog: Catalog,
    source_id: str,
    clock: Clock,
    *,
    unproven: bool,
    request: CampaignRequest | None = None,
) -> CampaignId:
    """Write a campaign whose runs begin frozen, as those of `source_id` ended, without these runs.

    Every snapshot is graded from scratch; runs that left none, and cancelled ones, end as they
    did. Raises NotFound; Refused for a source that is a gate or itself a regrade, has not ended or
    was never wholly planned, for variants that are no longer there, and as `begin_campaign` for
    unproved ones; AskedBefore where the request was carried out already.
    """
    with database.read() as session:
        source = find_campaign(session, source_id)
        asked = variants_asked(session, source_id)
        ending = source_id in cancelled_with_work(session)
    _refuse_unfit(source, ending=ending)
    variants = present_variants(catalog, source_id, asked)
    unproved = unproved_variants(database, variants)
    if not unproven:
        refuse_unproved(source.spec, unproved)
    with database.transaction() as session:
        campaign_id = create_campaign(
            session,
            source.spec,
            plan_cells(source.spec, variants),
            unproven=bool(unproved),
            now=clock.now(),
            regrades=source_id,
        )
        if request is not None:
            keep_request(session, campaign_id, request, clock.now())
    return CampaignId(campaign_id)


def present_variants(
    catalog: Catalog, source_id: str, asked: Sequence[Variant]
) -> tuple[Variant, ...]:
    """`asked` in today's universes, in the same order. Raises Refused where one is gone."""
    offered = offered_variants(catalog)
    gone = [one.name for one in asked if one.language not in offered.get(one.task, ())]
    if gone:
        raise Refused(
            f"{source_id} can't be graded again: the catalogue no longer has {', '.join(gone)}.",
            remedy="Bring the task or the language back, if only for this.",
        )
    return tuple(catalog.variant(one.task, one.language) for one in asked)


def _refuse_unfit(source: CampaignView, *, ending: bool) -> None:
    if source.kind is CampaignKind.GATE:
        raise Refused(
            f"{source.id} is a gate.", remedy="Prove its verifiers again: `gradefarm gate run`."
        )
    if source.regrades is not None:
        raise Refused(
            f"{source.id} grades snapshots of {source.regrades}.",
            remedy=f"Grade those again: `gradefarm regrade {source.regrades}`.",
        )
    if source.state not in ENDED:
        raise Refused(
            f"{source.id} has not ended: it is {source.state}.",
            remedy=f"Wait for it (`gradefarm campaign watch {source.id}`), or cancel it.",
        )
    if ending:
        raise Refused(
            f"{source.id} was cancelled, and its runs are still being ended.",
            remedy="Try again in a moment; the scheduler ends them (`gradefarm scheduler`).",
        )
    if source.planned < source.total:
        raise Refused(
            f"{source.id} was cancelled before it was wholly planned.",
            remedy="Start the campaign anew; there is little to grade again.",
        )
