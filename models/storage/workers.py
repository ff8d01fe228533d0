"""The workers that reported themselves, and what they were told to do."""

import logging
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, or_, select, update
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.event_log import event
from models.schemas.worker import Duty, WorkerOrders, WorkerRecord
from models.storage.farm_protocol import FARM_PROTOCOL
from models.storage.transitions import in_states
from models.storage.upserts import Upsert
from models.tables.runs import LEASED_STATES, RunRow
from models.tables.workers import WorkerRow

log = logging.getLogger(__name__)

OPERATOR, ITSELF = "operator", "worker"

REGISTER = Upsert(
    WorkerRow,
    lambda insert: insert.on_conflict_do_update(
        index_elements=["name"],
        set_={
            "document": insert.excluded.document,
            "started_at": insert.excluded.started_at,
            "beat_at": insert.excluded.beat_at,
        },
    ),
)
TOLD = select(WorkerRow.duty, FARM_PROTOCOL).where(WorkerRow.name == bindparam("called"))
BEAT = (
    update(WorkerRow)
    .where(WorkerRow.name == bindparam("called"))
    .values(beat_at=bindparam("now"), result_at=bindparam("had_result_at"))
)
IN_WORK = select(RunRow.id, RunRow.worker).where(in_states(LEASED_STATES))


@dataclass(frozen=True, slots=True)
class Told:
    """What a worker hears of its farm: its duty, and the farm's protocol (None: no upgrade yet)."""

    duty: Duty
    protocol: int | None


def register_worker(session: Session, worker: WorkerRecord) -> None:
    """Write a worker's row, over an older one of the same name. What it was told to do stays."""
    REGISTER.run(
        session,
        name=worker.name,
        document=worker.model_dump_json(exclude={"orders", "result_at"}),
        started_at=worker.started_at,
        beat_at=worker.beat_at,
    )


def beat_worker(session: Session, name: str, now: float, result_at: float = 0.0) -> None:
    """Note that the worker called `name` is alive, and when it last had a result."""
    beat = {"called": name, "now": now, "had_result_at": result_at}
    session.connection().execute(BEAT, beat)


def told_worker(session: Session, name: str) -> Told | None:
    """What the worker called `name` is told; None where it has no row. One row by its key."""
    row = session.connection().execute(TOLD, {"called": name}).one_or_none()
    return None if row is None else Told(row[0], row[1])


def order_worker(session: Session, name: str, orders: WorkerOrders) -> None:
    """Tell a worker what to do. Raises NotFound where none of that name ever reported itself."""
    if not _order(session, [WorkerRow.name == name], orders):
        raise NotFound(
            f"there is no worker {name}.",
            remedy="`gradefarm workers list --all` shows every worker that ever reported itself.",
        )


def order_all_workers(session: Session, since: float, orders: WorkerOrders) -> list[str]:
    """Tell all workers that beat at or after `since`; their names.

    What an operator put in quarantine stays there; a worker's own quarantine would end at its next
    start, so it is told like the others.
    """
    told = or_(WorkerRow.duty != Duty.QUARANTINE, WorkerRow.duty_by == ITSELF)
    return _order(session, [WorkerRow.beat_at >= since, told], orders)


def impose_quarantine(session: Session, name: str, reason: str, now: float) -> bool:
    """A worker puts itself in quarantine; False where it is told other than to serve: what an
    operator said stays, also beyond the worker's next start."""
    serving = [WorkerRow.name == name, WorkerRow.duty == Duty.SERVE]
    own = WorkerOrders(duty=Duty.QUARANTINE, reason=reason, by=ITSELF, since=now)
    return bool(_order(session, serving, own))


def release_own_quarantine(session: Session, name: str) -> bool:
    """A worker starts anew: what it imposed on itself is over, what an operator said is not."""
    own = [
        WorkerRow.name == name,
        WorkerRow.duty == Duty.QUARANTINE,
        WorkerRow.duty_by == ITSELF,
    ]
    return bool(_order(session, own, WorkerOrders()))


def _order(session: Session, which: list[ColumnElement[bool]], orders: WorkerOrders) -> list[str]:
    values: dict[str, Any] = {
        "duty": orders.duty,
        "duty_reason": orders.reason,
        "duty_by": orders.by,
        "duty_since": orders.since,
    }
    told = update(WorkerRow).where(*which).values(values).returning(WorkerRow.name)
    return sorted(session.execute(told.execution_options(synchronize_session=False)).scalars())


def list_workers(session: Session, *, since: float = 0.0) -> list[WorkerRecord]:
    """Workers that beat at or after `since`, by name, each with its latest beat and its orders.

    A row that can't be read is left out, and logged once: whoever has a worker's password may write
    any, and must not silence the others by it.
    """
    alive = select(WorkerRow).where(WorkerRow.beat_at >= since).order_by(WorkerRow.name)
    found: list[WorkerRecord] = []
    for row in session.execute(alive).scalars().all():
        try:
            found.append(_record(row))
        except ValueError:
            _tell_unreadable(row.name)
    return found


def workers_called(session: Session, name: str) -> list[str]:
    """The names of workers that `name` may mean: itself, or with the host after it."""
    called = select(WorkerRow.name).where(
        (WorkerRow.name == name) | WorkerRow.name.startswith(f"{name}@", autoescape=True)
    )
    return sorted(session.execute(called).scalars())


def runs_at_work(session: Session) -> dict[str, list[int]]:
    """The ids of leased runs, by the worker that holds them."""
    found: dict[str, list[int]] = {}
    for run_id, worker in session.connection().execute(IN_WORK):
        found.setdefault(worker or "?", []).append(run_id)
    return found


def _record(row: WorkerRow) -> WorkerRecord:
    """Fields that a newer worker may have written are left out. Raises ValueError."""
    orders = WorkerOrders(
        duty=row.duty, reason=row.duty_reason, by=row.duty_by, since=row.duty_since
    )
    said = WorkerRecord.model_validate_json(row.document, extra="ignore")
    if not all(map(isfinite, (row.beat_at, row.duty_since, row.result_at))):
        raise ValueError("a time is infinite")
    latest = {"name": row.name, "beat_at": row.beat_at, "result_at": row.result_at}
    return said.model_copy(update={**latest, "orders": orders})


@lru_cache(maxsize=1_024)
def _tell_unreadable(name: str) -> None:
    """Once for each name and process."""
    log.warning("a worker's row can't be read", extra=event("worker_unreadable", row=name))


def forget_workers(session: Session, before: float, *, only_count: bool = False) -> int:
    """Remove the rows of workers that were silent since `before`; returns how many there are."""
    silent = WorkerRow.beat_at < before
    names = session.execute(select(WorkerRow.name).where(silent)).scalars().all()
    if not only_count:
        session.execute(
            delete(WorkerRow).where(silent).execution_options(synchronize_session=False)
        )
    return len(names)
