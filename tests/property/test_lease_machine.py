"""Whatever workers and the farm do in whatever order: no run counts twice, none is lost."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from sqlalchemy import select

from models.clock import FixedClock
from models.errors import LeaseLost
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import ENDS, LEASED, RunOrder, RunState, Stage
from models.storage.campaigns import campaign_progress, find_campaign
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
from models.tables.check_reports import CheckReportRow
from models.tables.runs import RunRow
from models.verdicts import AttemptEnding, Verdict, VoidCategory
from scheduler.campaign_lifecycle import cancel_campaign, pause_campaign, resume_campaign
from scheduler.dispatch import heal_broker_loss, top_up
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)

RUNS = 2
VOID = StageVoid(category=VoidCategory.DISK_FULL, detail="no space left")
run_ids = st.integers(1, RUNS)


class Forgetful:
    """A broker that has just lost its data."""

    def remembers(self, epoch: str) -> bool:
        return False

    def plant(self, epoch: str) -> None:
        pass

    def holds(self, queue: str) -> int:
        return 0


class LeaseMachine(RuleBasedStateMachine):
    """Workers with orders in hand, some of them stale, against one campaign of two runs."""

    orders: Bundle[RunOrder] = Bundle("orders")

    def __init__(self) -> None:
        super().__init__()
        self.database: Database = open_database("sqlite://")
        METADATA.create_all(self.database.engine)
        self.campaign_id = ""
        self.clock = FixedClock(NOW)
        self.verdicts: dict[int, Verdict] = {}
        self.frozen: set[int] = set()
        self.agent_claims_after_freeze: list[int] = []

    @initialize(max_attempts=st.integers(1, 3))
    def plan(self, max_attempts: int) -> None:
        spec = campaign_spec(repeats=1, systems=2, policy={"max_attempts": max_attempts})
        self.campaign_id = write_campaign(self.database, spec)

    def teardown(self) -> None:
        self.database.close()

    @rule(forgets=st.booleans())
    def dispatch(self, forgets: bool) -> None:
        """Sometimes the broker loses everything right after."""
        top_up(self.database, self.clock.now(), window=1, slot_s=60)
        if forgets:
            heal_broker_loss(self.database, Forgetful(), "epoch")

    @rule(silent=st.booleans())
    def reap(self, silent: bool) -> None:
        """The reaper comes by; sometimes after every worker has been silent for too long."""
        if silent:
            self.clock.advance(TERMS.lease_s + 1)
        with self.database.transaction() as session:
            expire(session, self.clock.now(), 3)

    @rule(target=orders, run_id=run_ids, due=st.sampled_from([True, True, True, False]))
    def deliver(self, run_id: int, due: bool) -> RunOrder:
        """A message for the stage that is due, or for the other one; maybe once again."""
        state, _ = self.row(run_id)
        grading = state in (RunState.FROZEN, RunState.GRADE_QUEUED, RunState.GRADE_LEASED)
        stage = Stage.GRADE if grading == due else Stage.AGENT
        with self.database.transaction() as session:
            order = claim(session, run_id, stage, "worker", self.clock.now(), TERMS)
        if order is not None and stage is Stage.AGENT and run_id in self.frozen:
            self.agent_claims_after_freeze.append(run_id)
        return order or stale(run_id, stage)

    @rule(order=orders)
    def beat(self, order: RunOrder) -> None:
        with self.database.transaction() as session:
            held = [(order.run_id, order.token)]
            answer = renew(session, held, self.clock.now(), TERMS)[order.run_id]
        state, token = self.row(order.run_id)
        leased = state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
        assert (answer is LeaseAnswer.HELD) == (leased and token == order.token)

    @rule(order=orders, again=st.booleans(), passes=st.booleans())
    def finish(self, order: RunOrder, again: bool, passes: bool) -> None:
        """A result, sometimes sent twice, sometimes long after the lease was lost."""
        verdict = Verdict.PASSED if passes else Verdict.FAILED
        for _ in range(1 + again):
            before = self.row(order.run_id)
            try:
                with self.database.transaction() as session:
                    if order.stage is Stage.AGENT:
                        finish_agent(session, order, agent_result(), self.clock.now())
                    else:
                        result = grade_result(order, verdict)
                        finish_grade(session, order, result, self.clock.now())
            except LeaseLost:
                assert before != (LEASED[order.stage], order.token)
                assert self.row(order.run_id) == before
                continue
            assert before == (LEASED[order.stage], order.token)
            if order.stage is Stage.AGENT:
                self.frozen.add(order.run_id)
            else:
                assert order.run_id not in self.verdicts
                self.verdicts[order.run_id] = verdict

    @rule(order=orders)
    def fail_on_our_side(self, order: RunOrder) -> None:
        before = self.row(order.run_id)
        try:
            with self.database.transaction() as session:
                void_attempt(session, order, VOID, self.clock.now())
        except LeaseLost:
            assert before != (LEASED[order.stage], order.token)
            assert self.row(order.run_id) == before
        else:
            assert before == (LEASED[order.stage], order.token)

    @rule(order=consumes(orders))
    def drain(self, order: RunOrder) -> None:
        with self.database.transaction() as session:
            give_back(session, order, "drained", self.clock.now())

    @rule(wish=st.integers(0, 9))
    def operate(self, wish: int) -> None:
        """Pause or resume; rarely cancel."""
        state = self.state()
        if wish == 9 and state is not CampaignState.CANCELLED:
            cancel_campaign(self.database, self.campaign_id, self.clock)
        elif state is CampaignState.RUNNING and wish < 3:
            pause_campaign(self.database, self.campaign_id)
        elif state is CampaignState.PAUSED:
            resume_campaign(self.database, self.campaign_id, self.clock)

    @invariant()
    def every_result_counts_once_and_stays(self) -> None:
        with self.database.read() as session:
            stored = session.execute(select(CheckReportRow.run_id, CheckReportRow.verdict))
            assert {row[0]: row[1] for row in stored} == self.verdicts
            progress = campaign_progress(session, self.campaign_id)
        counted = Counter(self.verdicts.values())
        assert (progress.passed, progress.failed) == (
            counted[Verdict.PASSED],
            counted[Verdict.FAILED],
        )

    @invariant()
    def no_run_is_lost(self) -> None:
        with self.database.read() as session:
            progress = campaign_progress(session, self.campaign_id)
            counts = cell_counts(session, [self.campaign_id])
            states = Counter(session.execute(select(RunRow.state)).scalars())
        assert sum(states.values()) == RUNS
        moving = progress.agent_queued + progress.agent_leased + progress.frozen
        moving += progress.grade_queued + progress.grade_leased
        assert progress.waiting == states[RunState.PLANNED]
        assert progress.ended == sum(states[end] for end in ENDS)
        assert progress.waiting + moving + progress.ended == RUNS
        assert sum(one.planned for one in counts) == RUNS - progress.cancelled

    @invariant()
    def the_agent_stage_is_never_repeated_after_the_freeze(self) -> None:
        assert not self.agent_claims_after_freeze

    @invariant()
    def at_most_one_attempt_runs_and_no_run_tries_too_often(self) -> None:
        with self.database.read() as session:
            rows = session.execute(select(AttemptRow.run_id, AttemptRow.stage, AttemptRow.ending))
            attempts = Counter((row[0], row[1], row[2]) for row in rows)
        for run_id in range(1, RUNS + 1):
            state, _ = self.row(run_id)
            running = [attempts[run_id, stage, AttemptEnding.RUNNING] for stage in Stage]
            leased = state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
            assert sum(running) == leased
            for stage in Stage:
                assert attempts[run_id, stage, AttemptEnding.VOID] <= 3

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

    pytestmark = pytest.mark.timeout(300)
