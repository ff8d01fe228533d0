"""Many workers, a dispatcher and a reaper at once: no deadlock, nothing twice, nothing lost."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from models.errors import LeaseLost
from models.schemas.attempt import StageVoid
from models.schemas.lease import LeaseTerms
from models.schemas.run import RunState, Stage
from models.schemas.run_filter import RunFilter
from models.storage.campaign_endings import campaigns_without_work
from models.storage.campaigns import campaign_progress
from models.storage.leases import (
    claim,
    expire,
    finish_agent,
    finish_grade,
    give_back,
    renew,
    void_attempt,
)
from models.storage.results import cell_counts
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.verdicts import VoidCategory
from scheduler.dispatch import send_pending, top_up
from tests.fakes.brokers import MemoryBroker
from tests.fakes.campaigns import agent_result, campaign_spec, grade_result, write_campaign

RUNS = 60
WORKERS = 4
SHORT = LeaseTerms(lease_s=0.3, beat_s=0.1)
PATIENCE_S = 90.0
VOID = StageVoid(category=VoidCategory.GATEWAY, detail="the gateway said no")


class Farm:
    """Workers that do well, are drained, fail, or fall silent, by chance with a fixed seed."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.broker = MemoryBroker()
        self.over = threading.Event()
        self.counted: list[int] = []

    def head(self) -> None:
        """The scheduler's part."""
        deadline = time.monotonic() + PATIENCE_S
        while not self.over.is_set():
            assert time.monotonic() < deadline
            with self.database.transaction() as session:
                expire(session, time.time(), 10)
            top_up(self.database, time.time(), window=16, slot_s=1.0)
            send_pending(self.database, self.broker)
            with self.database.read() as session:
                if campaigns_without_work(session):
                    self.over.set()
            time.sleep(0.005)

    def worker(self, seed: int) -> None:
        """Takes messages at random, some of them twice."""
        chance = random.Random(seed)
        while not self.over.is_set():
            queue = self.broker.queues[chance.choice(["agent.python", "grade.python"])]
            if not queue:
                time.sleep(0.002)
                continue
            try:
                message = queue[-1] if chance.random() < 0.2 else queue.pop(0)
            except IndexError:
                continue
            self.work(message.run_id, message.stage, chance)

    def work(self, run_id: int, stage: Stage, chance: random.Random) -> None:
        with self.database.transaction() as session:
            order = claim(session, run_id, stage, "worker", time.time(), SHORT)
        if order is None:
            return
        fate = chance.random()
        if fate < 0.05:
            time.sleep(0.4)
        try:
            with self.database.transaction() as session:
                renew(session, [(run_id, order.token)], time.time(), SHORT)
            with self.database.transaction() as session:
                if 0.05 <= fate < 0.1:
                    give_back(session, order, "drained", time.time())
                elif 0.1 <= fate < 0.15:
                    void_attempt(session, order, VOID, time.time())
                elif stage is Stage.AGENT:
                    finish_agent(session, order, agent_result(), time.time())
                else:
                    finish_grade(session, order, grade_result(order), time.time())
        except LeaseLost:
            return
        if stage is Stage.GRADE and not 0.05 <= fate < 0.15:
            self.counted.append(run_id)


def test_many_workers_at_once_count_every_run_once(database: Database) -> None:
    spec = campaign_spec(systems=3, repeats=RUNS // 3, policy={"max_attempts": 6})
    campaign_id = write_campaign(database, spec, now=time.time())
    farm = Farm(database)
    with ThreadPoolExecutor(WORKERS + 1) as pool:
        parts = [pool.submit(farm.head)]
        parts += [pool.submit(farm.worker, seed) for seed in range(WORKERS)]
        try:
            for part in parts:
                part.result(PATIENCE_S + 10)
        finally:
            farm.over.set()
    with database.read() as session:
        progress = campaign_progress(session, campaign_id)
        graded = list_runs(session, RunFilter(campaign_id, state=RunState.GRADED), limit=RUNS)
        cells = cell_counts(session, [campaign_id])
    assert progress.passed + progress.void == RUNS
    assert progress.passed == len(graded) == sum(cell.passed for cell in cells)
    assert sorted(farm.counted) == sorted(run.id for run in graded)
