"""Campaigns from plan to end, their counts, gates, workers and schedulers, on both databases."""

import threading
from collections import Counter
from collections.abc import Callable
from itertools import islice

import pytest
from sqlalchemy import select, update

from models.clock import FixedClock
from models.errors import NotFound, Refused
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignKind, CampaignState, SystemSpec
from models.schemas.gate import GateColour, ParityDecision
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.worker import WorkerRecord
from models.storage.campaign_endings import campaigns_without_work
from models.storage.campaigns import campaign_progress, find_campaign, list_campaigns
from models.storage.database_clock import shared_clock
from models.storage.dispatching import unqueue_all
from models.storage.elections import leave_office, office_holder, take_office
from models.storage.gates import (
    collect_gate_runs,
    decisions_of,
    find_decision,
    save_decision,
)
from models.storage.isolations import every_attempt_was_isolated
from models.storage.leases import claim, finish_agent, finish_grade, void_attempt
from models.storage.plans import create_campaign, insert_runs, read_plan
from models.storage.results import cell_counts
from models.storage.runs import find_run, list_runs
from models.storage.transaction import Database
from models.storage.workers import beat_worker, list_workers, register_worker
from models.tables.campaigns import CampaignRow
from models.tables.runs import RunRow
from models.verdicts import Verdict, VoidCategory
from scheduler import campaign_lifecycle
from scheduler.campaign_lifecycle import (
    cancel_campaign,
    insert_plan,
    pause_campaign,
    resume_campaign,
)
from scheduler.campaign_upkeep import take_over_plan
from scheduler.dispatch import top_up
from scheduler.planning import plan_cells, runs_in_order
from tests.fakes.campaigns import (
    MANIFEST,
    NOW,
    TERMS,
    UNIVERSE,
    agent_result,
    campaign_spec,
    grade_result,
    variant,
    write_campaign,
)

VOID = StageVoid(category=VoidCategory.GRADER, detail="a check record is broken")


def ids_of(database: Database, campaign_id: str) -> list[int]:
    with database.read() as session:
        return [run.id for run in list_runs(session, RunFilter(campaign_id=campaign_id))]


def grade(
    database: Database,
    run_id: int,
    verdict: Verdict,
    *,
    undelivered: bool = False,
    isolation: str = "bubblewrap",
) -> None:
    with database.transaction() as session:
        order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
        assert order
        finish_agent(session, order, agent_result(), NOW)
        order = claim(session, run_id, Stage.GRADE, "w", NOW, TERMS)
        assert order
        result = grade_result(order, verdict, undelivered=undelivered, isolation=isolation)
        finish_grade(session, order, result, NOW)


def void(database: Database, run_id: int) -> None:
    for _ in range(3):
        with database.transaction() as session:
            order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
            assert order
            void_attempt(session, order, VOID, NOW)


def test_a_campaign_is_called_by_its_name_and_a_number(database: Database) -> None:
    first, second = write_campaign(database), write_campaign(database)
    assert (first, second) == ("demo-1", "demo-2")
    with database.read() as session:
        assert [one.id for one in list_campaigns(session)] == ["demo-2", "demo-1"]
        found = find_campaign(session, first)
        assert (found.total, found.planned, found.spec) == (4, 4, campaign_spec())
        with pytest.raises(NotFound, match="nightly-9"):
            find_campaign(session, "nightly-9")
        with pytest.raises(NotFound):
            find_run(session, 999)


def test_the_counts_of_a_campaign_sum_to_its_runs(database: Database) -> None:
    campaign_id = write_campaign(database, campaign_spec(repeats=4))
    ids = ids_of(database, campaign_id)
    grade(database, ids[0], Verdict.PASSED)
    grade(database, ids[1], Verdict.FAILED)
    grade(database, ids[2], Verdict.FAILED, undelivered=True)
    void(database, ids[3])
    with database.transaction() as session:
        assert claim(session, ids[4], Stage.AGENT, "w", NOW, TERMS)
    top_up(database, NOW, window=1, slot_s=60)
    with database.read() as session:
        progress = campaign_progress(session, campaign_id)
    assert (progress.passed, progress.failed, progress.undelivered) == (1, 2, 1)
    assert (progress.voids, progress.agent_leased, progress.agent_queued) == ({"grader": 1}, 1, 1)
    assert (progress.waiting, progress.ended, progress.total) == (2, 4, 8)


