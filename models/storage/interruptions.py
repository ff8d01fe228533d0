"""Takes runs out of the hands of living workers, without counting it against anybody.

The worker learns it within seconds, stops its sandbox and writes nothing; the run waits again.
"""

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from models.schemas.budget import UNKNOWN_USE
from models.schemas.campaign import CampaignState
from models.schemas.run import LEASED, RunState, Stage
from models.storage.attempts import close_attempt
from models.storage.budgets import Settled, attempt_facts, charge, settle_stage
from models.storage.campaigns import campaign_row
from models.storage.lease_transitions import GIVE_BACK
from models.storage.run_records import tell_log_of_void
from models.storage.transitions import any_run, in_states
from models.tables.campaigns import CampaignRow
from models.tables.runs import LEASED_STATES, RunRow
from models.verdicts import AttemptEnding, VoidCategory

MOST_AT_ONCE = 500
TO_STOP = select(CampaignRow.id).where(
    CampaignRow.state == CampaignState.PAUSED,
    CampaignRow.stops_work,
    any_run(
        in_states(LEASED_STATES),
        RunRow.campaign_pk == CampaignRow.pk,
        first_by=RunRow.lease_until,
    ),
)


def campaigns_to_stop(session: Session) -> list[str]:
    """Campaigns whose pause takes back what is at work, and that have some of it."""
    return list(session.connection().execute(TO_STOP).scalars())


def runs_leased(session: Session, campaign_id: str) -> int:
    """How many runs of a campaign are at work. Raises NotFound."""
    ours = RunRow.campaign_pk == campaign_row(session, campaign_id).pk
    leased = select(func.count()).select_from(RunRow).where(in_states(LEASED_STATES), ours)
    return session.execute(leased).scalar_one()


def interrupt_campaign(session: Session, campaign_id: str, now: float) -> int:
    """Take back up to 500 leased runs of a campaign; returns how many. Raises NotFound.

    A run that another transaction is changing is left out, and so is a claim that is under way:
    ask again until none is leased.
    """
    campaign = campaign_row(session, campaign_id)
    wanted = RunRow.campaign_pk == campaign.pk
    leased = _leased(wanted).with_for_update(skip_locked=True)
    return _interrupt(session, leased, now, "the campaign was paused")


def interrupt_all(session: Session, now: float, why: str) -> int:
    """Take back up to 500 leased runs, whoever holds them; returns how many."""
    return _interrupt(session, _leased().with_for_update(), now, why)


def _leased(*where: ColumnElement[bool]) -> "Select[int, int, RunState]":
    return (
        select(RunRow.id, RunRow.token, RunRow.state)
        .where(in_states(LEASED_STATES), *where)
        .order_by(RunRow.lease_until, RunRow.id)  # as their index has them
        .limit(MOST_AT_ONCE)
    )


def _interrupt(session: Session, leased: "Select[int, int, RunState]", now: float, why: str) -> int:
    taken = 0
    settled: list[Settled] = []
    for run_id, token, state in session.execute(leased).all():
        stage = Stage.AGENT if state is LEASED[Stage.AGENT] else Stage.GRADE
        moved = GIVE_BACK[stage].apply(session, run_id=run_id, held_token=token)
        if not moved:
            continue
        released = settle_stage(session, moved[0], UNKNOWN_USE, now)
        settled += released
        close_interrupted(session, (run_id, token), released, why, now)
        taken += 1
    charge(session, settled)
    return taken


def close_interrupted(
    session: Session, held: tuple[int, int], released: list[Settled], why: str, now: float
) -> None:
    """End an attempt, given as (run id, token), that the operator stopped; `released` is what it
    is charged, since nobody knows what it used."""
    tell_log_of_void(session, held, AttemptEnding.INTERRUPTED)
    close_attempt(
        session,
        *held,
        AttemptEnding.INTERRUPTED,
        now,
        category=VoidCategory.OPERATOR,
        detail=why,
        **attempt_facts(released, UNKNOWN_USE),
    )
