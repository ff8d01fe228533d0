"""The lease protocol, on both databases."""

import pytest
from sqlalchemy import select

from models.clock import FixedClock
from models.errors import Infrastructure, LeaseLost
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import RunOrder, RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RunView
from models.storage.attempt_tallies import spoiled_of_farm
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import campaign_progress
from models.storage.leases import (
    LeaseAnswer,
    claim,
    expire,
    finish_agent,
    finish_grade,
    give_back,
    renew,
    void_attempt,
)
from models.storage.results import find_report
from models.storage.runs import attempts_of, find_run, list_runs
from models.storage.transaction import Database
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, Verdict, VoidCategory
from scheduler.campaign_lifecycle import cancel_campaign
from tests.fakes.campaigns import NOW, TERMS, agent_result, grade_result, write_campaign

VOID = StageVoid(category=VoidCategory.SANDBOX_SETUP, detail="no user namespaces")


def first_run(database: Database) -> int:
    write_campaign(database)
    with database.read() as session:
        return list_runs(session, RunFilter())[0].id


def claimed(
    database: Database, run_id: int, stage: Stage = Stage.AGENT, now: float = NOW
) -> RunOrder:
    with database.transaction() as session:
        order = claim(session, run_id, stage, "worker-1", now, TERMS)
    assert order is not None
    return order


def frozen(database: Database, run_id: int) -> None:
    order = claimed(database, run_id)
    with database.transaction() as session:
        finish_agent(session, order, agent_result(), NOW)


def seen(database: Database, run_id: int) -> tuple[RunView, list[AttemptView]]:
    with database.read() as session:
        return find_run(session, run_id), attempts_of(session, run_id)


def test_a_run_goes_through_both_stages_to_its_verdict(database: Database) -> None:
    run_id = first_run(database)
    order = claimed(database, run_id)
    assert (order.token, order.attempt_number, order.repeat) == (1, 1, 1)
    with database.transaction() as session:
        finish_agent(session, order, agent_result(changed=False), NOW + 1)
    order = claimed(database, run_id, Stage.GRADE)
    assert (order.token, order.attempt_number, order.changed) == (2, 1, False)
    assert order.snapshot == agent_result().snapshot
    with database.transaction() as session:
        result = grade_result(order, Verdict.FAILED, undelivered=True)
        finish_grade(session, order, result, NOW + 2)
    run, attempts = seen(database, run_id)
    assert (run.state, run.verdict, run.undelivered) == (RunState.GRADED, Verdict.FAILED, True)
    assert [attempt.ending for attempt in attempts] == [AttemptEnding.OK, AttemptEnding.OK]
    assert attempts[0].peak_memory_bytes == 5_000_000_000
    with database.read() as session:
        report = find_report(session, run_id)
        progress = campaign_progress(session, run.campaign_id)
    assert report is not None
    assert [name for name, _ in report.outcomes] == ["one", "two"]
    assert (progress.failed, progress.undelivered, progress.waiting) == (1, 1, 3)


def test_a_second_claim_of_a_leased_run_gets_nothing(database: Database) -> None:
    run_id = first_run(database)
    claimed(database, run_id)
    with database.transaction() as session:
        assert claim(session, run_id, Stage.AGENT, "worker-2", NOW, TERMS) is None
        assert claim(session, run_id, Stage.GRADE, "worker-2", NOW, TERMS) is None
    _, attempts = seen(database, run_id)
    assert len(attempts) == 1


def test_an_unknown_run_cannot_be_claimed(database: Database) -> None:
    with database.transaction() as session:
        assert claim(session, 999, Stage.AGENT, "worker-1", NOW, TERMS) is None


def test_a_graded_run_cannot_be_claimed_again(database: Database) -> None:
    run_id = first_run(database)
    frozen(database, run_id)
    order = claimed(database, run_id, Stage.GRADE)
    with database.transaction() as session:
        finish_grade(session, order, grade_result(order), NOW)
    with database.transaction() as session:
        for stage in Stage:
            assert claim(session, run_id, stage, "worker-1", NOW, TERMS) is None


def test_a_stale_token_cannot_store_a_result(database: Database) -> None:
    run_id = first_run(database)
    late = claimed(database, run_id)
    with database.transaction() as session:
        assert expire(session, NOW + TERMS.lease_s + 1, 10) == [run_id]
    fresh = claimed(database, run_id)
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_agent(session, late, agent_result(), NOW + 100)
    run, attempts = seen(database, run_id)
    assert (run.state, run.token, run.snapshot) == (RunState.AGENT_LEASED, fresh.token, None)
    assert [attempt.ending for attempt in attempts] == [
        AttemptEnding.FENCED,
        AttemptEnding.RUNNING,
    ]
    assert attempts[0].category is VoidCategory.LEASE_EXPIRED
    assert attempts[0].transcript == agent_result().transcript


