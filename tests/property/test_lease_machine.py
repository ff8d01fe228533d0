"""Whatever workers, schedulers and people do in whatever order: no run counts twice, none is lost,
no system runs more than it may, no campaign uses more than it has."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Row, select, text

from models.clock import FixedClock
from models.errors import LeaseLost, Refused
from models.schemas.attempt import StageVoid
from models.schemas.budget import Budget, Resource, Spend, Used
from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignProgress
from models.schemas.run import ENDS, LEASED, RunOrder, RunState, Stage
from models.storage.budgets import read_spend
from models.storage.campaigns import campaign_progress, find_campaign
from models.storage.clock_steps import limit_ends
from models.storage.dispatching import Candidate, mark_queued
from models.storage.interruptions import interrupt_campaign
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
from models.storage.results import cell_counts
from models.storage.transaction import Database, open_database
from models.tables.all_tables import METADATA
from models.tables.attempts import AttemptRow
from models.tables.budgets import ReservationRow
from models.tables.check_reports import CheckReportRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, Verdict, VoidCategory
from scheduler.campaign_budget import pause_used_up, set_budget
from scheduler.campaign_lifecycle import cancel_campaign, pause_campaign, resume_campaign
from scheduler.dispatch import choose_waiting, heal_broker_loss, top_up
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)

REPEATS = 2
RUNS = 2 * REPEATS
SYSTEM_OF = {run_id: (run_id - 1) % 2 for run_id in range(1, RUNS + 1)}
MOST_AT_ONCE = 1
"""Of the first system, beside which the second may do as much as it likes."""
PER_MINUTE = 1
"""Starts of the second system."""
CAP, ENOUGH = 100, 100_000
"""Millionths of a dollar: what one run may use, and what pays for everything."""
SLOT_S = 60.0
AT_AGENT = RunState.AGENT_LEASED
GRADING = (RunState.FROZEN, RunState.GRADE_QUEUED, RunState.GRADE_LEASED)
RUNS_NOW = select(RunRow.id, RunRow.state, RunRow.token)
ATTEMPTS_NOW = select(
    AttemptRow.run_id, AttemptRow.stage, AttemptRow.ending, AttemptRow.cost_microusd
)
RESERVED_NOW = select(ReservationRow.run_id, ReservationRow.token, ReservationRow.amount)
REPORTS_NOW = select(CheckReportRow.run_id, CheckReportRow.verdict)
Runs = Mapping[int, tuple[RunState, int]]
"""State and token of every run."""
run_ids = st.integers(1, RUNS)
costs = st.one_of(st.none(), st.integers(0, CAP))


class Forgetful:
    """A broker that has just lost its data."""

    def remembers(self, epoch: str) -> bool:
        return False

    def plant(self, epoch: str) -> None:
        pass

    def holds(self, queue: str) -> int:
        return 0


@cache
def in_memory() -> Database:
    """A database of this process."""
    database = open_database("sqlite://")
    METADATA.create_all(database.engine)
    return database


class LeaseMachine(RuleBasedStateMachine):
    """Workers with orders in hand, some of them stale, two schedulers, and people, against one
    campaign of two systems with limits and a budget."""

    orders: Bundle[RunOrder] = Bundle("orders")

    def __init__(self) -> None:
        super().__init__()
        self.database: Database = self.opened()
        self.campaign_id = ""
        self.clock = FixedClock(NOW)
        self.verdicts: dict[int, Verdict] = {}
        self.frozen: set[int] = set()
        self.written: list[RunOrder] = []
        self.voided: list[RunOrder] = []
        self.agent_claims_after_freeze: list[int] = []
        self.starts: defaultdict[int, list[float]] = defaultdict(list)
        self.chosen_before: dict[Stage, list[Candidate]] = {}

    def opened(self) -> Database:
        """An empty database; the same for every example: statements are costly to prepare."""
        database = in_memory()
        with database.engine.begin() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(table.delete())
        return database

    @initialize(max_attempts=st.integers(1, 3), budget=st.integers(1, 6))
    def plan(self, max_attempts: int, budget: int) -> None:
        limits = ({"max_concurrent": MOST_AT_ONCE}, {"starts_per_minute": PER_MINUTE})
        systems = [
            {"name": f"system-{n}", "agent": "command", "settings": {"argv": [str(n)]}, **limit}
            for n, limit in enumerate(limits)
        ]
        spec = campaign_spec(
            repeats=REPEATS,
            systems=systems,
            policy={"max_attempts": max_attempts},
            limits={"agent_cost_usd": CAP / 1e6},
            budget={"cost_usd": budget * CAP / 1e6},
        )
        self.campaign_id = write_campaign(self.database, spec)

    def teardown(self) -> None:
        if self.campaign_id:
            self.all_that_waits_gets_done()

    @rule(forgets=st.booleans(), window=st.integers(1, 4))
    def dispatch(self, forgets: bool, window: int) -> None:
        """Sometimes the broker loses everything right after."""
        top_up(self.database, self.clock.now(), window=window, slot_s=SLOT_S)
        if forgets:
            heal_broker_loss(self.database, Forgetful(), "epoch")

    @rule()
    def a_scheduler_makes_up_its_mind(self) -> None:
        """And is stopped before it writes."""
        self.chosen_before = choose_waiting(self.database, self.clock.now(), 4)

    @rule()
    def a_scheduler_that_was_stopped_goes_on(self) -> None:
        """As if nothing had happened; another was in office meanwhile."""
        with self.database.transaction() as session:
            for stage, runs in self.chosen_before.items():
                mark_queued(session, stage, runs, self.clock.now(), SLOT_S)

    @rule(silent=st.booleans())
    def reap(self, silent: bool) -> None:
        """The reaper comes by; sometimes after every worker has been silent for too long."""
        if silent:
            self.clock.advance(TERMS.lease_s + 1)
        with self.database.transaction() as session:
            expire(session, self.clock.now(), 3)

    @rule(seconds=st.sampled_from([0.5, 31.0, 3_600.0, -0.5, -31.0, -3_600.0]))
    def time_goes_on_or_is_set(self, seconds: float) -> None:
        self.clock.advance(seconds)
        if seconds < 0:
            self.starts.clear()  # two starts an hour apart may now bear the same time

    @rule(target=orders, run_id=run_ids, due=st.sampled_from([True, True, True, False]))
    def deliver(self, run_id: int, due: bool) -> RunOrder:
        """A message for the stage that is due, or for the other one; maybe once again."""
        state, _ = self.row(run_id)
        stage = Stage.GRADE if (state in GRADING) == due else Stage.AGENT
        return self.claimed(run_id, stage) or stale(run_id, stage)

    @rule(target=orders)
    def everything_is_delivered_at_once(self) -> MultipleResults[RunOrder]:
        """To as many workers as there are runs."""
        taken: list[RunOrder] = []
        for run_id in range(1, RUNS + 1):
            stage = Stage.GRADE if self.row(run_id)[0] in GRADING else Stage.AGENT
            if order := self.claimed(run_id, stage):
                taken.append(order)
        return multiple(*taken)

    def claimed(self, run_id: int, stage: Stage) -> RunOrder | None:
        with self.database.transaction() as session:
            order = claim(session, run_id, stage, "worker", self.clock.now(), TERMS)
        if order is not None and stage is Stage.AGENT:
            self.starts[SYSTEM_OF[run_id]].append(self.clock.now())
            if run_id in self.frozen:
                self.agent_claims_after_freeze.append(run_id)
        return order

    @rule(order=orders)
    def beat(self, order: RunOrder) -> None:
        with self.database.transaction() as session:
            held = [(order.run_id, order.token)]
            answer = renew(session, held, self.clock.now(), TERMS)[order.run_id]
        state, token = self.row(order.run_id)
        leased = state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
        assert (answer is LeaseAnswer.HELD) == (leased and token == order.token)

    @rule(order=orders, again=st.booleans(), passes=st.booleans(), cost=costs)
    def finish(self, order: RunOrder, again: bool, passes: bool, cost: int | None) -> None:
        """A result, sometimes sent twice, sometimes long after the lease was lost."""
        verdict = Verdict.PASSED if passes else Verdict.FAILED
        for _ in range(1 + again):
            before = self.row(order.run_id)
            try:
                self.write_result(order, verdict, cost)
            except LeaseLost:
                assert before != (LEASED[order.stage], order.token)
                assert self.row(order.run_id) == before
                continue
            if order in self.written:
                assert self.row(order.run_id) == before
                continue
            assert before == (LEASED[order.stage], order.token)
            self.note_result(order, verdict)

    def write_result(self, order: RunOrder, verdict: Verdict, cost: int | None) -> None:
        """Raises LeaseLost."""
        with self.database.transaction() as session:
            if order.stage is Stage.AGENT:
                result = agent_result().model_copy(update={"cost_microusd": cost})
                finish_agent(session, order, result, self.clock.now())
            else:
                finish_grade(session, order, grade_result(order, verdict), self.clock.now())

    def note_result(self, order: RunOrder, verdict: Verdict) -> None:
        self.written.append(order)
        if order.stage is Stage.AGENT:
            self.frozen.add(order.run_id)
        else:
            assert order.run_id not in self.verdicts
            self.verdicts[order.run_id] = verdict

    @rule(order=orders, cost=costs)
    def fail_on_our_side(self, order: RunOrder, cost: int | None) -> None:
        before = self.row(order.run_id)
        void = StageVoid(
            category=VoidCategory.DISK_FULL, detail="full", used=Used(cost_microusd=cost)
        )
        try:
            with self.database.transaction() as session:
                void_attempt(session, order, void, self.clock.now())
        except LeaseLost:
            assert before != (LEASED[order.stage], order.token)
            assert self.row(order.run_id) == before
        else:
            if order in self.voided:
                assert self.row(order.run_id) == before
                return
            assert before == (LEASED[order.stage], order.token)
            self.voided.append(order)

    @rule(order=consumes(orders), cost=costs)
    def drain(self, order: RunOrder, cost: int | None) -> None:
        with self.database.transaction() as session:
            used = Used(cost_microusd=cost)
            give_back(session, order, "drained", self.clock.now(), used)

    @rule(wish=st.integers(0, 9))
    def operate(self, wish: int) -> None:
        """Pause, at once or not, or resume; raise the budget; rarely cancel."""
        state = self.state()
        if wish == 9 and state is not CampaignState.CANCELLED:
            cancel_campaign(self.database, self.campaign_id, self.clock)
        elif state is CampaignState.RUNNING and wish < 3:
            pause_campaign(self.database, self.campaign_id)
            if wish == 0:
                with self.database.transaction() as session:
                    interrupt_campaign(session, self.campaign_id, self.clock.now())
        elif wish == 8:
            self.raise_budget()
        elif state is CampaignState.PAUSED:
            self.resume()

    @rule()
    def attend(self) -> None:
        """The scheduler pauses what can't go on."""
        pause_used_up(self.database)

    def raise_budget(self) -> None:
        with self.database.read() as session:
            total = read_spend(session, 1)[Resource.COST].total
        assert total is not None
        budget = Budget.model_validate({"cost_usd": (total + CAP) / 1e6})
        set_budget(self.database, self.campaign_id, budget)

    def resume(self) -> None:
        """Refused only where the budget pays for no more."""
        try:
            resume_campaign(self.database, self.campaign_id, self.clock)
        except Refused:
            with self.database.read() as session:
                assert read_spend(session, 1)[Resource.COST].is_used_up

    @invariant()
    def the_farm_keeps_its_promises(self) -> None:
        with self.database.read() as session:
            progress = campaign_progress(session, self.campaign_id)
            runs = {row[0]: (row[1], row[2]) for row in session.execute(RUNS_NOW)}
            attempts = list(session.execute(ATTEMPTS_NOW))
            reserved = [tuple(row) for row in session.execute(RESERVED_NOW)]
            stored = {row[0]: row[1] for row in session.execute(REPORTS_NOW)}
            counts = cell_counts(session, [self.campaign_id])
        self.every_result_counts_once_and_stays(stored, progress)
        self.no_run_is_lost(runs, progress)
        assert sum(one.planned for one in counts) == RUNS - progress.cancelled
        self.at_most_one_attempt_runs_and_no_run_tries_too_often(runs, attempts)
        self.no_system_does_more_than_it_may(runs)
        self.every_cent_is_accounted_for(runs, reserved, progress.spend[Resource.COST])
        charged = sum(cost or 0 for *_, cost in attempts)
        assert progress.spend[Resource.COST].spent == charged
        assert not self.agent_claims_after_freeze, "the agent stage was repeated after the freeze"

    def every_result_counts_once_and_stays(
        self, stored: dict[int, Verdict], progress: CampaignProgress
    ) -> None:
        assert stored == self.verdicts
        counted = Counter(self.verdicts.values())
        passed, failed = counted[Verdict.PASSED], counted[Verdict.FAILED]
        assert (progress.passed, progress.failed) == (passed, failed)

    def no_run_is_lost(self, runs: Runs, progress: CampaignProgress) -> None:
        states = Counter(state for state, _ in runs.values())
        assert len(runs) == RUNS
        moving = progress.agent_queued + progress.agent_leased + progress.frozen
        moving += progress.grade_queued + progress.grade_leased
        assert progress.waiting == states[RunState.PLANNED]
        assert progress.ended == sum(states[end] for end in ENDS)
        assert progress.waiting + moving + progress.ended == RUNS

    def at_most_one_attempt_runs_and_no_run_tries_too_often(
        self, runs: Runs, attempts: Sequence[Row[int, Stage, AttemptEnding, int | None]]
    ) -> None:
        found = Counter((row[0], row[1], row[2]) for row in attempts)
        for run_id, (state, _) in runs.items():
            running = sum(found[run_id, stage, AttemptEnding.RUNNING] for stage in Stage)
            assert running == (state in LEASED.values())
            for stage in Stage:
                assert found[run_id, stage, AttemptEnding.VOID] <= 3

    def no_system_does_more_than_it_may(self, runs: Runs) -> None:
        at_work = [run_id for run_id, (state, _) in runs.items() if state == AT_AGENT]
        assert sum(SYSTEM_OF[run_id] == 0 for run_id in at_work) <= MOST_AT_ONCE
        starts = self.starts[1]
        for at in starts:
            assert sum(at <= other < at + 60 for other in starts) <= PER_MINUTE

    def every_cent_is_accounted_for(
        self, runs: Runs, reserved: Sequence[tuple[object, ...]], spend: Spend
    ) -> None:
        """Reserved by runs that an agent works on, and by no others; never more than there is."""
        held = [
            (run_id, token, CAP) for run_id, (state, token) in runs.items() if state == AT_AGENT
        ]
        assert sorted(reserved) == sorted(held)
        assert spend.reserved == len(held) * CAP
        assert spend.total is not None
        assert spend.spent + spend.reserved <= spend.total

    def all_that_waits_gets_done(self) -> None:
        """From wherever things are: with money enough and workers that do well, all runs end."""
        if self.state() is CampaignState.CANCELLED:
            return
        budget = Budget.model_validate({"cost_usd": ENOUGH / 1e6})
        set_budget(self.database, self.campaign_id, budget)
        if self.state() is CampaignState.PAUSED:
            resume_campaign(self.database, self.campaign_id, self.clock)
        limit_ends(self.database, self.clock.now(), TERMS)  # as a scheduler does after a step back
        for _ in range(3 * RUNS):
            self.clock.advance(TERMS.lease_s + 1)
            with self.database.transaction() as session:
                expire(session, self.clock.now(), RUNS)
            top_up(self.database, self.clock.now(), window=RUNS, slot_s=SLOT_S)
            left = [run_id for run_id in range(1, RUNS + 1) if self.row(run_id)[0] not in ENDS]
            for run_id in left:
                stage = Stage.GRADE if self.row(run_id)[0] in GRADING else Stage.AGENT
                if order := self.claimed(run_id, stage):
                    self.write_result(order, Verdict.PASSED, 0)
                    self.note_result(order, Verdict.PASSED)
            if not left:
                return
        raise AssertionError(f"runs {left} never end")

    def row(self, run_id: int) -> tuple[RunState | None, int]:
        with self.database.read() as session:
            found = session.execute(
                select(RunRow.state, RunRow.token).where(RunRow.id == run_id)
            ).one_or_none()
        return (found[0], found[1]) if found else (None, 0)

    def state(self) -> CampaignState:
        with self.database.read() as session:
            return find_campaign(session, self.campaign_id).state


def stale(run_id: int, stage: Stage) -> RunOrder:
    """What a worker would hold that was never given a lease."""
    return RunOrder.model_construct(
        run_id=run_id,
        stage=stage,
        token=-1,
        attempt_id=1,
        task="t",
        language="python",
        universe="sha256:" + "b" * 64,
    )


LeaseMachine.TestCase.settings = settings(
    max_examples=100,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


class TestLeases(LeaseMachine.TestCase):
    """The machine as a test."""

    pytestmark = pytest.mark.timeout(900)


@pytest.mark.timeout(900)
def test_the_same_on_postgresql(postgresql: Database) -> None:
    """In a shorter form: the rules of locks differ, those of the farm don't."""

    class OnPostgresql(LeaseMachine):
        def opened(self) -> Database:
            names = ", ".join(METADATA.tables)
            with postgresql.engine.begin() as connection:
                connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
            return postgresql

    shorter = settings(LeaseMachine.TestCase.settings, max_examples=8, stateful_step_count=20)
    run_state_machine_as_test(OnPostgresql, settings=shorter)
