"""Queues, slots, the outbox and a broker that forgets, on both databases."""

import random
from collections import Counter

import pytest

from models.clock import FixedClock
from models.messaging.job_sender import BrokerUnavailable
from models.schemas.attempt import StageVoid
from models.schemas.campaign import CampaignState
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.campaigns import campaign_progress
from models.storage.clock_steps import limit_ends
from models.storage.leases import claim, finish_agent, void_attempt
from models.storage.outbox import pending_messages
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.verdicts import VoidCategory
from scheduler.campaign_lifecycle import pause_campaign, resume_campaign
from scheduler.dispatch import heal_broker_loss, return_overdue, send_pending, top_up
from scheduler.lease_reaper import reap
from tests.fakes.brokers import MemoryBroker
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    agent_result,
    campaign_spec,
    variant,
    write_campaign,
)

SLOT_S = 120.0


def queued(database: Database) -> list[tuple[str, int]]:
    """(system, repeat) of the queued runs, in the order of the plan."""
    with database.read() as session:
        runs = list_runs(session, RunFilter(state=RunState.AGENT_QUEUED))
    return [(run.system, run.repeat) for run in runs]


def top(database: Database, window: int, now: float = NOW) -> int:
    return top_up(database, now, window=window, slot_s=SLOT_S)


def test_the_first_repeat_of_every_cell_goes_before_the_second_of_any(database: Database) -> None:
    write_campaign(database, campaign_spec(systems=3, repeats=5))
    assert top(database, window=4) == 4
    assert queued(database) == [
        ("system-0", 1),
        ("system-1", 1),
        ("system-2", 1),
        ("system-0", 2),
    ]


def test_a_campaign_that_is_stopped_at_any_moment_is_balanced(database: Database) -> None:
    """Repeats of any two cells differ by at most what was in flight, wherever it is stopped."""
    campaign_id = write_campaign(database, campaign_spec(systems=3, repeats=12))
    chance = random.Random(4)
    begun: Counter[str] = Counter()
    while sum(begun.values()) < 36:
        top(database, window=chance.randint(1, 9))
        with database.read() as session:
            queued_now = list_runs(session, RunFilter(campaign_id, state=RunState.AGENT_QUEUED))
        run = chance.choice(queued_now)
        with database.transaction() as session:
            assert claim(session, run.id, Stage.AGENT, "w", NOW, TERMS)
        begun[run.system] += 1
        counts = [begun[f"system-{n}"] for n in range(3)]
        assert max(counts) - min(counts) <= len(queued_now)


def test_a_queue_never_holds_more_than_its_window(database: Database) -> None:
    variants = (variant(language="python"), variant(language="go"))
    write_campaign(database, campaign_spec(repeats=9, variants=variants), variants)
    assert top(database, window=5) == 10
    assert top(database, window=5) == 0
    broker = MemoryBroker()
    assert send_pending(database, broker).sent == 10
    assert {queue: len(found) for queue, found in broker.queues.items()} == {
        "agent.python": 5,
        "agent.go": 5,
    }
    with database.transaction() as session:
        assert claim(session, broker.queues["agent.go"][0].run_id, Stage.AGENT, "w", NOW, TERMS)
    assert top(database, window=5) == 1


def test_work_of_a_higher_priority_is_queued_first(database: Database) -> None:
    write_campaign(database, campaign_spec(name="slow", repeats=9))
    urgent = write_campaign(database, campaign_spec(name="urgent", repeats=1, priority=5))
    assert top(database, window=3) == 3
    with database.read() as session:
        assert campaign_progress(session, urgent).agent_queued == 2


def test_a_message_says_who_works_on_what(database: Database) -> None:
    write_campaign(database)
    top(database, window=1)
    broker = MemoryBroker()
    send_pending(database, broker)
    [message] = broker.queues["agent.python"]
    assert (message.system, message.task, message.language, message.repeat) == (
        "system-0",
        "circuit-breaker",
        "python",
        1,
    )
    with database.read() as session:
        assert pending_messages(session, 10) == []


def test_a_broker_that_is_down_loses_no_message(database: Database) -> None:
    write_campaign(database)
    top(database, window=2)
    broker = MemoryBroker()
    broker.is_down = True
    with pytest.raises(BrokerUnavailable):
        send_pending(database, broker)
    broker.is_down = False
    assert send_pending(database, broker).sent == 2
    assert send_pending(database, broker).sent == 0


def test_a_queue_that_the_farm_lacks_keeps_nothing_else_back(database: Database) -> None:
    variants = (variant(language="python"), variant(language="go"))
    write_campaign(database, campaign_spec(repeats=1, variants=variants), variants)
    top(database, window=9)
    broker = MemoryBroker()
    broker.lacking = {"agent.go"}
    handed = send_pending(database, broker)
    assert (handed.sent, handed.taken_out, list(handed.refused)) == (2, 4, ["agent.go"])
    assert len(broker.queues["agent.python"]) == 2
    with database.read() as session:
        assert pending_messages(session, 10) == []
    broker.lacking = set()
    later = NOW + SLOT_S + 1
    assert return_overdue(database, broker, later, SLOT_S) == 2
    top(database, window=9, now=later)
    assert send_pending(database, broker).sent == 2