def test_cells_are_counted_by_system_variant_and_universe(database: Database) -> None:
    first = write_campaign(database, campaign_spec(repeats=2))
    renamed = campaign_spec(name="again", repeats=3).model_copy(
        update={
            "systems": (
                SystemSpec(name="another-name", agent="scripted", settings={"actions": ["0"]}),
                SystemSpec(name="thinker", agent="command", settings={"argv": ["think"]}),
            )
        }
    )
    second = write_campaign(database, renamed)
    grade(database, ids_of(database, first)[0], Verdict.PASSED)
    grade(database, ids_of(database, second)[0], Verdict.FAILED, undelivered=True)
    void(database, ids_of(database, second)[1])
    with database.read() as session:
        cells = {one.system: one for one in cell_counts(session, [first, second])}
    assert set(cells) == {"system-0", "system-1", "thinker"}
    both = cells["system-0"]
    assert (both.passed, both.failed, both.undelivered, both.planned) == (1, 1, 1, 5)
    assert (both.scripted, cells["thinker"].scripted) == (True, False)
    assert cells["thinker"].void_by_category == {"grader": 1}


def test_runs_are_listed_by_what_became_of_them(database: Database) -> None:
    other = write_campaign(database, campaign_spec(name="other"))
    campaign_id = write_campaign(database, campaign_spec(repeats=3))
    ids = ids_of(database, campaign_id)
    grade(database, ids[1], Verdict.PASSED)
    void(database, ids[2])
    with database.transaction() as session:
        assert claim(session, ids[5], Stage.AGENT, "w", NOW, TERMS)
    wanted = {
        "passed": RunFilter(campaign_id, verdict=Verdict.PASSED),
        "void": RunFilter(campaign_id, verdict=Verdict.VOID),
        "leased": RunFilter(campaign_id, state=RunState.AGENT_LEASED),
        "first": RunFilter(campaign_id, system="system-0"),
        "nowhere": RunFilter(campaign_id, language="go"),
        "other": RunFilter(other),
    }
    with database.read() as session:
        found = {name: list_runs(session, each) for name, each in wanted.items()}
        rest = list_runs(session, RunFilter(campaign_id), after=ids[3], limit=1)
    assert [run.id for run in found["passed"]] == [ids[1]]
    assert [run.id for run in found["void"]] == [ids[2]]
    assert [run.worker for run in found["leased"]] == ["w"]
    assert [run.repeat for run in found["first"]] == [1, 2, 3]
    assert (found["nowhere"], len(found["other"])) == ([], 4)
    assert [run.id for run in rest] == [ids[4]]


def test_a_campaign_is_over_when_every_run_has_ended(database: Database) -> None:
    campaign_id = write_campaign(database, campaign_spec(systems=1))
    ids = ids_of(database, campaign_id)
    grade(database, ids[0], Verdict.PASSED)
    with database.read() as session:
        assert campaigns_without_work(session) == []
    void(database, ids[1])
    with database.read() as session:
        assert campaigns_without_work(session) == [campaign_id]


def test_cancelling_ends_waiting_queued_and_leased_runs_and_keeps_results(
    database: Database,
) -> None:
    campaign_id = write_campaign(database, campaign_spec(repeats=3))
    ids = ids_of(database, campaign_id)
    grade(database, ids[0], Verdict.PASSED)
    with database.transaction() as session:
        assert claim(session, ids[1], Stage.AGENT, "w", NOW, TERMS)
    top_up(database, NOW, window=2, slot_s=60)
    cancel_campaign(database, campaign_id, FixedClock(NOW))
    with database.read() as session:
        progress = campaign_progress(session, campaign_id)
        [cell, _] = cell_counts(session, [campaign_id])
    assert progress.state is CampaignState.CANCELLED
    assert (progress.passed, progress.cancelled, progress.ended) == (1, 5, 6)
    assert (cell.planned, cell.passed) == (1, 1)
    with pytest.raises(Refused, match="cancelled"):
        cancel_campaign(database, campaign_id, FixedClock(NOW))
    with pytest.raises(Refused):
        resume_campaign(database, campaign_id, FixedClock(NOW))


