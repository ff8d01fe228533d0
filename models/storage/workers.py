"""The workers that reported themselves."""

from sqlalchemy.orm import Session

from models.schemas.worker import WorkerRecord


def register_worker(session: Session, worker: WorkerRecord) -> None:
    """Write a worker's row, over an older one of the same name."""
    raise NotImplementedError


def beat_worker(session: Session, name: str, now: float) -> None:
    """Note that the worker called `name` is alive."""
    raise NotImplementedError


def list_workers(session: Session, *, since: float = 0.0) -> list[WorkerRecord]:
    """Workers that beat at or after `since`, by name, each with its latest beat."""
    raise NotImplementedError
