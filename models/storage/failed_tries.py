"""Counts tries that the farm could not do: the run waits and is tried again, or ends void."""

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from models.schemas.budget import Used
from models.schemas.run import LEASED, Stage
from models.storage.budgets import Settled, attempt_facts, settle_stage
from models.storage.lease_transitions import GIVE_UP, RETRY, THIS_LEASE
from models.storage.tallies import void_ending
from models.storage.transitions import in_states
from models.tables.campaigns import CampaignRow
from models.tables.runs import LEASED_STATES, RunRow
from models.verdicts import MACHINE_BOUND, VoidCategory

BACKOFF_S = 0.5
MACHINE_BACKOFF_S = 10.0
"""Doubled for each try: long enough for a worker to notice that it is the one at fault."""
LONGEST_BACKOFF_S = 30.0

TRIES = (
    select(RunRow.state, RunRow.agent_tries, RunRow.grade_tries, CampaignRow.max_attempts)
    .select_from(RunRow)
    .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
    .where(*THIS_LEASE, in_states(LEASED_STATES))
)


@dataclass(frozen=True)
class TakenBack:
    """A lease that ended in a failed try: what there is to tally, to charge, and to keep."""

    endings: Counter[tuple[int, str]]
    settled: list[Settled]
    facts: dict[str, object]


def take_back(
    session: Session, held: tuple[int, int], category: VoidCategory, now: float, used: Used
) -> TakenBack | None:
    """Count a failed try: the run waits again, or is void after the last one it had.

    None when the lease was not held, given as (run id, token).
    """
    ours = {"run_id": held[0], "held_token": held[1]}
    row = session.connection().execute(TRIES, ours).one_or_none()
    if row is None:
        return None
    state, agent_tries, grade_tries, max_attempts = row
    stage = Stage.AGENT if state is LEASED[Stage.AGENT] else Stage.GRADE
    tries = (agent_tries if stage is Stage.AGENT else grade_tries) + 1
    counted = {f"new_{stage}_tries": tries}
    if tries < max_attempts:
        first = MACHINE_BACKOFF_S if category in MACHINE_BOUND else BACKOFF_S * 2
        again = now + min(LONGEST_BACKOFF_S, first * 2 ** (tries - 1))
        moved = RETRY[stage].apply(session, **ours, **counted, new_not_before=again)
    else:
        moved = GIVE_UP[stage].apply(
            session, **ours, **counted, new_void_category=category, new_ended_at=now
        )
    if not moved:
        return None
    ended = [(moved[0].cell_pk, void_ending(category))] if tries >= max_attempts else []
    # Nobody saw when a lost worker stopped.
    until = None if category is VoidCategory.WORKER_LOST else now
    settled = settle_stage(session, moved[0], used, until)
    return TakenBack(Counter(ended), settled, attempt_facts(settled, used))