def test_what_is_at_work_ends_before_the_many_that_wait(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaign_lifecycle, "CANCEL_BATCH", 2)
    campaign_id = write_campaign(database, campaign_spec(repeats=3))
    ids = ids_of(database, campaign_id)
    at_work = ids[-2:]
    with database.transaction() as session:
        assert all(claim(session, run_id, Stage.AGENT, "w", NOW, TERMS) for run_id in at_work)
    later: list[Callable[[], None]] = []
    cancel_campaign(database, campaign_id, FixedClock(NOW), later.append)
    with database.read() as session:
        states = [find_run(session, run_id).state for run_id in ids]
        waiting = campaign_progress(session, campaign_id).waiting
    assert states == [RunState.PLANNED] * 4 + [RunState.CANCELLED] * 2
    [rest] = later
    rest()
    with database.read() as session:
        assert campaign_progress(session, campaign_id).cancelled == 6
    assert waiting == 4


def open_plan(database: Database, inserted: int) -> str:
    """A campaign of six runs whose planner stopped after `inserted`."""
    spec = campaign_spec(repeats=3)
    with database.transaction() as session:
        cells = plan_cells(spec, (variant(),))
        campaign_id = create_campaign(session, spec, cells, unproven=False, now=NOW)
    with database.transaction() as session:
        plan = read_plan(session, campaign_id)
        batch = list(islice(runs_in_order(2, 3), inserted))
        assert insert_runs(session, plan, batch, NOW)
        assert not insert_runs(session, plan, batch, NOW)
    return campaign_id


def test_a_plan_without_its_planner_is_taken_over(database: Database) -> None:
    campaign_id = open_plan(database, inserted=3)
    clock = FixedClock(NOW)
    assert take_over_plan(database, clock) == 0
    clock.advance(60)
    assert take_over_plan(database, clock) == 3
    assert take_over_plan(database, clock) == 0
    with database.read() as session:
        cells = Counter(session.execute(select(RunRow.cell_pk)).scalars())
        found = find_campaign(session, campaign_id)
    assert list(cells.values()) == [3, 3]
    assert (found.state, found.planned) == (CampaignState.RUNNING, 6)


def test_first_runs_start_while_the_last_are_still_planned(database: Database) -> None:
    campaign_id = open_plan(database, inserted=3)
    assert top_up(database, NOW, window=9, slot_s=60) == 3
    with database.read() as session:
        progress = campaign_progress(session, campaign_id)
    assert (progress.agent_queued, progress.waiting) == (3, 3)


def test_a_campaign_that_was_paused_while_planned_is_planned_on_when_resumed(
    database: Database,
) -> None:
    campaign_id = open_plan(database, inserted=3)
    clock = FixedClock(NOW)
    pause_campaign(database, campaign_id)
    insert_plan(database, campaign_id, clock)
    with database.read() as session:
        found = find_campaign(session, campaign_id)
    assert (found.state, found.planned) == (CampaignState.PAUSED, 3)
    resume_campaign(database, campaign_id, clock)
    with database.read() as session:
        found = find_campaign(session, campaign_id)
    assert (found.state, found.planned) == (CampaignState.RUNNING, 6)


def test_a_campaign_that_was_cancelled_while_planned_counts_what_existed(
    database: Database,
) -> None:
    campaign_id = open_plan(database, inserted=3)
    grade(database, ids_of(database, campaign_id)[0], Verdict.PASSED)
    cancel_campaign(database, campaign_id, FixedClock(NOW))
    with database.read() as session:
        counts = cell_counts(session, [campaign_id])
    assert [(one.planned, one.passed) for one in counts] == [(1, 1), (0, 0)]


