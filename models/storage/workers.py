"""The workers that reported themselves."""

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from models.schemas.worker import WorkerRecord
from models.storage.upserts import Upsert
from models.tables.workers import WorkerRow

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


def register_worker(session: Session, worker: WorkerRecord) -> None:
    """Write a worker's row, over an older one of the same name."""
    REGISTER.run(
        session,
        name=worker.name,
        document=worker.model_dump_json(),
        started_at=worker.started_at,
        beat_at=worker.beat_at,
    )


def beat_worker(session: Session, name: str, now: float) -> None:
    """Note that the worker called `name` is alive."""
    session.execute(
        update(WorkerRow)
        .where(WorkerRow.name == name)
        .values(beat_at=now)
        .execution_options(synchronize_session=False)
    )


def list_workers(session: Session, *, since: float = 0.0) -> list[WorkerRecord]:
    """Workers that beat at or after `since`, by name, each with its latest beat."""
    alive = (
        select(WorkerRow.document, WorkerRow.beat_at)
        .where(WorkerRow.beat_at >= since)
        .order_by(WorkerRow.name)
    )
    return [
        WorkerRecord.model_validate_json(document).model_copy(update={"beat_at": beat_at})
        for document, beat_at in session.execute(alive)
    ]


def forget_workers(session: Session, before: float, *, only_count: bool = False) -> int:
    """Remove the rows of workers that were silent since `before`; returns how many there are."""
    silent = WorkerRow.beat_at < before
    names = session.execute(select(WorkerRow.name).where(silent)).scalars().all()
    if not only_count:
        session.execute(
            delete(WorkerRow).where(silent).execution_options(synchronize_session=False)
        )
    return len(names)
