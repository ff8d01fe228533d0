"""What all workers are told at once, on both databases."""

import pytest

from models.schemas.worker import Duty, WorkerOrders, WorkerRecord
from models.storage.transaction import Database
from models.storage.workers import (
    OPERATOR,
    impose_quarantine,
    list_workers,
    order_all_workers,
    order_worker,
    register_worker,
    release_own_quarantine,
)
from tests.fakes.campaigns import NOW

NAMES = ("serves", "stopped-itself", "was-stopped")


@pytest.fixture
def workers(database: Database) -> Database:
    shared = {"host": "one", "pid": 1, "roles": ("agent",), "queues": (), "slots": 1}
    told = shared | {"toolchains": {}, "isolation": "", "started_at": NOW, "beat_at": NOW}
    with database.transaction() as session:
        for name in NAMES:
            register_worker(session, WorkerRecord.model_validate({"name": name, **told}))
        assert impose_quarantine(session, "stopped-itself", "no results", NOW)
        stop = WorkerOrders(duty=Duty.QUARANTINE, reason="odd", by=OPERATOR, since=NOW)
        order_worker(session, "was-stopped", stop)
    return database


def test_a_worker_in_its_own_quarantine_is_drained_with_all_others_and_stays_so(
    workers: Database,
) -> None:
    drain = WorkerOrders(duty=Duty.DRAIN, by=OPERATOR, since=NOW + 1)
    with workers.transaction() as session:
        assert set(order_all_workers(session, NOW, drain)) == {"serves", "stopped-itself"}
        assert not release_own_quarantine(session, "stopped-itself"), "its restart changes nothing"
        duties = {one.name: one.orders.duty for one in list_workers(session)}
    assert duties == dict(zip(NAMES, (Duty.DRAIN, Duty.DRAIN, Duty.QUARANTINE), strict=True))
