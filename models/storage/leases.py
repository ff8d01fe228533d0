"""The right to work on a run: given out, renewed, used up, given back, taken away.

Every function takes a writing session, so that a change and what it brings are one commit.
`now` is the time of `database_clock.shared_clock`.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, bindparam, func, select, tuple_, update
from sqlalchemy.orm import Session

from models.errors import LeaseLost
from models.schemas.attempt import AgentResult, GradeResult, Resources, StageVoid
from models.schemas.budget import MILLI, UNKNOWN_USE, Used
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunOrder, RunState, Stage
from models.storage.admission import admit
from models.storage.attempts import close_attempt, has_ended, open_attempt
from models.storage.budgets import (
    Settled,
    attempt_facts,
    charge,
    settle_stage,
)
from models.storage.failed_tries import LONGEST_BACKOFF_S, take_back
from models.storage.isolations import note_isolation
from models.storage.lease_transitions import (
    CLAIM,
    FREEZE,
    GIVE_BACK,
    GRADE,
    NOT_YET,
    THIS_LEASE,
)
from models.storage.orders import read_order
from models.storage.reply_counts import replies_text
from models.storage.report_writing import refuse_unfit_report, store_report
from models.storage.run_records import (
    close_record,
    keep_stage_record,
    tell_log_of_void,
)
from models.storage.tallies import graded_ending, tally
from models.storage.transitions import in_states
from models.tables.runs import LEASED_STATES, RunRow
from models.verdicts import AttemptEnding, VoidCategory

HELD = tuple_(RunRow.id, RunRow.token).in_(bindparam("held", expanding=True))
# Named besides the pairs, so that rows are found by their key.
THESE = RunRow.id.in_(bindparam("run_ids", expanding=True))
RENEW = (
    update(RunRow)
    .where(THESE, HELD, in_states(LEASED_STATES))
    .values(lease_until=bindparam("new_end"))
    .returning(RunRow.id)
)
IS_HELD = select(RunRow.id).where(*THIS_LEASE, in_states(LEASED_STATES))
HELD_AND_CANCELLED = select(RunRow.id).where(THESE, HELD, RunRow.state == RunState.CANCELLED)
DUE = (
    select(RunRow.id, RunRow.token, RunRow.campaign_pk)
    .where(in_states(LEASED_STATES), RunRow.lease_until < bindparam("now"))
    .order_by(RunRow.lease_until)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
FIRST_END = select(func.min(RunRow.lease_until)).where(in_states(LEASED_STATES))


class LeaseAnswer(StrEnum):
    """What became of a lease that a worker asked to renew.

    LOST and CANCELLED both mean: stop the sandbox and write nothing.
    """

    HELD = "held"
    LOST = "lost"
    CANCELLED = "cancelled"


def claim(
    session: Session, run_id: int, stage: Stage, worker: str, now: float, terms: LeaseTerms
) -> RunOrder | None:
    """Take the lease of one stage of a run for `terms.lease_s`, and open an attempt.

    None means that the stage isn't to be done (done, done by another, paused, cancelled, unknown,
    in a farm that moved on to another protocol), or that the run may not start yet (its system is
    at its limit, the campaign's budget is used up) and waits again: forget the message.
    """
    moved = CLAIM[stage].apply(
        session, run_id=run_id, new_lease_until=now + terms.lease_s, new_worker=worker
    )
    if not moved or (stage is Stage.AGENT and not _may_start(session, moved[0], now)):
        return None
    token = moved[0].token
    attempt_id, number = open_attempt(session, run_id, token, stage, worker, now)
    return read_order(session, run_id, stage, attempt_id, number)


def _may_start(session: Session, claimed: Row[*tuple[Any, ...]], now: float) -> bool:
    """Whether limits and budget let a run begin that was just leased; else it waits again."""
    if claimed.limited is None and claimed.budgeted is None:
        return True
    run = (claimed.id, claimed.token)
    again = admit(session, run, claimed.campaign_pk, claimed.system_pk, now)
    if again is None:
        return True
    wait = min(again, now + LONGEST_BACKOFF_S)
    NOT_YET.apply(session, run_id=run[0], held_token=run[1], new_not_before=wait)
    return False


def renew(
    session: Session, held: Sequence[tuple[int, int]], now: float, terms: LeaseTerms
) -> dict[int, LeaseAnswer]:
    """Renew all leases of a worker process, given as (run id, token), in one statement."""
    if not held:
        return {}
    ours = {"run_ids": [run for run, _ in held], "held": list(held)}
    connection = session.connection()
    renewed = connection.execute(RENEW, {**ours, "new_end": now + terms.lease_s}).scalars()
    answers = dict.fromkeys((run for run, _ in held), LeaseAnswer.LOST)
    answers.update(dict.fromkeys(renewed, LeaseAnswer.HELD))
    if LeaseAnswer.LOST in answers.values():
        cancelled = connection.execute(HELD_AND_CANCELLED, ours).scalars()
        answers.update(dict.fromkeys(cancelled, LeaseAnswer.CANCELLED))
    return answers


def is_held(session: Session, run_id: int, token: int) -> bool:
    """Whether a run is still leased under `token`. Reads one row by its key."""
    ours = {"run_id": run_id, "held_token": token}
    return session.connection().execute(IS_HELD, ours).first() is not None


def finish_agent(session: Session, order: RunOrder, result: AgentResult, now: float) -> None:
    """Close the agent stage: the run is frozen and waits to be graded.

    Does nothing where this attempt is closed so already: whoever lost the answer to a commit has
    to write again. Raises LeaseLost when the lease is not held any more; the attempt is then kept
    as fenced and nothing else changes.
    """
    facts: dict[str, object] = {
        "stop_reason": result.stop_reason,
        "snapshot": result.snapshot,
        "transcript": result.transcript,
        "toolchain": result.toolchain,
        "isolation": result.isolation,
        **_used(result.resources),
    }
    if result.replies is not None:
        facts["replies"] = replies_text(result.replies)
    moved = FREEZE.apply(
        session,
        run_id=order.run_id,
        held_token=order.token,
        new_snapshot=result.snapshot,
        new_stop_reason=result.stop_reason,
        new_changed=result.changed,
    )
    if not moved:
        _refuse(session, order, AttemptEnding.OK, now, **facts)
        return
    used = _used_by(result)
    settled = settle_stage(session, moved[0], used)
    facts |= attempt_facts(settled, used)
    close_attempt(session, order.run_id, order.token, AttemptEnding.OK, now, **facts)
    charge(session, settled)
    note_isolation(session, moved[0].campaign_pk, result.isolation)
    if result.record is not None:
        keep_stage_record(session, order.run_id, result.record)


def finish_grade(session: Session, order: RunOrder, result: GradeResult, now: float) -> None:
    """Write the verdict, once; a second time does nothing.

    Raises LeaseLost like `finish_agent`; Infrastructure (manifest_mismatch) for a report of
    another universe than the run's, and (grader) for a void verdict, which is `void_attempt`'s.
    """
    refuse_unfit_report(order, result)
    facts = {
        "toolchain": result.toolchain,
        "isolation": result.isolation,
        **_used(result.resources),
    }
    moved = GRADE.apply(session, run_id=order.run_id, held_token=order.token, new_ended_at=now)
    if not moved:
        _refuse(session, order, AttemptEnding.OK, now, **facts)
        return
    close_attempt(session, order.run_id, order.token, AttemptEnding.OK, now, **facts)
    note_isolation(session, moved[0].campaign_pk, result.isolation)
    store_report(session, order, result, now)
    if result.record is not None:
        close_record(session, order.run_id, result.record)
    ending = graded_ending(result.verdict, result.undelivered)
    tally(session, Counter([(moved[0].cell_pk, ending)]))


def void_attempt(session: Session, order: RunOrder, void: StageVoid, now: float) -> None:
    """The farm could not do its part: try this stage again, or end the run as void.

    Does nothing a second time. Raises LeaseLost like `finish_agent`.
    """
    taken = take_back(session, (order.run_id, order.token), void.category, now, void.used)
    if taken is None:
        told = {"detail": void.detail, "toolchain": void.toolchain}
        _refuse(session, order, AttemptEnding.VOID, now, **told)
        return
    tell_log_of_void(session, (order.run_id, order.token), void.category)
    close_attempt(
        session,
        order.run_id,
        order.token,
        AttemptEnding.VOID,
        now,
        category=void.category,
        detail=void.detail,
        toolchain=void.toolchain,
        **taken.facts,
    )
    charge(session, taken.settled)
    tally(session, taken.endings)


def give_back(
    session: Session, order: RunOrder, detail: str, now: float, used: Used = UNKNOWN_USE
) -> bool:
    """End the attempt as interrupted, without counting it; the run waits again.

    `used` is what it used until then. False when the lease was not held any more; never raises
    for that.
    """
    moved = GIVE_BACK[order.stage].apply(session, run_id=order.run_id, held_token=order.token)
    if not moved:
        return False
    tell_log_of_void(session, (order.run_id, order.token), AttemptEnding.INTERRUPTED)
    settled = settle_stage(session, moved[0], used, now)
    close_attempt(
        session,
        order.run_id,
        order.token,
        AttemptEnding.INTERRUPTED,
        now,
        detail=detail,
        **attempt_facts(settled, used),
    )
    charge(session, settled)
    return True


def expire(session: Session, now: float, limit: int) -> list[int]:
    """Take away up to `limit` leases that ended before `now`; their attempts are lost.

    Returns the ids of the runs, by campaign: in one order always, so that no two wait in a ring.
    """
    expired: list[int] = []
    endings: Counter[tuple[int, str]] = Counter()
    settled: list[Settled] = []
    due = session.connection().execute(DUE, {"now": now, "at_most": limit}).all()
    for run_id, token, _ in sorted(due, key=lambda row: (row[2], row[0])):
        taken = take_back(session, (run_id, token), VoidCategory.WORKER_LOST, now, UNKNOWN_USE)
        if taken is None:
            continue
        tell_log_of_void(session, (run_id, token), VoidCategory.WORKER_LOST)
        close_attempt(
            session,
            run_id,
            token,
            AttemptEnding.LOST,
            now,
            category=VoidCategory.WORKER_LOST,
            detail="the lease ended without a sign of life",
            **taken.facts,
        )
        expired.append(run_id)
        endings += taken.endings
        settled += taken.settled
    charge(session, settled)
    tally(session, endings)
    return expired


def earliest_lease_end(session: Session) -> float | None:
    """When the next lease runs out, None where nothing is leased."""
    return session.connection().execute(FIRST_END).scalar_one()


def _refuse(
    session: Session, order: RunOrder, written: AttemptEnding, now: float, **facts: object
) -> None:
    """Keep what a worker without a lease brought, as a fenced attempt, and tell it.

    Not where the attempt ended as `written` already: then the worker had the lease and wrote this
    very result, and only the answer to its commit was lost.
    """
    if has_ended(session, order.run_id, order.token, written):
        return
    close_attempt(
        session,
        order.run_id,
        order.token,
        AttemptEnding.FENCED,
        now,
        **{"category": VoidCategory.LEASE_EXPIRED, **facts},
    )
    raise LeaseLost(
        f"run {order.run_id}: the {order.stage} stage is no longer held under token "
        f"{order.token}; the attempt is kept as fenced and counts for nothing.",
        remedy="Nothing to do. If this happens often, raise GRADEFARM_LEASE_S.",
    )


def _used_by(result: AgentResult) -> Used:
    return Used(
        cost_microusd=result.cost_microusd,
        tokens=result.tokens,
        wall_ms=round(result.resources.wall_s * MILLI),
    )


def _used(resources: Resources) -> dict[str, object]:
    return {
        "wall_s": resources.wall_s,
        "cpu_s": resources.cpu_s,
        "peak_memory_bytes": resources.peak_memory_bytes,
    }