def test_less_than_a_complete_sandbox_is_remembered(database: Database) -> None:
    campaign_id = write_campaign(database)
    ids = ids_of(database, campaign_id)
    with database.read() as session:
        assert every_attempt_was_isolated(session, [campaign_id])
    grade(database, ids[0], Verdict.PASSED)
    with database.read() as session:
        assert every_attempt_was_isolated(session, [campaign_id])
    grade(database, ids[1], Verdict.PASSED, isolation="bubblewrap without memory_limit")
    with database.read() as session:
        assert not every_attempt_was_isolated(session, [campaign_id])


def decision(colour: GateColour, universe: str = UNIVERSE, language: str = "go") -> ParityDecision:
    return ParityDecision(
        task="cache",
        language=language,
        universe=universe,
        manifest_digest=MANIFEST,
        toolchain="go 1.26",
        isolation="bubblewrap",
        colour=colour,
        reasons=(),
        checks=("one", "two"),
        campaign_id="gate-cache-1",
    )


def test_the_newest_decision_of_exactly_this_universe_holds(database: Database) -> None:
    with database.transaction() as session:
        save_decision(session, decision(GateColour.RED), NOW)
        save_decision(session, decision(GateColour.GREEN), NOW + 1)
        save_decision(session, decision(GateColour.RED, universe=MANIFEST), NOW + 2)
        save_decision(session, decision(GateColour.RED, language="python"), NOW + 3)
    with database.read() as session:
        found = find_decision(session, "cache", "go", UNIVERSE)
        assert found == decision(GateColour.GREEN)
        assert find_decision(session, "cache", "rust", UNIVERSE) is None
        assert len(decisions_of(session, "gate-cache-1")) == 3
        assert decisions_of(session, "gate-cache-2") == []


def test_the_runs_of_a_gate_are_collected_as_reported(database: Database) -> None:
    spec = campaign_spec(repeats=1, kind=CampaignKind.GATE).model_copy(
        update={
            "systems": tuple(
                SystemSpec(name=name, agent="subject", settings={"subject": subject})
                for name, subject in (("reference", "reference"), ("fault-a", "fault:a"))
            )
        }
    )
    campaign_id = write_campaign(database, spec)
    ids = ids_of(database, campaign_id)
    grade(database, ids[0], Verdict.PASSED)
    void(database, ids[1])
    with database.read() as session:
        found = collect_gate_runs(session, campaign_id)
    [reference, fault] = found["circuit-breaker", "python"]
    assert (reference.subject, reference.toolchain, reference.manifest_digest) == (
        "reference",
        "python 3.11.2",
        MANIFEST,
    )
    assert [name for name, _ in reference.outcomes] == ["one", "two"]
    assert (fault.subject, fault.voided) == ("fault:a", VoidCategory.GRADER)


def worker(name: str, started_at: float = NOW) -> WorkerRecord:
    return WorkerRecord(
        name=name,
        host="here",
        pid=1,
        roles=("grade",),
        queues=("grade.go",),
        slots=4,
        toolchains={"go": "1.26"},
        isolation="bubblewrap",
        started_at=started_at,
        beat_at=started_at,
    )


def test_workers_are_known_by_their_latest_beat(database: Database) -> None:
    with database.transaction() as session:
        register_worker(session, worker("b"))
        register_worker(session, worker("a"))
        register_worker(session, worker("a", NOW + 5))
        beat_worker(session, "b", NOW + 30)
    with database.read() as session:
        assert [(one.name, one.beat_at) for one in list_workers(session)] == [
            ("a", NOW + 5),
            ("b", NOW + 30),
        ]
        assert [one.name for one in list_workers(session, since=NOW + 10)] == ["b"]


def test_one_scheduler_is_in_office_until_its_term_ends_or_it_leaves(database: Database) -> None:
    with database.transaction() as session:
        epoch = take_office(session, "first", NOW)
        assert epoch
        assert take_office(session, "second", NOW + 5) is None
        assert take_office(session, "first", NOW + 5) == epoch
        assert office_holder(session, NOW + 14) == "first"
        assert take_office(session, "second", NOW + 16) == epoch
        leave_office(session, "first")
        assert office_holder(session, NOW + 17) == "second"
        leave_office(session, "second")
        assert office_holder(session, NOW + 17) is None


