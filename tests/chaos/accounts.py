"""The books of a farm after a storm: is nothing held, and is everything counted that happened?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.schemas.budget import MILLI, Resource
from models.schemas.run import Stage
from models.tables.attempt_tallies import AttemptTallyRow
from models.tables.budgets import CampaignBudgetRow, ReservationRow
from models.tables.outbox import OutboxRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding

Sum = tuple[int, int]
"""The least and the most that it can be."""
LOST_OR_LATE = (AttemptEnding.LOST, AttemptEnding.FENCED)


def unsettled(session: Session, attempts: Sequence[Any]) -> Iterator[str]:
    """One sentence for everything in the books that is not as `attempts` say. All runs have ended.

    An attempt that is fenced may have been lost before, and was then counted as lost as well.
    """
    for held in session.execute(select(ReservationRow.__table__)):
        yield f"run {held.run_id} has ended, and {held.amount} of {held.resource} is still held"
    unsent = session.execute(select(func.count()).select_from(OutboxRow)).scalar_one()
    if unsent:
        yield f"{unsent} messages were never sent"
    runs = session.execute(
        select(RunRow.id, RunRow.campaign_pk, RunRow.agent_tries, RunRow.grade_tries)
    ).all()
    campaign_of: dict[int, int] = {run.id: run.campaign_pk for run in runs}
    yield from _tallies(session, attempts, campaign_of)
    yield from _tries(attempts, runs)
    yield from _budgets(session, attempts, campaign_of)


def _tallies(
    session: Session, attempts: Sequence[Any], campaign_of: Mapping[int, int]
) -> Iterator[str]:
    found = Counter((campaign_of[a.run_id], a.ending, a.category) for a in attempts)
    fenced: Counter[int] = Counter()
    for (campaign, ending, _), count in found.items():
        fenced[campaign] += count if ending is AttemptEnding.FENCED else 0
    told = {
        (row.campaign_pk, row.ending, row.category): row.attempts
        for row in session.execute(select(AttemptTallyRow.__table__))
    }
    for key in told.keys() | {
        key for key in found if key[1] in (*LOST_OR_LATE, AttemptEnding.VOID)
    }:
        campaign, ending, category = key
        least = most = found[key]
        if ending is AttemptEnding.LOST:
            most += fenced[campaign]
        count = told.get(key, 0)
        if not least <= count <= most:
            yield f"campaign {campaign}: {least} attempts are {ending} ({category}), tally {count}"


def _tries(attempts: Sequence[Any], runs: Sequence[Any]) -> Iterator[str]:
    """Every try that the farm spoiled was counted, and no other."""
    found = Counter((a.run_id, a.stage, a.ending) for a in attempts)
    for run in runs:
        for stage, tries in ((Stage.AGENT, run.agent_tries), (Stage.GRADE, run.grade_tries)):
            least = found[run.id, stage, AttemptEnding.VOID]
            least += found[run.id, stage, AttemptEnding.LOST]
            most = least + found[run.id, stage, AttemptEnding.FENCED]
            if not least <= tries <= most:
                yield f"run {run.id}: {tries} tries of the {stage} stage counted, not {least}"


def _budgets(
    session: Session, attempts: Sequence[Any], campaign_of: Mapping[int, int]
) -> Iterator[str]:
    for budget in session.execute(select(CampaignBudgetRow.__table__)):
        name = f"campaign {budget.campaign_pk}: {budget.resource}"
        ours = [
            a
            for a in attempts
            if a.stage is Stage.AGENT and campaign_of[a.run_id] == budget.campaign_pk
        ]
        least, most = _charged(budget, ours)
        if budget.reserved:
            yield f"{name}: {budget.reserved} is still reserved"
        if not least <= budget.spent <= most:
            yield f"{name}: {budget.spent} is spent, attempts make {least} to {most}"
        if budget.total is not None and budget.spent > budget.total:
            yield f"{name}: {budget.spent} of {budget.total} is spent"


def _charged(budget: Any, attempts: Sequence[Any]) -> Sum:
    """What all attempts together were charged. Money and tokens are kept with each; of time, what
    one that was done took is known, one that was lost is charged all that it had reserved, and
    any other at most that."""
    if budget.resource is not Resource.WALL:
        column = "cost_microusd" if budget.resource is Resource.COST else "tokens"
        known = sum(getattr(a, column) or 0 for a in attempts)
        return known, known
    done = sum(
        min(round((a.wall_s or 0.0) * MILLI), budget.run_cap)
        for a in attempts
        if a.ending is AttemptEnding.OK
    )
    endings = Counter(a.ending for a in attempts)
    least = done + endings[AttemptEnding.LOST] * budget.run_cap
    return least, least + budget.run_cap * (
        endings.total() - endings[AttemptEnding.OK] - endings[AttemptEnding.LOST]
    )
