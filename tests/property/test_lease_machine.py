"""Whatever workers, schedulers and people do in whatever order: no run counts twice, none is lost,
no system runs more than it may, no campaign uses more than it has."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    consumes,
    initialize,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text

from models.errors import LeaseLost, Refused
from models.messaging.messages import StageMessage
from models.schemas.attempt import StageVoid
from models.schemas.budget import Budget, Resource, Used
from models.schemas.campaign import CampaignState
from models.schemas.run import ENDS, LEASED, QUEUED, RunOrder, RunState, Stage
from models.schemas.system_limit import SystemLimits
from models.storage.budgets import read_spend
from models.storage.clock_steps import limit_ends
from models.storage.dispatching import mark_queued
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
from models.storage.system_limits import find_system_id, set_limits
from models.storage.transaction import Database
from models.tables.all_tables import METADATA
from models.verdicts import AttemptEnding, Verdict, VoidCategory
from scheduler.campaign_budget import pause_used_up, set_budget
from scheduler.campaign_lifecycle import cancel_campaign, pause_campaign, resume_campaign
from scheduler.dispatch import (
    choose_waiting,
    heal_broker_loss,
    return_overdue,
    send_pending,
    top_up,
)
from tests.fakes.campaigns import (
    TERMS,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)
from tests.property.lease_promises import (
    CAP,
    ENOUGH,
    EPOCH,
    LEASES,
    MOST_AT_ONCE,
    PER_MINUTE,
    REPEATS,
    RUNS,
    SLOT_S,
    SYSTEM_OF,
    LeasePromises,
)

costs = st.one_of(st.none(), st.integers(0, CAP), st.integers(CAP + 1, 3 * CAP))
"""None where nobody knows; an agent that is not stopped in time uses more than its cap."""
waits = st.sampled_from([0.0, 0.0, 0.0, 0.4, 5.0, 40.0])
"""How long a claimer waited for its turn since it read the clock."""


class LeaseMachine(LeasePromises):
    """Workers with orders in hand, some of them stale, two schedulers, and people."""

    orders: Bundle[RunOrder] = Bundle("orders")

    @initialize(target=orders, max_attempts=st.integers(1, 3), budget=st.integers(1, 6))
    def plan(self, max_attempts: int, budget: int) -> MultipleResults[RunOrder]:
        """A campaign with as much at work already as may be."""
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
        self.max_attempts = max_attempts
        return multiple(*self.all_begun())

    def teardown(self) -> None:
        if self.campaign_id:
            self.all_that_waits_gets_done()

    @rule(target=orders, window=st.integers(1, 4), sends=st.sampled_from([True, True, False]))
    def dispatch(self, window: int, sends: bool) -> MultipleResults[RunOrder]:
        """Sometimes the scheduler is stopped before it sends what it decided on."""
        top_up(self.database, self.clock.now(), window=window, slot_s=SLOT_S)
        if sends:
            send_pending(self.database, self.broker)
        return multiple()

    @precondition(lambda self: self.broker.held or self.broker.delayed)
    @rule(place=st.integers(0, RUNS), fate=st.sampled_from(["lost", "doubled", "late", "arrives"]))
    def a_message_goes_astray(self, place: int, fate: str) -> None:
        """Or one that did before arrives at last, whatever became of its run meanwhile."""
        if fate == "arrives":
            self.broker.held += self.broker.delayed
            self.broker.delayed = []
        elif message := self.broker.take(place):
            self.broker.held += [message, message] if fate == "doubled" else []
            self.broker.delayed += [message] if fate == "late" else []

    @rule(heals=st.booleans())
    def the_broker_loses_everything(self, heals: bool) -> None:
        """Right after it was given something."""
        self.all_queued()
        self.broker.forget()
        if heals:
            self.heal()

    @precondition(lambda self: not self.broker.remembers(EPOCH))
    @rule()
    def heal(self) -> None:
        """Where the broker lost its data, nothing waits for what it held."""
        heal_broker_loss(self.database, self.broker, EPOCH)
        states = {self.row(run_id)[0] for run_id in SYSTEM_OF}
        assert not states & set(QUEUED.values()), "queued runs whose messages are lost"

    @rule(later=st.booleans(), place=st.integers(0, RUNS))
    def look_for_the_overdue(self, later: bool, place: int) -> None:
        """A message is overdue only where its queue holds fewer than were sent."""
        if later:
            self.all_queued()
            self.broker.take(place)
            self.clock.advance(SLOT_S + 1)
        return_overdue(self.database, self.broker, self.clock.now(), SLOT_S)

    @rule()
    def a_scheduler_makes_up_its_mind(self) -> None:
        """And is stopped before it writes."""
        self.chosen_before = choose_waiting(self.database, self.clock.now(), 4)

    @precondition(lambda self: self.chosen_before)
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
            expire(session, self.clock.now(), RUNS)
        self.note_what_is_spoiled()

    @rule(seconds=st.sampled_from([0.5, 31.0, 3_600.0, -0.5, -31.0, -3_600.0]))
    def time_goes_on_or_is_set(self, seconds: float) -> None:
        self.clock.advance(seconds)
        if seconds < 0:
            self.starts.clear()  # two starts an hour apart may now bear the same time

    @precondition(lambda self: self.broker.held)
    @rule(target=orders, place=st.integers(0, RUNS), waited=waits)
    def deliver(self, place: int, waited: float) -> MultipleResults[RunOrder]:
        """A message that was sent, to one worker; its stage may be due or not."""
        message = self.broker.take(place)
        if message is None:
            return multiple()
        taken = self.claimed(message, waited)
        return multiple(taken or stale(message.run_id, message.stage))

    @rule(target=orders)
    def everything_is_delivered_at_once(self) -> MultipleResults[RunOrder]:
        """To as many workers as there are messages."""
        return multiple(*self.all_begun())

    def all_queued(self) -> None:
        """All that may begin has a message in the broker."""
        top_up(self.database, self.clock.now(), window=RUNS, slot_s=SLOT_S)
        send_pending(self.database, self.broker)

    def all_begun(self) -> list[RunOrder]:
        """The orders of all that may begin."""
        self.all_queued()
        return self.all_delivered()

    def all_delivered(self, waited: float = 0.0) -> list[RunOrder]:
        """The orders that all held messages lead to; all but the first waited for so long."""
        taken = [
            self.claimed(message, waited if place else 0.0)
            for place, message in enumerate(self.broker.take_all())
        ]
        return [order for order in taken if order is not None]

    def claimed(self, message: StageMessage, waited: float = 0.0) -> RunOrder | None:
        """What a worker gets for a message: nobody works on anything else."""
        run_id, stage, now = message.run_id, message.stage, self.clock.now() - waited
        with self.database.transaction() as session:
            order = claim(session, run_id, stage, "worker", now, LEASES)
        if order is not None:
            assert self.state() is CampaignState.RUNNING, "a run of a campaign that rests began"
        if order is not None and stage is Stage.AGENT:
            self.no_system_does_more_than_it_may(run_id)
            self.starts[SYSTEM_OF[run_id]].append(now)
            self.no_run_begins_that_can_not_be_paid()
            if run_id in self.frozen:
                self.agent_claims_after_freeze.append(run_id)
        return order

    def no_run_begins_that_can_not_be_paid(self) -> None:
        """However much those before it used: its whole cap is there."""
        with self.database.read() as session:
            spend = read_spend(session, 1)[Resource.COST]
        assert spend.total is not None
        assert spend.spent + spend.reserved <= spend.total, "a run began that can't be paid"

    @rule(target=orders, order=orders, frozen=st.booleans(), cost=costs)
    def an_old_order_is_finished_when_another_has_the_run(
        self, order: RunOrder, frozen: bool, cost: int | None
    ) -> MultipleResults[RunOrder]:
        """Its worker was silent, the run was taken away and given to another."""
        if self.row(order.run_id) != (LEASED[order.stage], order.token):
            return multiple()
        begun: list[RunOrder] = []
        if frozen and order.stage is Stage.AGENT:
            self.finish(order, again=True, passes=True, cost=cost)
            begun = self.all_begun()
            order = next((each for each in begun if each.run_id == order.run_id), order)
        self.reap(silent=True)
        self.clock.advance(SLOT_S + 1)
        taken = self.all_begun()
        self.beat(order)
        self.finish(order, again=False, passes=True, cost=cost)
        return multiple(*begun, *taken)

    @rule(order=orders)
    def beat(self, order: RunOrder) -> None:
        with self.database.transaction() as session:
            held = [(order.run_id, order.token)]
            answer = renew(session, held, self.clock.now(), LEASES)[order.run_id]
        state, token = self.row(order.run_id)
        leased = state in (RunState.AGENT_LEASED, RunState.GRADE_LEASED)
        assert (answer is LeaseAnswer.HELD) == (leased and token == order.token)

    @rule(order=orders, again=st.booleans(), passes=st.booleans(), cost=costs)
    def finish(self, order: RunOrder, again: bool, passes: bool, cost: int | None) -> None:
        """A result, sometimes sent twice, sometimes long after the lease was lost."""
        verdict = Verdict.PASSED if passes else Verdict.FAILED
        for _ in range(1 + again):
            before, ending = self.row(order.run_id), self.ending(order)
            try:
                self.write_result(order, verdict, cost)
            except LeaseLost:
                assert order not in self.written, "a result that was taken is refused"
                self.was_refused(order, before, ending)
                continue
            if order in self.written:
                assert self.row(order.run_id) == before, "a repeated result changed a run"
                continue
            assert before == (LEASED[order.stage], order.token), "a late result was taken"
            self.note_result(order, verdict, cost)

    def was_refused(
        self, order: RunOrder, before: tuple[RunState | None, int], ending: AttemptEnding | None
    ) -> None:
        """Nothing changes but what the farm had assumed of the attempt."""
        assert before != (LEASED[order.stage], order.token), "a holder's write was refused"
        assert self.row(order.run_id) == before, "a refused write changed a run"
        if ending in (AttemptEnding.LOST, AttemptEnding.INTERRUPTED):
            ending = AttemptEnding.FENCED
            self.fenced.add((order.run_id, order.token))
        assert self.ending(order) is ending, "what a refused write left is not fenced"

    def write_result(self, order: RunOrder, verdict: Verdict, cost: int | None) -> None:
        """Raises LeaseLost."""
        with self.database.transaction() as session:
            if order.stage is Stage.AGENT:
                result = agent_result().model_copy(update={"cost_microusd": cost})
                finish_agent(session, order, result, self.clock.now())
            else:
                finish_grade(session, order, grade_result(order, verdict), self.clock.now())

    def note_result(self, order: RunOrder, verdict: Verdict, cost: int | None) -> None:
        self.written.append(order)
        if order.stage is Stage.AGENT:
            self.frozen.add(order.run_id)
            self.used[order.run_id, order.token] = cost
        else:
            assert order.run_id not in self.verdicts
            self.verdicts[order.run_id] = verdict

    @rule(order=orders, cost=costs)
    def fail_on_our_side(self, order: RunOrder, cost: int | None) -> None:
        before, ending = self.row(order.run_id), self.ending(order)
        void = StageVoid(category=VoidCategory.DISK_FULL, detail="full", used=used_by(order, cost))
        try:
            with self.database.transaction() as session:
                void_attempt(session, order, void, self.clock.now())
        except LeaseLost:
            assert order not in self.voided, "a failure that was taken is refused"
            self.was_refused(order, before, ending)
        else:
            if order in self.voided:
                assert self.row(order.run_id) == before, "a repeated failure changed a run"
                return
            assert before == (LEASED[order.stage], order.token), "a late failure was taken"
            self.voided.append(order)
            self.used[order.run_id, order.token] = cost

    @rule(order=consumes(orders), cost=costs)
    def drain(self, order: RunOrder, cost: int | None) -> None:
        with self.database.transaction() as session:
            used = used_by(order, cost)
            if give_back(session, order, "drained", self.clock.now(), used):
                self.used[order.run_id, order.token] = cost

    @rule(
        target=orders,
        wish=st.sampled_from(["pause", "pause at once", "resume", "cancel"]),
        late=st.booleans(),
    )
    def operate(self, wish: str, late: bool) -> MultipleResults[RunOrder]:
        """Orders from people, while all works that may, or while its messages are on their way."""
        self.all_queued()
        begun = [] if late else self.all_delivered()
        state = self.state()
        if wish == "cancel" and state is not CampaignState.CANCELLED:
            cancel_campaign(self.database, self.campaign_id, self.clock)
        elif wish.startswith("pause") and state is CampaignState.RUNNING:
            pause_campaign(self.database, self.campaign_id)
            if wish == "pause at once":
                with self.database.transaction() as session:
                    interrupt_campaign(session, self.campaign_id, self.clock.now())
                states = {self.row(run_id)[0] for run_id in SYSTEM_OF}
                assert not states & set(LEASED.values()), "work goes on in what was paused at once"
        elif state is CampaignState.PAUSED:
            self.resume()
        return multiple(*begun, *self.all_delivered())

    @rule(target=orders, left=st.sampled_from([0, CAP, 3 * CAP]), waited=waits)
    def people_think_again(self, left: int, waited: float) -> MultipleResults[RunOrder]:
        """Limits and budget are less than they were when messages were sent, and some of the
        claimers have read the clock long before."""
        self.limit_systems(2)
        self.all_queued()
        self.limit_systems(1)
        self.set_what_is_left(left)
        return multiple(*self.all_delivered(waited))

    def limit_systems(self, times: int) -> None:
        """Either may do so many times as much as at first."""
        limits = {
            "system-0": SystemLimits(max_concurrent=times * MOST_AT_ONCE),
            "system-1": SystemLimits(starts_per_minute=times * PER_MINUTE),
        }
        with self.database.transaction() as session:
            set_limits(
                session,
                {find_system_id(session, name): limit for name, limit in limits.items()},
                "a person",
            )

    def set_what_is_left(self, left: int) -> None:
        """Beyond what is used and reserved; a budget pays for one more run at least."""
        with self.database.read() as session:
            spend = read_spend(session, 1)[Resource.COST]
        enough = spend.spent + max(CAP, spend.reserved + left)
        set_budget(
            self.database, self.campaign_id, Budget.model_validate({"cost_usd": enough / 1e6})
        )

    @rule()
    def attend(self) -> None:
        """The scheduler pauses what can't go on."""
        pause_used_up(self.database)

    def resume(self) -> None:
        """Refused only where the budget pays for no more."""
        try:
            resume_campaign(self.database, self.campaign_id, self.clock)
        except Refused:
            with self.database.read() as session:
                assert read_spend(session, 1)[Resource.COST].is_used_up

    def all_that_waits_gets_done(self) -> None:
        """From wherever things are, by dispatcher and messages alone: with money enough and workers
        that do well, all runs end. Those of a cancelled campaign have ended."""
        if self.state() is CampaignState.CANCELLED:
            return
        budget = Budget.model_validate({"cost_usd": ENOUGH / 1e6})
        set_budget(self.database, self.campaign_id, budget)
        if self.state() is CampaignState.PAUSED:
            resume_campaign(self.database, self.campaign_id, self.clock)
        limit_ends(self.database, self.clock.now(), LEASES)  # as a scheduler does after a step back
        for _ in range(3 * RUNS):
            self.clock.advance(TERMS.lease_s + 1)
            with self.database.transaction() as session:
                expire(session, self.clock.now(), RUNS)
            heal_broker_loss(self.database, self.broker, EPOCH)
            return_overdue(self.database, self.broker, self.clock.now(), SLOT_S)
            top_up(self.database, self.clock.now(), window=RUNS, slot_s=SLOT_S)
            send_pending(self.database, self.broker)
            for order in self.all_delivered():
                self.write_result(order, Verdict.PASSED, 0)
                self.note_result(order, Verdict.PASSED, 0)
            left = [run_id for run_id in SYSTEM_OF if self.row(run_id)[0] not in ENDS]
            if not left:
                self.the_farm_keeps_its_promises()
                return
        raise AssertionError(f"runs {left} never end")


def used_by(order: RunOrder, cost: int | None) -> Used:
    """Grading costs nothing."""
    return Used(cost_microusd=cost if order.stage is Stage.AGENT else None)


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