def test_a_term_that_was_given_before_the_clock_was_stepped_back_binds_nobody(
    database: Database,
) -> None:
    with database.transaction() as session:
        assert take_office(session, "first", NOW)
        stepped = NOW - 3_600
        assert office_holder(session, stepped) is None
        assert take_office(session, "second", stepped)
        assert office_holder(session, stepped + 9) == "second"


def test_clocks_that_differ_a_little_elect_one(database: Database) -> None:
    with database.transaction() as session:
        assert take_office(session, "first", NOW + 4)
        assert take_office(session, "second", NOW) is None


def test_a_plan_of_before_a_step_back_of_the_clock_is_taken_over(database: Database) -> None:
    open_plan(database, inserted=3)
    assert take_over_plan(database, FixedClock(NOW - 3_600)) == 3


def test_a_planner_that_died_before_its_last_word_is_spoken_for(database: Database) -> None:
    campaign_id = open_plan(database, inserted=6)
    assert take_over_plan(database, FixedClock(NOW + 60)) == 0
    with database.read() as session:
        assert find_campaign(session, campaign_id).state is CampaignState.RUNNING


def test_a_large_plan_is_taken_over_slice_by_slice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.campaign_upkeep.PLAN_BATCH", 2)
    campaign_id = open_plan(database, inserted=1)
    clock = FixedClock(NOW + 60)
    assert [take_over_plan(database, clock) for _ in range(4)] == [2, 2, 1, 0]
    with database.read() as session:
        assert find_campaign(session, campaign_id).state is CampaignState.RUNNING


def test_a_plan_that_can_not_be_gone_on_with_is_paused_and_says_why(database: Database) -> None:
    broken, sound = open_plan(database, inserted=3), open_plan(database, inserted=3)
    with database.transaction() as session:
        session.execute(update(CampaignRow).where(CampaignRow.id == broken).values(total=7))
    clock = FixedClock(NOW + 60)
    assert [take_over_plan(database, clock) for _ in range(4)] == [3, 0, 3, 0]
    with database.read() as session:
        found = find_campaign(session, broken)
        assert found.state is CampaignState.PAUSED
        assert "7 runs" in found.problem
        assert find_campaign(session, sound).state is CampaignState.RUNNING


def test_progress_adds_up_while_runs_move(database: Database) -> None:
    campaign_id = write_campaign(database, campaign_spec(systems=1, repeats=200))
    over = threading.Event()

    def work() -> None:
        with database.read() as session:
            ids = [run.id for run in list_runs(session, RunFilter(campaign_id), limit=200)]
        for run_id in ids:
            with database.transaction() as session:
                order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
                assert order
                finish_agent(session, order, agent_result(), NOW)
                order = claim(session, run_id, Stage.GRADE, "w", NOW, TERMS)
                assert order
                finish_grade(session, order, grade_result(order), NOW)
        over.set()

    worker_thread = threading.Thread(target=work)
    worker_thread.start()
    while not over.is_set():
        with database.read() as session:
            progress = campaign_progress(session, campaign_id)
        moving = progress.agent_leased + progress.frozen + progress.grade_leased
        assert progress.waiting >= 0
        assert progress.waiting + moving + progress.ended == 200
    worker_thread.join()


def test_nothing_is_queued_so_nothing_is_put_back(database: Database) -> None:
    with database.transaction() as session:
        assert unqueue_all(session) == 0


def test_one_clock_judges_the_leases_of_all_machines(postgresql: Database) -> None:
    wrong = FixedClock(NOW)
    clock = shared_clock(postgresql, wrong)
    assert clock.now() - NOW > 1_000_000
    before = clock.now()
    wrong.advance(5)
    assert clock.now() - before == pytest.approx(5)


def test_one_machine_needs_no_other_clock(sqlite: Database) -> None:
    local = FixedClock(NOW)
    assert shared_clock(sqlite, local) is local


def test_a_campaign_may_have_the_longest_name_that_is_admitted(database: Database) -> None:
    longest = "a" * 64
    assert write_campaign(database, campaign_spec(name=longest)) == f"{longest}-1"
