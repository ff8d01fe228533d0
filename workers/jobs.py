"""Claims a stage, has it done, writes what came of it. Returns nothing and raises nothing.

Whatever a job returned or raised would become an event that every client of the broker sees.
"""

import errno
import time
from collections.abc import Callable
from itertools import chain, repeat

from sqlalchemy.orm import Session

from models.clock import SystemClock
from models.errors import FarmError, Infrastructure, LeaseLost
from models.schemas.attempt import AgentResult, GradeResult, StageVoid
from models.schemas.run import RunOrder, Stage
from models.storage.database_clock import shared_clock
from models.storage.leases import claim, finish_agent, finish_grade, give_back, void_attempt
from models.storage.transaction import (
    DATABASE_AWAY,
    DATABASE_ERRORS,
    DATABASE_REFUSES,
    open_database,
)
from models.verdicts import VoidCategory
from tasks_catalog.package_faults import PackageInvalid
from tasks_catalog.patching import PatchRefused
from workers.agent_stage import work_on
from workers.attempt_use import AgentWork, used_until_now
from workers.checks.outcome import void_category
from workers.grade_stage import grade
from workers.hands import Hands, HandsOnDemand, WorkerPlan
from workers.lease_keeper import HeldLease
from workers.run_recorder import begin_record
from workers.sandbox.selection import IsolationUnavailable
from workers.stage_stopped import StageStopped
from workers.stage_tallies import StageEnding
from workers.worker_log import full_trace, log_event, safe_text

HANDED_BACK = "the worker was told to end"
FIRST_PAUSES_S = (0.5, 1.0, 2.0)
LONGEST_PAUSE_S = 4.0
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)

Write = Callable[[Session], object]
Result = tuple[Write, StageEnding]
"""How a stage's result is written, and what it counts as."""


def run_job(on_demand: HandsOnDemand, run_id: int, stage: Stage) -> None:
    """The whole job. Only what ends the process (SystemExit and its like) passes through."""
    if on_demand.plan.recall.is_due():
        return
    try:
        try:
            hands = on_demand.get()
        except Exception as error:
            _void_unopened(on_demand.plan, run_id, stage, error)
            return
        with hands.database.transaction() as session:
            now = hands.clock.now()
            name = hands.plan.name
            order = claim(session, run_id, stage, name, now, hands.plan.settings.lease)
            begun = AgentWork()
            if order is not None:
                begun.recorder = begin_record(session, order, hands.keys, hands.clock, name)
        if order is not None:
            _do(hands, order, begun)
            hands.plan.fitness.wait_if_failing(order.language)
    except Exception as error:
        # The row still waits, or its lease will end: the scheduler sends the job again.
        log_event(
            "job_failed", SystemClock().now(), run=run_id, stage=stage, error=full_trace(error)
        )


def _void_unopened(plan: WorkerPlan, run_id: int, stage: Stage, error: Exception) -> None:
    """The hands won't open: an attempt says so, as long as there is a database to say it in."""
    terms = plan.settings.lease
    database = open_database(plan.settings.database_url, answer_s=terms.answer_s)
    try:
        clock = shared_clock(database, SystemClock())
        with database.transaction() as session:
            order = claim(session, run_id, stage, plan.name, clock.now(), terms)
        if order is None:
            return
        void = _void_of(plan, order, error, clock.now(), VoidCategory.UNKNOWN, AgentWork())
        plan.fitness.note(order.language, void.category, void.detail)
        with database.transaction() as session:
            void_attempt(session, order, void, clock.now())
    finally:
        database.close()
    plan.fitness.wait_if_failing(order.language)


def _do(hands: Hands, order: RunOrder, work: AgentWork) -> None:
    """Do the stage, and count how it ended."""
    began = hands.clock.monotonic()
    ending = StageEnding.FAILED
    try:
        ending = _hold_and_execute(hands, order, work)
    finally:
        took_s = hands.clock.monotonic() - began
        hands.plan.tallies.note(order.stage, order.language, ending, took_s)


def _hold_and_execute(hands: Hands, order: RunOrder, work: AgentWork) -> StageEnding:
    recall = hands.plan.recall
    with hands.keeper.hold(order) as lease:
        try:
            write = _execute(hands, order, lambda: lease.cancelled() or recall.is_due(), work)
        except BaseException as error:
            _give_back(hands, order, safe_text(error), work)
            raise
        # Past its end by this clock alone, the token decides: what comes too late is refused.
        if lease.taken_away or (write is None and lease.cancelled()):
            log_event("stage_stopped", hands.clock.now(), **_named(order))
            return StageEnding.STOPPED
        if write is None:
            log_event("stage_handed_back", hands.clock.now(), **_named(order))
            _give_back(hands, order, HANDED_BACK, work)
            return StageEnding.HANDED_BACK
        try:
            return _settle(hands, order, write, lease, work)
        except LeaseLost as error:
            log_event("stage_fenced", hands.clock.now(), **_named(order), error=error.message)
            return StageEnding.FENCED


