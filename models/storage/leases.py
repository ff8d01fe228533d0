"""The right to work on a run: given out, renewed, used up, given back, taken away.

Every function takes a writing session, so that a change and what it brings are one commit.
`now` is the time of `database_clock.shared_clock`.
"""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import NoReturn

from sqlalchemy import bindparam, func, insert, select, tuple_, update
from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.errors import Infrastructure, LeaseLost
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.attempt import AgentResult, GradeResult, Resources, StageVoid
from models.schemas.check_report import CheckReport
from models.schemas.gate import GateEvidence
from models.schemas.lease import LeaseTerms
from models.schemas.run import LEASED, QUEUED, WAITING, RunOrder, RunState, Stage
from models.storage.attempts import close_attempt, open_attempt
from models.storage.campaign_states import in_active_campaign
from models.storage.isolations import note_isolation
from models.storage.orders import read_order
from models.storage.tallies import graded_ending, tally, void_ending
from models.storage.transitions import Transition, in_states
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.check_reports import CheckReportRow
from models.tables.runs import LEASED_STATES, RunRow
from models.verdicts import MACHINE_BOUND, AttemptEnding, Verdict, VoidCategory

BACKOFF_S = 0.5
MACHINE_BACKOFF_S = 10.0
"""Doubled for each try: long enough for a worker to notice that it is the one at fault."""
LONGEST_BACKOFF_S = 30.0

THIS_RUN = RunRow.id == bindparam("run_id")
THIS_LEASE = (THIS_RUN, RunRow.token == bindparam("held_token"))

CLAIM = {
    stage: Transition(
        (WAITING[stage], QUEUED[stage]),
        LEASED[stage],
        (THIS_RUN, in_active_campaign()),
        sets=("lease_until", "worker"),
        computed={"token": RunRow.token + 1},
    )
    for stage in Stage
}
FREEZE = Transition(
    (LEASED[Stage.AGENT],),
    RunState.FROZEN,
    THIS_LEASE,
    sets=("snapshot", "stop_reason", "changed"),
    computed={
        "not_before": 0.0,
        "queue_pk": select(CellRow.grade_queue_pk)
        .where(CellRow.pk == RunRow.cell_pk)
        .scalar_subquery(),
    },
)
GRADE = Transition((LEASED[Stage.GRADE],), RunState.GRADED, THIS_LEASE, sets=("ended_at",))
GIVE_BACK = {stage: Transition((LEASED[stage],), WAITING[stage], THIS_LEASE) for stage in Stage}
RETRY = {
    stage: Transition(
        (LEASED[stage],), WAITING[stage], THIS_LEASE, sets=(f"{stage}_tries", "not_before")
    )
    for stage in Stage
}
GIVE_UP = {
    stage: Transition(
        (LEASED[stage],),
        RunState.VOID,
        THIS_LEASE,
        sets=(f"{stage}_tries", "void_category", "ended_at"),
    )
    for stage in Stage
}

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
    select(RunRow.id, RunRow.token)
    .where(in_states(LEASED_STATES), RunRow.lease_until < bindparam("now"))
    .order_by(RunRow.lease_until)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
FIRST_END = select(func.min(RunRow.lease_until)).where(in_states(LEASED_STATES))
TRIES = (
    select(RunRow.state, RunRow.agent_tries, RunRow.grade_tries, CampaignRow.max_attempts)
    .select_from(RunRow)
    .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
    .where(*THIS_LEASE, in_states(LEASED_STATES))
)
STORE_REPORT = insert(CheckReportRow)


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

    None means that the stage isn't to be done (done, done by another, paused, cancelled,
    unknown): forget the message.
    """
    moved = CLAIM[stage].apply(
        session, run_id=run_id, new_lease_until=now + terms.lease_s, new_worker=worker
    )
    if not moved:
        return None
    token = moved[0].token
    attempt_id, number = open_attempt(session, run_id, token, stage, worker, now)
    return read_order(session, run_id, stage, attempt_id, number)


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

    Raises LeaseLost when the lease is not held any more; the attempt is then kept as fenced
    and nothing else changes.
    """
    facts = {
        "stop_reason": result.stop_reason,
        "snapshot": result.snapshot,
        "transcript": result.transcript,
        "toolchain": result.toolchain,
        "isolation": result.isolation,
        **_used(result.resources),
    }
    moved = FREEZE.apply(
        session,
        run_id=order.run_id,
        held_token=order.token,
        new_snapshot=result.snapshot,
        new_stop_reason=result.stop_reason,
        new_changed=result.changed,
    )
    if not moved:
        _refuse(session, order, now, **facts)
    close_attempt(session, order.run_id, order.token, AttemptEnding.OK, now, **facts)
    note_isolation(session, moved[0].campaign_pk, result.isolation)


