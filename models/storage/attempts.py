"""Opens and closes attempts. None is ever deleted or turned into a better one."""

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from models.schemas.run import Stage
from models.tables.attempts import AttemptRow
from models.verdicts import AttemptEnding

REFUSABLE = (AttemptEnding.RUNNING, AttemptEnding.LOST, AttemptEnding.INTERRUPTED)
"""Endings that a late worker can turn into `fenced`: what the farm assumed, not what it saw."""


def open_attempt(
    session: Session, run_id: int, token: int, stage: Stage, worker: str, now: float
) -> tuple[int, int]:
    """A running attempt under `token`; returns its id and its number within the stage."""
    earlier = select(func.count()).where(AttemptRow.run_id == run_id, AttemptRow.stage == stage)
    number = session.execute(earlier).scalar_one() + 1
    statement = insert(AttemptRow).values(
        run_id=run_id,
        token=token,
        stage=stage,
        number=number,
        worker=worker,
        ending=AttemptEnding.RUNNING,
        started_at=now,
        detail="",
        toolchain="",
        isolation="",
    )
    attempt_id = session.execute(statement.returning(AttemptRow.id)).scalar_one()
    return attempt_id, number


def close_attempt(
    session: Session,
    run_id: int,
    token: int,
    ending: AttemptEnding,
    now: float,
    **facts: object,
) -> None:
    """End the attempt of `run_id` under `token`, with what is known of it.

    A fenced ending overwrites only what the farm had assumed about a silent worker; every
    other ending only a running attempt.
    """
    closable = REFUSABLE if ending is AttemptEnding.FENCED else (AttemptEnding.RUNNING,)
    session.execute(
        update(AttemptRow)
        .where(
            AttemptRow.run_id == run_id,
            AttemptRow.token == token,
            AttemptRow.ending.in_(closable),
        )
        .values(ending=ending, ended_at=now, **facts)
        .execution_options(synchronize_session=False)
    )