def test_leases_are_taken_away_campaign_by_campaign_whichever_ended_first(
    database: Database,
) -> None:
    """Two reapers write the tallies of campaigns in one order, and never wait in a ring."""
    one, other = (write_campaign(database) for _ in range(2))
    with database.read() as session:
        runs = {name: list_runs(session, RunFilter(name)) for name in (one, other)}
    ended = [runs[other][0].id, runs[one][1].id, runs[other][1].id, runs[one][0].id]
    for run_id, began in zip(ended, (NOW - 4, NOW - 3, NOW - 2, NOW - 1), strict=True):
        claimed(database, run_id, now=began)
    with database.transaction() as session:
        assert expire(session, NOW + TERMS.lease_s, 10) == sorted(ended)


def test_a_stale_grade_cannot_change_a_verdict(database: Database) -> None:
    run_id = first_run(database)
    frozen(database, run_id)
    late = claimed(database, run_id, Stage.GRADE)
    with database.transaction() as session:
        expire(session, NOW + TERMS.lease_s + 1, 10)
    fresh = claimed(database, run_id, Stage.GRADE)
    with database.transaction() as session:
        finish_grade(session, fresh, grade_result(fresh), NOW)
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_grade(session, late, grade_result(late, Verdict.FAILED), NOW)
    run, _ = seen(database, run_id)
    assert run.verdict is Verdict.PASSED


@pytest.mark.parametrize("stage", Stage)
def test_a_result_that_is_written_again_is_there_once_and_nobody_is_fenced(
    database: Database, stage: Stage
) -> None:
    """As by a worker whose commit went through, and whose connection was cut before it knew."""
    run_id = first_run(database)
    if stage is Stage.GRADE:
        frozen(database, run_id)
    order = claimed(database, run_id, stage)
    for later in range(2):
        with database.transaction() as session:
            if stage is Stage.AGENT:
                finish_agent(session, order, agent_result(), NOW + later)
            else:
                finish_grade(session, order, grade_result(order), NOW + later)
    run, attempts = seen(database, run_id)
    assert (attempts[-1].ending, attempts[-1].ended_at) == (AttemptEnding.OK, NOW)
    with database.read() as session:
        assert spoiled_of_farm(session) == {}
        assert campaign_progress(session, run.campaign_id).passed == (stage is Stage.GRADE)


def test_a_void_stage_that_is_written_again_is_one_try(database: Database) -> None:
    run_id = first_run(database)
    order = claimed(database, run_id)
    for _ in range(2):
        with database.transaction() as session:
            void_attempt(session, order, VOID, NOW)
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_agent(session, order, agent_result(), NOW)
    with database.read() as session:
        [row] = session.execute(select(RunRow).where(RunRow.id == run_id)).scalars()
        assert row.agent_tries == 1
        assert spoiled_of_farm(session) == {(AttemptEnding.VOID, VOID.category): 1}
    assert [attempt.ending for attempt in seen(database, run_id)[1]] == [AttemptEnding.VOID]


def test_an_error_in_a_transaction_leaves_nothing_behind(database: Database) -> None:
    run_id = first_run(database)

    def claim_and_break() -> None:
        with database.transaction() as session:
            claim(session, run_id, Stage.AGENT, "worker-1", NOW, TERMS)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        claim_and_break()
    run, attempts = seen(database, run_id)
    assert (run.state, attempts) == (RunState.PLANNED, [])


def test_renewing_keeps_a_lease_beyond_its_first_end(database: Database) -> None:
    run_id = first_run(database)
    order = claimed(database, run_id)
    with database.transaction() as session:
        answers = renew(session, [(run_id, order.token)], NOW + 50, TERMS)
        assert answers == {run_id: LeaseAnswer.HELD}
        assert expire(session, NOW + 70, 10) == []
        assert expire(session, NOW + 111, 10) == [run_id]
        answers = renew(session, [(run_id, order.token)], NOW + 112, TERMS)
        assert answers == {run_id: LeaseAnswer.LOST}
        assert renew(session, [], NOW, TERMS) == {}


def test_one_renewal_answers_for_every_lease_of_a_worker(database: Database) -> None:
    campaign_id = write_campaign(database)
    with database.read() as session:
        ids = [run.id for run in list_runs(session, RunFilter())]
    orders = [claimed(database, run_id) for run_id in ids[:2]]
    held = [(order.run_id, order.token) for order in orders] + [(ids[2], 7)]
    with database.transaction() as session:
        answers = renew(session, held, NOW, TERMS)
    assert list(answers.values()) == [LeaseAnswer.HELD, LeaseAnswer.HELD, LeaseAnswer.LOST]
    cancel_campaign(database, campaign_id, FixedClock(NOW))
    with database.transaction() as session:
        answers = renew(session, held, NOW, TERMS)
    assert [answers[run] for run in ids[:2]] == [LeaseAnswer.CANCELLED, LeaseAnswer.CANCELLED]
    with pytest.raises(LeaseLost), database.transaction() as session:
        finish_agent(session, orders[0], agent_result(), NOW)
    with database.transaction() as session:
        assert give_back(session, orders[1], "told to", NOW) is False
    endings = [seen(database, run)[1][0].ending for run in ids[:2]]
    assert endings == [AttemptEnding.FENCED, AttemptEnding.INTERRUPTED]


