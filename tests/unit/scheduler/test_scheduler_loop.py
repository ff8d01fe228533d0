"""The loop: elected, undisturbed by a broken broker, quick when something happens."""

import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from models.clock import SystemClock
from models.schemas.campaign import CampaignState
from models.schemas.lease import LeaseTerms
from models.schemas.run import Stage
from models.settings import Settings, read_settings
from models.storage.campaigns import campaign_progress
from models.storage.elections import office_holder
from models.storage.leases import LeaseAnswer, claim, finish_agent, finish_grade, renew
from models.storage.runs import find_run
from models.storage.transaction import Database
from scheduler.scheduler_loop import ALIVE_FILE, Scheduler, run_scheduler
from tests.fakes.brokers import MemoryBroker
from tests.fakes.campaigns import TERMS, agent_result, campaign_spec, grade_result, write_campaign

PATIENCE_S = 20.0


@pytest.fixture
def farm_settings(tmp_path: Path) -> Settings:
    return read_settings({"GRADEFARM_HOME": str(tmp_path)})


@contextmanager
def scheduling(
    database: Database, broker: MemoryBroker, settings: Settings
) -> Generator[threading.Event]:
    stop = threading.Event()
    thread = threading.Thread(
        target=run_scheduler, args=(database, broker, broker, settings, SystemClock(), stop)
    )
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def eventually(holds: Callable[[], bool]) -> float:
    """Wait until `holds`; returns the seconds that it took."""
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE_S
        time.sleep(0.005)
    return time.monotonic() - begun


def work(database: Database, broker: MemoryBroker, queue: str) -> None:
    """Take every message of a queue and do what it says, well."""
    while broker.queues[queue]:
        message = broker.queues[queue].pop(0)
        now = time.time()
        with database.transaction() as session:
            order = claim(session, message.run_id, message.stage, "worker", now, TERMS)
        if order is None:
            continue
        with database.transaction() as session:
            if message.stage is Stage.AGENT:
                finish_agent(session, order, agent_result(), now)
            else:
                finish_grade(session, order, grade_result(order), now)


def test_a_campaign_runs_to_its_end(sqlite: Database, farm_settings: Settings) -> None:
    campaign_id = write_campaign(sqlite, campaign_spec(repeats=5), now=time.time())
    broker = MemoryBroker()

    def finished() -> bool:
        work(sqlite, broker, "agent.python")
        work(sqlite, broker, "grade.python")
        with sqlite.read() as session:
            return campaign_progress(session, campaign_id).state is CampaignState.FINISHED

    with scheduling(sqlite, broker, farm_settings):
        eventually(finished)
    with sqlite.read() as session:
        assert campaign_progress(session, campaign_id).passed == 10


def test_grading_begins_soon_after_the_agent_stopped(
    sqlite: Database, farm_settings: Settings
) -> None:
    write_campaign(sqlite, campaign_spec(systems=1, repeats=3), now=time.time())
    broker = MemoryBroker()
    with scheduling(sqlite, broker, farm_settings):
        eventually(lambda: len(broker.queues["agent.python"]) == 3)
        waits: list[float] = []
        for _ in range(3):
            message = broker.queues["agent.python"].pop()
            with sqlite.transaction() as session:
                order = claim(session, message.run_id, Stage.AGENT, "w", time.time(), TERMS)
                assert order
                finish_agent(session, order, agent_result(), time.time())
            before = len(broker.queues["grade.python"])
            waits.append(eventually(lambda n=before: len(broker.queues["grade.python"]) > n))
    assert min(waits) < 3 * farm_settings.tick_s


def test_a_broker_that_is_away_for_a_while_only_costs_time(
    sqlite: Database, farm_settings: Settings
) -> None:
    broker = MemoryBroker()
    broker.is_down = True
    with scheduling(sqlite, broker, farm_settings):
        campaign_id = write_campaign(sqlite, campaign_spec(repeats=3), now=time.time())
        time.sleep(0.5)
        assert not broker.queues
        broker.is_down = False
        eventually(lambda: len(broker.queues["agent.python"]) == 6)
        broker.lose_everything()
        eventually(lambda: len(broker.queues["agent.python"]) == 6)
    with sqlite.read() as session:
        assert campaign_progress(session, campaign_id).agent_queued == 6


def test_a_second_scheduler_waits_and_takes_over(sqlite: Database, farm_settings: Settings) -> None:
    def holder() -> str | None:
        with sqlite.read() as session:
            return office_holder(session, time.time())

    broker = MemoryBroker()
    with scheduling(sqlite, broker, farm_settings) as stop_first:
        eventually(lambda: holder() is not None)
        first = holder()
        with scheduling(sqlite, broker, farm_settings):
            time.sleep(0.3)
            assert holder() == first
            stop_first.set()
            eventually(lambda: holder() not in (None, first))
    assert holder() is None