def _settle(
    hands: Hands, order: RunOrder, result: Result, lease: HeldLease, work: AgentWork
) -> StageEnding:
    """Write the result; one that storage refuses is the farm's fault. Raises LeaseLost."""
    write, ending = result
    try:
        _write(hands, write, lease)
    except LeaseLost:
        raise
    except (FarmError, *DATABASE_REFUSES) as error:
        write, ending = _void(hands, order, error, work)
        _write(hands, write, lease)
    return ending


def _named(order: RunOrder) -> dict[str, object]:
    """By what a stage is found in every log."""
    return {
        "run": order.run_id,
        "token": order.token,
        "stage": order.stage.value,
        "attempt": order.attempt_number,
        "campaign": order.campaign_id,
        "label": order.label,
    }


def _execute(
    hands: Hands, order: RunOrder, cancelled: Callable[[], bool], work: AgentWork
) -> Result | None:
    """Do the stage; answers how to write its result, None when nothing is to be written."""
    try:
        if order.stage is Stage.AGENT:
            write = _finish_agent(hands, order, work_on(hands, order, cancelled, work))
        else:
            write = _finish_grade(hands, order, grade(hands, order, cancelled, work.recorder))
    except StageStopped:
        return None
    except DATABASE_AWAY:
        # Nobody's fault here, and no try: the stage is given back.
        raise
    except Exception as error:
        return _void(hands, order, error, work)
    hands.plan.fitness.note(order.language, None)
    return write, StageEnding.DONE


def _finish_agent(hands: Hands, order: RunOrder, result: AgentResult) -> Write:
    return lambda session: finish_agent(session, order, result, hands.clock.now())


def _finish_grade(hands: Hands, order: RunOrder, result: GradeResult) -> Write:
    return lambda session: finish_grade(session, order, result, hands.clock.now())


def _void(hands: Hands, order: RunOrder, error: Exception, work: AgentWork) -> Result:
    graded = order.stage is Stage.GRADE
    otherwise = VoidCategory.GRADER if graded else VoidCategory.UNKNOWN
    void = _void_of(hands.plan, order, error, hands.clock.now(), otherwise, work)
    hands.plan.fitness.note(order.language, void.category, void.detail)
    return (
        lambda session: void_attempt(session, order, void, hands.clock.now()),
        StageEnding.VOID,
    )


def _void_of(
    plan: WorkerPlan,
    order: RunOrder,
    error: Exception,
    now: float,
    otherwise: VoidCategory,
    work: AgentWork,
) -> StageVoid:
    """What an error in the farm's part says; its text goes to the row, its trace to the log.

    `otherwise` is the category of an error that names none; `work` as for `used_until_now`.
    """
    log_event(
        "stage_void",
        now,
        **_named(order),
        error=_detail_of(error) if isinstance(error, Infrastructure) else full_trace(error),
    )
    runtime = plan.runtime(order.language)
    toolchain = "" if runtime is None else runtime.identity
    return StageVoid(
        category=_category_of(error) or otherwise,
        detail=_detail_of(error),
        toolchain=toolchain,
        used=used_until_now(order, work),
    )


def _category_of(error: Exception) -> VoidCategory | None:
    if isinstance(error, Infrastructure):
        return void_category(error.category)
    if isinstance(error, IsolationUnavailable):
        return VoidCategory.SANDBOX_SETUP
    if isinstance(error, OSError) and error.errno in FULL_DISK:
        return VoidCategory.DISK_FULL
    return None


def _detail_of(error: Exception) -> str:
    """Text for a row that machines without the sealed half can read: none of what that holds."""
    if isinstance(error, PackageInvalid | PatchRefused):
        return f"{safe_text(error)}. `gradefarm catalog validate` on that machine tells more."
    return str(error) if isinstance(error, FarmError) else safe_text(error)


def _write(hands: Hands, write: Write, lease: HeldLease) -> None:
    """Work that took an hour is worth many tries to write it, while the database is away.

    Raises LeaseLost, and at once what the database refuses: it would do so for ever.
    """
    for pause_s in chain(FIRST_PAUSES_S, repeat(LONGEST_PAUSE_S)):
        try:
            with hands.database.transaction() as session:
                write(session)
        except DATABASE_REFUSES:
            raise
        except DATABASE_ERRORS as error:
            if lease.hopeless:
                raise
            log_event("write_failed", hands.clock.now(), error=safe_text(error))
            time.sleep(pause_s)
        else:
            return


def _give_back(hands: Hands, order: RunOrder, why: str, work: AgentWork) -> None:
    """The process has to end: the run waits again at once, and the attempt doesn't count."""
    try:
        with hands.database.transaction() as session:
            give_back(session, order, why, hands.clock.now(), used_until_now(order, work))
    except Exception as error:
        log_event("give_back_failed", hands.clock.now(), run=order.run_id, error=safe_text(error))
