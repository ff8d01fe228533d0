"""Budgets of campaigns: reserved before a run starts, settled when its agent stage is over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Row,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import Session

from models.schemas.agents import SCRIPTED_AGENTS
from models.schemas.budget import MILLI, UNKNOWN_USE, Resource, Spend, Used
from models.storage.transitions import told_of_run
from models.storage.upserts import Upsert
from models.tables.attempts import AttemptRow
from models.tables.budgets import CampaignBudgetRow, ReservationRow
from models.tables.campaigns import CampaignRow
from models.tables.systems import SystemRow

SPENT = (Resource.COST, Resource.TOKENS)
"""What only systems in which a language model takes part use."""
LIMITED = (
    CampaignBudgetRow.campaign_pk == bindparam("of_campaign"),
    CampaignBudgetRow.total.is_not(None),
)
LEFT = (
    select(
        CampaignBudgetRow.resource,
        CampaignBudgetRow.run_cap,
        CampaignBudgetRow.total - CampaignBudgetRow.spent - CampaignBudgetRow.reserved,
    )
    .where(*LIMITED)
    .order_by(CampaignBudgetRow.resource)  # in one order, so that no two wait in a ring
    .with_for_update()
)
AGENT = select(SystemRow.agent).where(SystemRow.pk == bindparam("of_system"))
HOLD = (
    update(CampaignBudgetRow)
    .where(
        CampaignBudgetRow.campaign_pk == bindparam("of_campaign"),
        CampaignBudgetRow.resource
        == bindparam("of_resource", type_=CampaignBudgetRow.resource.type),
    )
    .values(reserved=CampaignBudgetRow.reserved + bindparam("amount"))
)
RESERVE = insert(ReservationRow)
RELEASE = (
    delete(ReservationRow)
    .where(ReservationRow.run_id == bindparam("of_run"), ReservationRow.token == bindparam("under"))
    .returning(ReservationRow.resource, ReservationRow.amount)
)
LEFT_OVER = (
    delete(ReservationRow)
    .where(ReservationRow.run_id == bindparam("of_run"), ReservationRow.token < bindparam("under"))
    .returning(ReservationRow.resource, ReservationRow.amount)
)
BEGAN = select(AttemptRow.started_at).where(
    AttemptRow.run_id == bindparam("of_run"), AttemptRow.token == bindparam("under")
)
CHARGE = Upsert(
    CampaignBudgetRow,
    lambda insert: insert.values(
        campaign_pk=bindparam("of_campaign"),
        resource=bindparam("of_resource", type_=CampaignBudgetRow.resource.type),
        run_cap=0,
        reserved=0,
        spent=bindparam("more"),
    ).on_conflict_do_update(
        index_elements=["campaign_pk", "resource"],
        set_={
            "reserved": CampaignBudgetRow.reserved - bindparam("released"),
            "spent": CampaignBudgetRow.spent + insert.excluded.spent,
        },
    ),
)


@dataclass(frozen=True)
class Settled:
    """What one attempt had reserved of a resource, and what it is charged."""

    campaign_pk: int
    resource: Resource
    released: int
    charged: int


def in_budgeted_campaign() -> ColumnElement[Any]:
    """Not None for a run whose campaign keeps accounts of anything; None for almost every run."""
    return told_of_run(
        "SELECT kept.campaign_pk FROM campaign_budgets AS kept"
        " WHERE kept.campaign_pk = runs.campaign_pk LIMIT 1",
        Integer,
    )


def affordable_runs(*resources: Resource) -> ColumnElement[Any]:
    """How many more runs the budgets of a campaign for `resources` allow; None without a limit."""
    left = CampaignBudgetRow.total - CampaignBudgetRow.spent - CampaignBudgetRow.reserved
    return (
        select(func.min(left // CampaignBudgetRow.run_cap))
        .where(
            CampaignBudgetRow.campaign_pk == CampaignRow.pk,
            CampaignBudgetRow.resource.in_(resources),
            CampaignBudgetRow.total.is_not(None),
        )
        .correlate(CampaignRow)
        .scalar_subquery()
    )


def spends() -> ColumnElement[bool]:
    """Whether a system may use money and tokens: not where no language model can take part."""
    return SystemRow.agent.not_in(sorted(SCRIPTED_AGENTS))


def reserve(session: Session, run_id: int, token: int, campaign_pk: int, system_pk: int) -> bool:
    """Hold what the agent stage of a run may use; False, with nothing held, where that is more
    than is left.

    An agent in which no language model takes part uses neither money nor tokens.
    """
    connection = session.connection()
    found = connection.execute(LEFT, {"of_campaign": campaign_pk}).all()
    if not found:
        return True
    if _settle_left_over(session, run_id, token, campaign_pk):
        found = connection.execute(LEFT, {"of_campaign": campaign_pk}).all()
    agent = connection.execute(AGENT, {"of_system": system_pk}).scalar_one()
    amounts: dict[Resource, int] = {}
    for resource, cap, left in found:
        if agent in SCRIPTED_AGENTS and resource in SPENT:
            continue
        if cap > left:
            return False
        amounts[resource] = cap
    for resource, amount in amounts.items():
        held = {"of_campaign": campaign_pk, "of_resource": resource, "amount": amount}
        connection.execute(HOLD, held)
    if amounts:
        ours = {"run_id": run_id, "token": token, "campaign_pk": campaign_pk}
        rows = [{**ours, "resource": name, "amount": held} for name, held in amounts.items()]
        connection.execute(RESERVE, rows)
    return True


def _settle_left_over(session: Session, run_id: int, token: int, campaign_pk: int) -> bool:
    """Charge what earlier attempts of a run still hold: a scheduler that knows no budgets took
    them away, and nobody knows what they used. Whether there was any."""
    earlier = {"of_run": run_id, "under": token}
    held = session.connection().execute(LEFT_OVER, earlier).all()
    unknown = UNKNOWN_USE.charge
    charge(session, [Settled(campaign_pk, row[0], row[1], unknown(row[0], row[1])) for row in held])
    return bool(held)


def settle(
    session: Session,
    held: tuple[int, int],
    campaign_pk: int,
    used: Used,
    until: float | None = None,
) -> list[Settled]:
    """Release what an attempt, given as (run id, token), had reserved; to be charged by `charge`
    in the same transaction.

    Time that is not known is counted `until` then, where the attempt is known to have ended.
    What it used of a resource that nothing limits is charged as well, as far as it is known.
    """
    ours = {"of_run": held[0], "under": held[1]}
    reserved = {row[0]: row[1] for row in session.connection().execute(RELEASE, ours)}
    if Resource.WALL in reserved and used.wall_ms is None and until is not None:
        began = session.connection().execute(BEGAN, ours).scalar_one()
        used = used.model_copy(update={"wall_ms": max(0, round((until - began) * MILLI))})
    settled = [
        Settled(campaign_pk, resource, amount, used.charge(resource, amount))
        for resource, amount in reserved.items()
    ]
    for resource in (Resource.COST, Resource.TOKENS):
        if resource not in reserved and (amount := used.of(resource)):
            settled.append(Settled(campaign_pk, resource, 0, amount))
    return settled


def settle_stage(
    session: Session, left: Row[*tuple[Any, ...]], used: Used, until: float | None = None
) -> list[Settled]:
    """What a run that left a stage is to be charged; for most of them nothing is asked.

    `left` is the row of the transition, which tells of the agent stage whether its campaign is
    `budgeted`. `until` as in `settle`.
    """
    budgeted = getattr(left, "budgeted", None) is not None
    if not budgeted and not used.cost_microusd and not used.tokens:
        return []
    return settle(session, (left.id, left.token), left.campaign_pk, used, until)


def charge(session: Session, settled: Iterable[Settled]) -> None:
    """Write what settled attempts cost. In one order always, so that no two wait in a ring."""
    for each in sorted(settled, key=lambda one: (one.campaign_pk, one.resource)):
        CHARGE.run(
            session,
            of_campaign=each.campaign_pk,
            of_resource=each.resource,
            more=each.charged,
            released=each.released,
        )


def attempt_facts(settled: Iterable[Settled], used: Used) -> dict[str, object]:
    """What an attempt keeps of it: what it was charged, else what it used."""
    charged = {each.resource: each.charged for each in settled}
    return {
        "cost_microusd": charged.get(Resource.COST, used.cost_microusd),
        "tokens": charged.get(Resource.TOKENS, used.tokens),
    }


def open_budget(
    session: Session,
    campaign_pk: int,
    totals: Mapping[Resource, int],
    run_caps: Mapping[Resource, int],
) -> None:
    """Begin the budget of a new campaign. `run_caps` has every resource of `totals`."""
    for resource, total in totals.items():
        session.add(
            CampaignBudgetRow(
                campaign_pk=campaign_pk,
                resource=resource,
                total=total,
                run_cap=run_caps[resource],
                reserved=0,
                spent=0,
            )
        )
    session.flush()


def read_spend(session: Session, campaign_pk: int) -> dict[Resource, Spend]:
    """Every resource that a campaign keeps accounts of."""
    kept = select(CampaignBudgetRow).where(CampaignBudgetRow.campaign_pk == campaign_pk)
    fresh = kept.order_by(CampaignBudgetRow.resource).execution_options(populate_existing=True)
    fields = tuple(Spend.model_fields)
    return {
        row.resource: Spend.model_validate({name: getattr(row, name) for name in fields})
        for row in session.execute(fresh).scalars()
    }


def limit_resource(
    session: Session, campaign_pk: int, resource: Resource, total: int, run_cap: int
) -> bool:
    """Set what a campaign may use of a resource; False where more is spent or reserved already,
    or what is left beside what is spent is less than one run reserves."""
    CHARGE.run(session, of_campaign=campaign_pk, of_resource=resource, more=0, released=0)
    changed = session.execute(
        update(CampaignBudgetRow)
        .where(
            CampaignBudgetRow.campaign_pk == campaign_pk,
            CampaignBudgetRow.resource == resource,
            CampaignBudgetRow.spent + CampaignBudgetRow.reserved <= total,
            CampaignBudgetRow.spent + run_cap <= total,
        )
        .values(total=total, run_cap=run_cap)
        .returning(CampaignBudgetRow.campaign_pk)
        .execution_options(synchronize_session=False)
    )
    return changed.scalar_one_or_none() is not None
