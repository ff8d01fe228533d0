"""Opens and closes attempts. None is ever deleted or turned into a better one."""

from functools import cache

from sqlalchemy import Update, bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from models.schemas.run import Stage
from models.storage.attempt_tallies import SPOILED, count_spoiled
from models.tables.attempts import AttemptRow
from models.verdicts import AttemptEnding, VoidCategory

REFUSABLE = (AttemptEnding.RUNNING, AttemptEnding.LOST, AttemptEnding.INTERRUPTED)
"""Endings that a late worker can turn into `fenced`: what the farm assumed, not what it saw."""

NEXT_NUMBER = (
    select(func.count() + 1)
    .where(
        AttemptRow.run_id == bindparam("of_run"),
        AttemptRow.stage == bindparam("of_stage", type_=AttemptRow.stage.type),
    )
    .scalar_subquery()
)
# The stage goes in twice: PostgreSQL wants one type for each parameter.
OPEN = (
    insert(AttemptRow)
    .values(
        run_id=bindparam("of_run"),
        token=bindparam("under"),
        stage=bindparam("in_stage", type_=AttemptRow.stage.type),
        number=NEXT_NUMBER,
        worker=bindparam("by"),
        ending=AttemptEnding.RUNNING,
        started_at=bindparam("now"),
        detail="",
        toolchain="",
        isolation="",
    )
    .returning(AttemptRow.id, AttemptRow.number)
)

ENDING = select(AttemptRow.ending).where(
    AttemptRow.run_id == bindparam("of_run"), AttemptRow.token == bindparam("under")
)


def open_attempt(
    session: Session, run_id: int, token: int, stage: Stage, worker: str, now: float
) -> tuple[int, int]:
    """A running attempt under `token`; returns its id and its number within the stage."""
    opened = session.connection().execute(
        OPEN,
        {
            "of_run": run_id,
            "under": token,
            "in_stage": stage,
            "of_stage": stage,
            "by": worker,
            "now": now,
        },
    )
    attempt_id, number = opened.one()
    return attempt_id, number


def close_attempt(
    session: Session,
    run_id: int,
    token: int,
    ending: AttemptEnding,
    now: float,
    **facts: object,
) -> bool:
    """End the attempt of `run_id` under `token`, with what is known of it; whether it did.

    A fenced ending overwrites only what the farm had assumed about a silent worker; every
    other ending only a running attempt. What the farm spoiled is counted by its category.
    """
    values = {"ending": ending, "ended_at": now, **facts}
    changed = session.connection().execute(
        _closing(ending is AttemptEnding.FENCED, tuple(sorted(values))),
        {"of_run": run_id, "under": token, **{f"new_{name}": values[name] for name in values}},
    )
    if changed.rowcount != 1:
        return False
    if ending in SPOILED:
        category = VoidCategory(str(facts.get("category", VoidCategory.UNKNOWN)))
        count_spoiled(session, run_id, token, ending, category, now)
    return True


def has_ended(session: Session, run_id: int, token: int, ending: AttemptEnding) -> bool:
    """Whether the attempt of `run_id` under `token` ended that way."""
    ours = {"of_run": run_id, "under": token}
    return session.connection().execute(ENDING, ours).scalar_one_or_none() is ending


@cache
def _closing(fenced: bool, columns: tuple[str, ...]) -> Update:
    closable = REFUSABLE if fenced else (AttemptEnding.RUNNING,)
    return (
        update(AttemptRow)
        .where(
            AttemptRow.run_id == bindparam("of_run"),
            AttemptRow.token == bindparam("under"),
            AttemptRow.ending.in_(closable),
        )
        .values({name: bindparam(f"new_{name}") for name in columns})
    )
