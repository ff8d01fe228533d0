"""Budgets of campaigns: raised or set while they go on, and looked at when nothing can start."""

from collections.abc import Sequence

from models.errors import Refused
from models.schemas.budget import Budget, Resource, Spend, amount_text, in_units
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.plan import PlannedCell
from models.storage.budgets import limit_resource, read_spend
from models.storage.campaign_endings import used_up_campaigns
from models.storage.campaign_states import change_campaign, note_problem
from models.storage.campaigns import campaign_row
from models.storage.plans import run_caps
from models.storage.transaction import Database

OPTIONS = {Resource.COST: "--cost-usd", Resource.TOKENS: "--tokens", Resource.WALL: "--wall-s"}
LIMITS = {
    Resource.COST: "agent_cost_usd",
    Resource.TOKENS: "agent_tokens",
    Resource.WALL: "agent_wall_s",
}


def set_budget(database: Database, campaign_id: str, budget: Budget) -> dict[Resource, Spend]:
    """Let a campaign use so much in all; what `budget` does not name stays as it is.

    Returns what it has now. Raises NotFound; Refused where no further run could reserve its part,
    or more is used or reserved already.
    """
    with database.transaction() as session:
        campaign = campaign_row(session, campaign_id)
        before = read_spend(session, campaign.pk)
        limits = CampaignSpec.model_validate_json(campaign.spec).limits
        caps = in_units(limits.agent_cost_usd, limits.agent_tokens, limits.agent_wall_s)
        for resource, total in sorted(budget.totals().items()):
            kept = before.get(resource, Spend(spent=0, reserved=0))
            cap = kept.run_cap or caps.get(resource, 0)
            if not cap:
                raise Refused(
                    f"{campaign_id} has no {LIMITS[resource]} below [limits]: a run could not "
                    f"reserve its part of a budget of {resource}.",
                    remedy=f"Start a campaign whose file sets {LIMITS[resource]}.",
                )
            if not limit_resource(session, campaign.pk, resource, total, cap):
                raise _too_little(campaign_id, resource, total, kept, cap)
        return read_spend(session, campaign.pk)


def _too_little(campaign_id: str, resource: Resource, total: int, kept: Spend, cap: int) -> Refused:
    least = kept.spent + max(kept.reserved, cap)
    return Refused(
        f"{amount_text(resource, total)} would start no run of {campaign_id}: it has used or "
        f"reserved {amount_text(resource, kept.spent + kept.reserved)} already, and one run may "
        f"use {amount_text(resource, cap)}.",
        remedy=f"Give {OPTIONS[resource]} at least {amount_text(resource, least)}, or pause or "
        "cancel the campaign.",
    )


def refuse_unfit_budget(spec: CampaignSpec, cells: Sequence[PlannedCell]) -> None:
    """Raise Refused where the budget of a new campaign is less than one of its runs may use, by
    the time that its tasks and languages give as well."""
    caps = run_caps(spec, cells)
    for resource, total in spec.budget.totals().items():
        if total < (cap := caps.get(resource, 0)):
            raise Refused(
                f"campaign {spec.name}: a budget of {amount_text(resource, total)} would start no "
                f"run, since one may use {amount_text(resource, cap)}.",
                remedy=f"Below [budget] give at least that, or lower {LIMITS[resource]} below "
                "[limits].",
            )


def pause_used_up(database: Database) -> int:
    """Pause campaigns whose budget pays for no more run; returns how many.

    Their problem says what is used up, and how to go on.
    """
    with database.read() as session:
        found = used_up_campaigns(session)
    paused = 0
    for campaign_id in found:
        with database.transaction() as session:
            if not used_up_campaigns(session, campaign_id):
                continue
            spend = read_spend(session, campaign_row(session, campaign_id).pk)
            problem = f"{used_up(spend)} {way_on(campaign_id, spend)}"
            running = (CampaignState.RUNNING,)
            paused += change_campaign(session, campaign_id, running, CampaignState.PAUSED)
            note_problem(session, campaign_id, problem)
    return paused


def refuse_used_up(database: Database, campaign_id: str) -> None:
    """Raise Refused where a campaign could not go on if it were resumed: its budget is used up."""
    with database.read() as session:
        if used_up_campaigns(session, campaign_id):
            spend = read_spend(session, campaign_row(session, campaign_id).pk)
            raise Refused(used_up(spend), remedy=way_on(campaign_id, spend))


def used_up(spend: dict[Resource, Spend]) -> str:
    """What of a budget is used up."""
    gone = {resource: one for resource, one in spend.items() if one.is_used_up}
    told = ", ".join(
        f"{amount_text(resource, one.spent)} of {amount_text(resource, one.total or 0)}, and one "
        f"run may use {amount_text(resource, one.run_cap)}"
        for resource, one in gone.items()
    )
    return f"the budget is used up: {told}."


def way_on(campaign_id: str, spend: dict[Resource, Spend]) -> str:
    """How to go on with a campaign whose budget is used up."""
    gone = [OPTIONS[resource] for resource, one in spend.items() if one.is_used_up]
    options = " ".join(f"{option} …" for option in gone)
    return (
        f"Go on with `gradefarm campaign budget {campaign_id} {options}`, then "
        f"`gradefarm campaign resume {campaign_id}`."
    )
