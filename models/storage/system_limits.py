"""Limits of systems that hold for all workers and campaigns: set, looked at, enforced."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, String, bindparam, func, select, update
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.schemas.run import RunState
from models.schemas.system_limit import SystemLimit, SystemLimits
from models.storage.transitions import in_states, told_of_run
from models.storage.upserts import Upsert
from models.tables.runs import RunRow
from models.tables.system_limits import SystemLimitRow
from models.tables.systems import SystemRow

AT_WORK = (RunState.AGENT_LEASED,)
RETRY_S = 0.5
"""How long a run waits that came to a system which was full."""
SET = Upsert(
    SystemLimitRow,
    lambda insert: insert.values(next_start_at=0.0).on_conflict_do_update(
        index_elements=["digest"],
        set_={
            "max_concurrent": insert.excluded.max_concurrent,
            "starts_per_minute": insert.excluded.starts_per_minute,
            "set_by": insert.excluded.set_by,
        },
    ),
)
LOCKED = (
    select(
        SystemLimitRow.digest,
        SystemLimitRow.max_concurrent,
        SystemLimitRow.starts_per_minute,
        SystemLimitRow.next_start_at,
    )
    .where(
        SystemLimitRow.digest
        == select(SystemRow.digest).where(SystemRow.pk == bindparam("of_system")).scalar_subquery()
    )
    .with_for_update()
)
RUNNING = (
    select(func.count())
    .select_from(RunRow)
    .where(
        in_states(AT_WORK),
        RunRow.system_pk.in_(
            select(SystemRow.pk).where(SystemRow.digest == bindparam("of_digest"))
        ),
    )
)
STARTED = (
    update(SystemLimitRow)
    .where(SystemLimitRow.digest == bindparam("of_digest"))
    .values(next_start_at=bindparam("new_next"))
)


def of_limited_system() -> ColumnElement[Any]:
    """The id of a run's system where it has limits; None for almost every run."""
    return told_of_run(
        "SELECT kept.digest FROM system_limits AS kept"
        " JOIN systems AS named ON named.digest = kept.digest WHERE named.pk = runs.system_pk",
        String,
    )


def lock_limit(session: Session, system_pk: int) -> tuple[str, SystemLimit] | None:
    """The id and the limits of a system, None where it has none.

    Until this transaction ends nobody else starts a run of the system.
    """
    found = session.connection().execute(LOCKED, {"of_system": system_pk}).one_or_none()
    if found is None:
        return None
    digest, max_concurrent, starts_per_minute, next_start_at = found
    return digest, SystemLimit(
        max_concurrent=max_concurrent,
        starts_per_minute=starts_per_minute,
        next_start_at=next_start_at,
    )


def refused_until(session: Session, digest: str, limit: SystemLimit, now: float) -> float | None:
    """When a run that was just leased in this transaction, and counts already, may try again.

    None where it may start.
    """
    if limit.max_concurrent is not None:
        running = session.connection().execute(RUNNING, {"of_digest": digest}).scalar_one()
        if running > limit.max_concurrent:
            return now + RETRY_S
    return limit.first_start(now) if limit.starts_now(now) == 0 else None


def note_start(session: Session, digest: str, limit: SystemLimit, now: float) -> None:
    """A run of the system starts."""
    if limit.starts_per_minute is not None:
        following = {"of_digest": digest, "new_next": limit.after_start(now)}
        session.connection().execute(STARTED, following)


def find_system_id(session: Session, name: str) -> str:
    """The id of the newest system of that name; an id stands for itself. Raises NotFound."""
    named = (SystemRow.name == name) | (SystemRow.digest == name)
    newest = select(SystemRow.digest).where(named).order_by(SystemRow.pk.desc()).limit(1)
    digest = session.execute(newest).scalar_one_or_none()
    if digest is None:
        raise NotFound(
            f"there is no system {name}.",
            remedy="`gradefarm systems list` shows the systems of this farm.",
        )
    return digest


def read_limits(session: Session, digests: Iterable[str]) -> dict[str, SystemLimits]:
    """The limits of those of the systems that have any, by system id."""
    found = session.execute(select(SystemLimitRow).where(SystemLimitRow.digest.in_(digests)))
    return {
        row.digest: SystemLimits(
            max_concurrent=row.max_concurrent, starts_per_minute=row.starts_per_minute
        )
        for row in found.scalars()
    }


def set_limits(session: Session, wanted: Mapping[str, SystemLimits], set_by: str) -> None:
    """Set the limits of systems by id, in place of those that they had."""
    for digest, limits in sorted(wanted.items()):  # in one order, so that no two wait in a ring
        SET.run(session, digest=digest, set_by=set_by, **limits.model_dump())