def test_a_campaign_on_an_idle_farm_gets_its_first_message_at_once(
    sqlite: Database, farm_settings: Settings
) -> None:
    broker = MemoryBroker()
    with scheduling(sqlite, broker, farm_settings):
        waits: list[float] = []
        for _ in range(3):
            time.sleep(3.0)
            before = len(broker.queues["agent.python"])
            write_campaign(sqlite, campaign_spec(systems=1, repeats=1), now=time.time())
            begun = time.monotonic()
            eventually(lambda n=before: len(broker.queues["agent.python"]) > n)
            waits.append(time.monotonic() - begun)
            work(sqlite, broker, "agent.python")
            eventually(lambda: bool(broker.queues["grade.python"]))
            work(sqlite, broker, "grade.python")
    assert min(waits) < 2.5 * farm_settings.tick_s, waits


class SteppedClock:
    """A wall clock that can be stepped while the monotonic one goes on."""

    def __init__(self) -> None:
        self.offset = 0.0

    def now(self) -> float:
        return time.time() + self.offset

    def monotonic(self) -> float:
        return time.monotonic()


def test_a_step_forward_of_the_clock_expires_no_lease_before_its_holder_could_renew(
    sqlite: Database, farm_settings: Settings
) -> None:
    terms = LeaseTerms(lease_s=2.0, beat_s=0.5)
    settings = farm_settings.model_copy(update={"lease": terms})
    clock, broker = SteppedClock(), MemoryBroker()
    campaign_id = write_campaign(sqlite, campaign_spec(systems=1, repeats=2), now=clock.now())
    scheduler = Scheduler(sqlite, broker, broker, settings, clock)
    scheduler.tick()
    alive, dead = [message.run_id for message in broker.queues["agent.python"]]
    with sqlite.transaction() as session:
        order = claim(session, alive, Stage.AGENT, "alive", clock.now(), terms)
        assert order
        assert claim(session, dead, Stage.AGENT, "dead", clock.now(), terms)
    clock.offset = 86_400.0
    begun = time.monotonic()
    taken: list[str | None] = []
    while time.monotonic() - begun < 3.5:
        scheduler.expect_anything()
        scheduler.tick()
        with sqlite.transaction() as session:
            answer = renew(session, [(alive, order.token)], clock.now(), terms)
        assert answer == {alive: LeaseAnswer.HELD}
        with sqlite.read() as session:
            taken.append(find_run(session, dead).worker)
        time.sleep(0.1)
    assert taken[0] == "dead"
    assert taken[-1] is None
    with sqlite.read() as session:
        assert campaign_progress(session, campaign_id).agent_leased == 1


def test_a_scheduler_is_elected_and_reaps_soon_after_the_clock_was_stepped_back(
    sqlite: Database, farm_settings: Settings
) -> None:
    terms = LeaseTerms(lease_s=1.0, beat_s=0.3)
    settings = farm_settings.model_copy(update={"lease": terms})
    clock, broker = SteppedClock(), MemoryBroker()
    write_campaign(sqlite, campaign_spec(systems=1, repeats=1), now=clock.now())
    Scheduler(sqlite, broker, broker, settings, clock).tick()
    [message] = broker.queues["agent.python"]
    with sqlite.transaction() as session:
        assert claim(session, message.run_id, Stage.AGENT, "dead", clock.now(), terms)
    clock.offset = -3_600.0
    another = Scheduler(sqlite, broker, broker, settings, clock)

    def is_reaped() -> bool:
        another.expect_anything()
        another.tick()
        with sqlite.read() as session:
            return find_run(session, message.run_id).worker is None

    assert eventually(is_reaped) < 4.0


class Failing(MemoryBroker):
    """A broker whose client raises what nobody expects."""

    def remembers(self, epoch: str) -> bool:
        raise KeyError(epoch)


def test_an_error_that_nobody_expects_does_not_end_the_scheduler(
    sqlite: Database, farm_settings: Settings
) -> None:
    broker = Failing()
    thread = threading.Thread(
        target=run_scheduler,
        args=(sqlite, broker, broker, farm_settings, SystemClock(), stop := threading.Event()),
    )
    thread.start()
    time.sleep(0.5)
    assert thread.is_alive()
    stop.set()
    thread.join(PATIENCE_S)


class Hanging(MemoryBroker):
    """A broker whose client does not come back until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.let_go = threading.Event()

    def remembers(self, epoch: str) -> bool:
        self.asked.set()
        assert self.let_go.wait(PATIENCE_S)
        return super().remembers(epoch)


def test_the_sign_of_life_gets_old_while_the_loop_hangs_and_is_gone_after_an_end_in_order(
    sqlite: Database, farm_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.pulse.TOUCH_EVERY_S", 0.0)
    file, broker = farm_settings.home / ALIVE_FILE, Hanging()
    with scheduling(sqlite, broker, farm_settings):
        try:
            assert broker.asked.wait(PATIENCE_S)
            os.utime(file, (1, 1))
            time.sleep(5 * farm_settings.tick_s)
            assert file.stat().st_mtime == 1
        finally:
            broker.let_go.set()
        eventually(lambda: time.time() - file.stat().st_mtime < PATIENCE_S)
    assert not file.exists()


def test_an_idle_scheduler_costs_next_to_nothing(sqlite: Database, farm_settings: Settings) -> None:
    with scheduling(sqlite, MemoryBroker(), farm_settings):
        time.sleep(1.5)
        before = time.process_time()
        time.sleep(2.0)
        spent = time.process_time() - before
    assert spent < 0.2