def test_the_last_void_attempt_ends_the_run_with_its_category(database: Database) -> None:
    run_id = first_run(database)
    for _ in range(3):
        order = claimed(database, run_id)
        with database.transaction() as session:
            void_attempt(session, order, VOID, NOW)
    run, attempts = seen(database, run_id)
    assert (run.state, run.verdict) == (RunState.VOID, Verdict.VOID)
    assert (run.void_category, run.blamed) == (VoidCategory.SANDBOX_SETUP, "sandbox")
    assert [attempt.ending for attempt in attempts] == [AttemptEnding.VOID] * 3
    assert attempts[0].detail == "no user namespaces"
    with database.read() as session:
        assert campaign_progress(session, run.campaign_id).voids == {"sandbox_setup": 1}


@pytest.mark.parametrize(
    ("category", "first_wait"),
    [
        (VoidCategory.TOOLCHAIN_MISMATCH, 10.0),
        (VoidCategory.MANIFEST_MISMATCH, 10.0),
        (VoidCategory.SANDBOX_SETUP, 10.0),
        (VoidCategory.PROVIDER_UNAVAILABLE, 1.0),
    ],
)
def test_a_void_that_the_same_machine_would_give_again_waits_long(
    database: Database, category: VoidCategory, first_wait: float
) -> None:
    run_id = first_run(database)
    for tries in (1, 2):
        order = claimed(database, run_id)
        with database.transaction() as session:
            void_attempt(session, order, VOID.model_copy(update={"category": category}), NOW)
        with database.read() as session:
            row = session.get_one(RunRow, run_id)
            assert row.not_before == NOW + first_wait * tries


def test_voids_of_the_grade_stage_never_repeat_the_agent_stage(database: Database) -> None:
    run_id = first_run(database)
    for _ in range(2):
        order = claimed(database, run_id)
        with database.transaction() as session:
            void_attempt(session, order, VOID, NOW)
    frozen(database, run_id)
    for number in (1, 2, 3):
        order = claimed(database, run_id, Stage.GRADE)
        assert order.attempt_number == number
        with database.transaction() as session:
            void_attempt(session, order, VOID, NOW)
        run, _ = seen(database, run_id)
        assert run.state is (RunState.FROZEN if number < 3 else RunState.VOID)
    _, attempts = seen(database, run_id)
    assert sum(attempt.stage is Stage.AGENT for attempt in attempts) == 3


def test_a_lease_that_ended_counts_as_an_attempt_lost_by_its_worker(database: Database) -> None:
    run_id = first_run(database)
    for _ in range(3):
        claimed(database, run_id)
        with database.transaction() as session:
            expire(session, NOW + 61, 10)
    run, attempts = seen(database, run_id)
    assert (run.state, run.void_category) == (RunState.VOID, VoidCategory.WORKER_LOST)
    assert {attempt.ending for attempt in attempts} == {AttemptEnding.LOST}


def test_giving_back_does_not_count(database: Database) -> None:
    run_id = first_run(database)
    for _ in range(5):
        order = claimed(database, run_id)
        with database.transaction() as session:
            assert give_back(session, order, "drained", NOW)
    run, attempts = seen(database, run_id)
    assert run.state is RunState.PLANNED
    assert {attempt.ending for attempt in attempts} == {AttemptEnding.INTERRUPTED}


def test_a_paused_campaign_gives_out_no_work(database: Database) -> None:
    run_id = first_run(database)
    run, _ = seen(database, run_id)
    with database.transaction() as session:
        assert change_campaign(
            session, run.campaign_id, (CampaignState.RUNNING,), CampaignState.PAUSED
        )
        assert claim(session, run_id, Stage.AGENT, "worker-1", NOW, TERMS) is None


def test_a_report_of_another_universe_is_refused(database: Database) -> None:
    run_id = first_run(database)
    frozen(database, run_id)
    order = claimed(database, run_id, Stage.GRADE)
    with pytest.raises(Infrastructure, match="universe"), database.transaction() as session:
        finish_grade(session, order, grade_result(order, universe="sha256:" + "0" * 64), NOW)
    run, _ = seen(database, run_id)
    assert run.state is RunState.GRADE_LEASED


def test_a_void_verdict_is_not_a_result(database: Database) -> None:
    run_id = first_run(database)
    frozen(database, run_id)
    order = claimed(database, run_id, Stage.GRADE)
    with pytest.raises(Infrastructure), database.transaction() as session:
        finish_grade(session, order, grade_result(order, Verdict.VOID), NOW)