def test_the_last_overdue_run_of_a_queue_may_be_claimed_in_between(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_campaign(database)
    top(database, window=4)
    monkeypatch.setattr("scheduler.dispatch.queued_counts", lambda _session: {})
    assert return_overdue(database, MemoryBroker(), NOW + SLOT_S + 1, SLOT_S) == 0


def test_leases_slots_and_pauses_of_before_a_step_back_end_in_time(database: Database) -> None:
    write_campaign(database, campaign_spec(systems=1, repeats=3))
    top(database, window=2)
    with database.read() as session:
        first, _, third = [run.id for run in list_runs(session, RunFilter())]
    with database.transaction() as session:
        assert claim(session, first, Stage.AGENT, "dead", NOW, TERMS)
        order = claim(session, third, Stage.AGENT, "w", NOW, TERMS)
        assert order
        void_attempt(session, order, StageVoid(category=VoidCategory.UNKNOWN, detail=""), NOW)
    stepped = NOW - 3_600
    assert top(database, window=9, now=stepped) == 1
    assert reap(database, stepped + TERMS.lease_s + 1) == []
    assert limit_ends(database, stepped, TERMS) == 2
    assert limit_ends(database, stepped, TERMS) == 0
    assert reap(database, stepped + TERMS.lease_s + 1) == [first]
    later = stepped + TERMS.queue_slot_s + 1
    assert return_overdue(database, MemoryBroker(), later, SLOT_S) == 2


def test_a_lost_message_is_sent_again_when_its_slot_is_over(database: Database) -> None:
    write_campaign(database)
    top(database, window=4)
    broker = MemoryBroker()
    send_pending(database, broker)
    broker.queues["agent.python"].pop()
    later = NOW + SLOT_S + 1
    assert return_overdue(database, broker, NOW, SLOT_S) == 0
    assert return_overdue(database, broker, later, SLOT_S) == 4
    assert top(database, window=4, now=later) == 4


def test_messages_that_the_broker_still_holds_only_get_more_time(database: Database) -> None:
    write_campaign(database)
    top(database, window=4)
    broker = MemoryBroker()
    send_pending(database, broker)
    later = NOW + SLOT_S + 1
    assert return_overdue(database, broker, later, SLOT_S) == 0
    assert return_overdue(database, broker, later + SLOT_S - 2, SLOT_S) == 0
    assert len(queued(database)) == 4


def test_an_emptied_broker_is_noticed_at_once(database: Database) -> None:
    write_campaign(database)
    broker = MemoryBroker()
    assert heal_broker_loss(database, broker, "epoch-1") == 0
    top(database, window=3)
    send_pending(database, broker)
    top(database, window=4)
    assert heal_broker_loss(database, broker, "epoch-1") == 0
    broker.lose_everything()
    assert heal_broker_loss(database, broker, "epoch-1") == 4
    with database.read() as session:
        assert pending_messages(session, 10) == []
    assert heal_broker_loss(database, broker, "epoch-1") == 0
    assert top(database, window=4) == 4


def test_a_frozen_run_goes_to_the_grade_queue(database: Database) -> None:
    campaign_id = write_campaign(database)
    with database.read() as session:
        run_id = list_runs(session, RunFilter())[0].id
    with database.transaction() as session:
        order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
        assert order
        finish_agent(session, order, agent_result(), NOW)
    top(database, window=1)
    broker = MemoryBroker()
    send_pending(database, broker)
    assert [one.run_id for one in broker.queues["grade.python"]] == [run_id]
    with database.read() as session:
        assert campaign_progress(session, campaign_id).grade_queued == 1


@pytest.mark.parametrize(
    ("category", "pause_s"), [(VoidCategory.GRADER, 1.0), (VoidCategory.DISK_FULL, 10.0)]
)
def test_a_void_run_waits_before_it_is_queued_again(
    database: Database, category: VoidCategory, pause_s: float
) -> None:
    write_campaign(database, campaign_spec(systems=1, repeats=1))
    with database.read() as session:
        run_id = list_runs(session, RunFilter())[0].id
    void = StageVoid(category=category, detail="why")
    with database.transaction() as session:
        order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
        assert order
        void_attempt(session, order, void, NOW)
    assert top(database, window=9, now=NOW + pause_s - 0.1) == 0
    assert top(database, window=9, now=NOW + pause_s + 0.1) == 1


def test_pausing_takes_queued_runs_back_and_resuming_sends_them_again(
    database: Database,
) -> None:
    campaign_id = write_campaign(database)
    clock = FixedClock(NOW)
    top(database, window=3)
    pause_campaign(database, campaign_id)
    assert (queued(database), top(database, window=3)) == ([], 0)
    resume_campaign(database, campaign_id, clock)
    with database.read() as session:
        assert campaign_progress(session, campaign_id).state is CampaignState.RUNNING
    assert top(database, window=3) == 3


def test_the_reaper_takes_only_leases_that_are_over(database: Database) -> None:
    write_campaign(database)
    with database.read() as session:
        ids = [run.id for run in list_runs(session, RunFilter())]
    for later, run_id in enumerate(ids[:3]):
        with database.transaction() as session:
            assert claim(session, run_id, Stage.AGENT, "w", NOW + 10 * later, TERMS)
    assert reap(database, NOW + 60) == []
    assert reap(database, NOW + 75) == ids[:2]
    assert reap(database, NOW + 75) == []