def finish_grade(session: Session, order: RunOrder, result: GradeResult, now: float) -> None:
    """Write the verdict, once.

    Raises LeaseLost like `finish_agent`; Infrastructure (manifest_mismatch) for a report of
    another universe than the run's, and (grader) for a void verdict, which is `void_attempt`'s.
    """
    _check_report(order, result)
    facts = {
        "toolchain": result.toolchain,
        "isolation": result.isolation,
        **_used(result.resources),
    }
    moved = GRADE.apply(session, run_id=order.run_id, held_token=order.token, new_ended_at=now)
    if not moved:
        _refuse(session, order, now, **facts)
    close_attempt(session, order.run_id, order.token, AttemptEnding.OK, now, **facts)
    note_isolation(session, moved[0].campaign_pk, result.isolation)
    _store_report(session, order, result, now)
    ending = graded_ending(result.verdict, result.undelivered)
    tally(session, Counter([(moved[0].cell_pk, ending)]))


def void_attempt(session: Session, order: RunOrder, void: StageVoid, now: float) -> None:
    """The farm could not do its part: try this stage again, or end the run as void.

    Raises LeaseLost like `finish_agent`.
    """
    taken = _take_back(session, order.run_id, order.token, void.category, now)
    if taken is None:
        _refuse(session, order, now, detail=void.detail, toolchain=void.toolchain)
    close_attempt(
        session,
        order.run_id,
        order.token,
        AttemptEnding.VOID,
        now,
        category=void.category,
        detail=void.detail,
        toolchain=void.toolchain,
    )
    tally(session, taken)


def give_back(session: Session, order: RunOrder, detail: str, now: float) -> bool:
    """End the attempt as interrupted, without counting it; the run waits again.

    False when the lease was not held any more; never raises for that.
    """
    moved = GIVE_BACK[order.stage].apply(session, run_id=order.run_id, held_token=order.token)
    if moved:
        close_attempt(
            session, order.run_id, order.token, AttemptEnding.INTERRUPTED, now, detail=detail
        )
    return bool(moved)


def expire(session: Session, now: float, limit: int) -> list[int]:
    """Take away up to `limit` leases that ended before `now`; their attempts are lost.

    Returns the ids of the runs.
    """
    expired: list[int] = []
    endings: Counter[tuple[int, str]] = Counter()
    due = session.connection().execute(DUE, {"now": now, "at_most": limit}).all()
    for run_id, token in due:
        taken = _take_back(session, run_id, token, VoidCategory.WORKER_LOST, now)
        if taken is None:
            continue
        close_attempt(
            session,
            run_id,
            token,
            AttemptEnding.LOST,
            now,
            category=VoidCategory.WORKER_LOST,
            detail="the lease ended without a sign of life",
        )
        expired.append(run_id)
        endings += taken
    tally(session, endings)
    return expired


def earliest_lease_end(session: Session) -> float | None:
    """When the next lease runs out, None where nothing is leased."""
    return session.connection().execute(FIRST_END).scalar_one()


def _take_back(
    session: Session, run_id: int, token: int, category: VoidCategory, now: float
) -> Counter[tuple[int, str]] | None:
    """Count a failed try: the run waits again, or is void after the last one it had.

    Returns what there is to tally; None when the lease was not held.
    """
    ours = {"run_id": run_id, "held_token": token}
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
        return Counter() if moved else None
    moved = GIVE_UP[stage].apply(
        session, **ours, **counted, new_void_category=category, new_ended_at=now
    )
    return Counter([(moved[0].cell_pk, void_ending(category))]) if moved else None


def _refuse(session: Session, order: RunOrder, now: float, **facts: object) -> NoReturn:
    """Keep what a worker without a lease brought, as a fenced attempt, and tell it."""
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


def _check_report(order: RunOrder, result: GradeResult) -> None:
    if result.verdict is Verdict.VOID:
        raise Infrastructure("grader", f"run {order.run_id}: a void verdict is not a result.")
    if result.report.universe != order.universe:
        raise Infrastructure(
            "manifest_mismatch",
            f"run {order.run_id}: graded in universe {result.report.universe}, "
            f"planned in {order.universe}.",
            remedy="Give every worker the same catalogue as the scheduler's.",
        )


def _store_report(session: Session, order: RunOrder, result: GradeResult, now: float) -> None:
    report = result.report
    outcomes = [[check.id, check.outcome.value] for check in report.checks]
    session.connection().execute(
        STORE_REPORT,
        {
            "run_id": order.run_id,
            "attempt_id": order.attempt_id,
            "verdict": result.verdict,
            "undelivered": result.undelivered,
            "built": report.build.ok,
            "universe": report.universe,
            "manifest_digest": report.manifest_digest,
            "outcomes": canonical_bytes(outcomes).decode(),
            "report": result.report_artifact,
            "graded_at": now,
            "gate_evidence": _gate_evidence(order, report),
        },
    )


def _gate_evidence(order: RunOrder, report: CheckReport) -> str | None:
    if order.system.agent != SUBJECT_AGENT:
        return None
    return GateEvidence.of(report).model_dump_json(exclude_defaults=True)


def _used(resources: Resources) -> dict[str, object]:
    return {
        "wall_s": resources.wall_s,
        "cpu_s": resources.cpu_s,
        "peak_memory_bytes": resources.peak_memory_bytes,
    }
