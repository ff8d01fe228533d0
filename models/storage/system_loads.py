"""The systems of a farm beside their limits: what runs of them, and how fast they begin."""

from collections import Counter

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from models.schemas.run import Stage
from models.schemas.system_limit import MINUTE_S, SystemLimits, SystemLoad
from models.storage.dispatching import in_flight
from models.storage.system_limits import AT_WORK
from models.storage.transitions import in_states
from models.tables.attempts import AttemptRow
from models.tables.runs import RunRow
from models.tables.system_limits import SystemLimitRow
from models.tables.systems import SystemRow

AT_ONCE = 500
MOST_STARTS = 20_000
"""How many of the newest attempts are looked at: after a step back of the clock the times of
many lie ahead, and no time ends the look."""


def system_loads(session: Session, now: float) -> list[SystemLoad]:
    """Every system, the newest first."""
    rows = session.execute(select(SystemRow).order_by(SystemRow.pk.desc())).scalars().all()
    limits = {row.digest: row for row in session.execute(select(SystemLimitRow)).scalars()}
    running = _running(session)
    started = _started(session, now - MINUTE_S, now)
    queued: Counter[int] = Counter()
    for each in in_flight(session):
        queued[each.system_pk] += each.messages if each.stage is Stage.AGENT else 0
    found: dict[str, list[SystemRow]] = {}
    for row in rows:
        found.setdefault(row.digest, []).append(row)
    return [
        SystemLoad(
            system_id=digest,
            names=tuple(dict.fromkeys(row.name for row in named)),
            agent=named[0].agent,
            limits=_limits_of(limits.get(digest)),
            set_by="" if digest not in limits else limits[digest].set_by,
            running=sum(running[row.pk] for row in named),
            queued=sum(queued[row.pk] for row in named),
            starts_last_minute=sum(started[row.pk] for row in named),
        )
        for digest, named in found.items()
    ]


def _limits_of(row: SystemLimitRow | None) -> SystemLimits:
    if row is None:
        return SystemLimits()
    return SystemLimits(max_concurrent=row.max_concurrent, starts_per_minute=row.starts_per_minute)


def _running(session: Session) -> Counter[int]:
    counted = (
        select(RunRow.system_pk, func.count()).where(in_states(AT_WORK)).group_by(RunRow.system_pk)
    )
    return Counter({row[0]: row[1] for row in session.execute(counted)})


def _started(session: Session, since: float, now: float) -> Counter[int]:
    """Agent stages that began after `since`, by system: attempts are numbered as they begin."""
    counts: Counter[int] = Counter()
    newest = (
        select(AttemptRow.started_at, AttemptRow.stage, RunRow.system_pk)
        .join(RunRow, RunRow.id == AttemptRow.run_id)
        .order_by(AttemptRow.id.desc())
        .limit(MOST_STARTS)
    )
    for began, stage, system_pk in session.execute(newest.execution_options(yield_per=AT_ONCE)):
        if began <= since:
            break
        if stage is Stage.AGENT and began <= now:
            counts[system_pk] += 1
    return counts
