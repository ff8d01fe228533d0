"""What a worker says of itself never undoes what an operator told it."""

import contextlib
import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from models.migrations.upgrade import upgrade_database
from models.pulse import Pulse
from models.schemas.worker import Duty, WorkerOrders
from models.settings import read_settings
from models.storage.transaction import Database, open_database
from models.storage.workers import (
    ITSELF,
    OPERATOR,
    Told,
    list_workers,
    order_worker,
)
from workers.farm_line import FarmLine
from workers.hands import WorkerPlan
from workers.registration import Registration, Standing

STANDING = Standing(("grade.go",), (), (), ())
PATIENCE_S = 60.0


class FailingRegistration(Registration):
    """Writes no row while it `fails`; counts what it was asked for."""

    fails = False

    def __init__(self, plan: WorkerPlan, roles: tuple[str, ...], slots: int) -> None:
        super().__init__(plan, roles, slots)
        self.failed, self.heard = threading.Semaphore(0), threading.Semaphore(0)

    def write(self, standing: Standing) -> None:
        if self.fails:
            self.failed.release()
            raise OSError("no way to the database")
        super().write(standing)

    def listen(self) -> Told | None:
        told = super().listen()
        self.heard.release()
        return told


@dataclass(frozen=True)
class Worker:
    plan: WorkerPlan
    database: Database

    def registration(self) -> FailingRegistration:
        return FailingRegistration(self.plan, ("grade",), 1)

    def orders(self) -> WorkerOrders:
        with self.database.read() as session:
            (row,) = list_workers(session)
        return row.orders


@pytest.fixture
def worker(tmp_path: Path) -> Generator[Worker]:
    settings = read_settings({"GRADEFARM_HOME": str(tmp_path)})
    upgrade_database(settings.database_url)
    database = open_database(settings.database_url)
    yield Worker(WorkerPlan(settings, "w@here", {}, "bubblewrap", True), database)
    database.close()


def test_an_order_that_a_worker_has_not_heard_yet_outlives_its_own_quarantine(
    worker: Worker,
) -> None:
    registration = worker.registration()
    registration.begin(STANDING)
    with worker.database.transaction() as session:
        order_worker(session, "w@here", WorkerOrders(duty=Duty.DRAIN, by=OPERATOR, since=1.0))
    registration.quarantine("no stage had a result")
    assert (worker.orders().duty, worker.orders().by) == (Duty.DRAIN, OPERATOR)
    assert worker.registration().begin(STANDING).duty is Duty.DRAIN
    with worker.database.transaction() as session:
        order_worker(session, "w@here", WorkerOrders())
    registration.quarantine("no stage had a result")
    assert (worker.orders().duty, worker.orders().by) == (Duty.QUARANTINE, ITSELF)
    assert worker.registration().begin(STANDING).duty is Duty.SERVE


def test_a_judgement_that_could_not_be_written_at_once_is_dropped(
    worker: Worker, tmp_path: Path
) -> None:
    registration, pulse = worker.registration(), Pulse(tmp_path / "w.alive")
    line = FarmLine(registration, pulse)
    line.begin(STANDING)
    with contextlib.closing(line):
        registration.fails = True
        line.tell(replace(STANDING, queues=()))
        assert registration.failed.acquire(timeout=PATIENCE_S)
        line.condemn("no stage had a result")
        for _ in range(2):  # the first may have begun before
            assert registration.failed.acquire(timeout=PATIENCE_S)
        registration.fails = False
        while registration.heard.acquire(blocking=False):
            pass  # of exchanges before
        for _ in range(2):
            assert registration.heard.acquire(timeout=PATIENCE_S)
    assert worker.orders().duty is Duty.SERVE
