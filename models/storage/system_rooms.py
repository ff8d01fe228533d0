"""How many runs of limited systems may be queued, beside those that are on their way."""

from collections import Counter
from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from models.schemas.run import Stage
from models.schemas.system_limit import SystemLimit
from models.storage.dispatching import InFlight
from models.storage.system_limits import AT_WORK
from models.storage.transitions import in_states
from models.tables.runs import RunRow
from models.tables.system_limits import SystemLimitRow
from models.tables.systems import SystemRow

UNLIMITED = 1_000_000
LIMITED = (
    select(
        SystemRow.pk,
        SystemLimitRow.digest,
        SystemLimitRow.max_concurrent,
        SystemLimitRow.starts_per_minute,
        SystemLimitRow.next_start_at,
    )
    .join(SystemRow, SystemRow.digest == SystemLimitRow.digest)
    .where(SystemLimitRow.digest.in_(bindparam("digests", expanding=True)))
)
RUNNING = (
    select(RunRow.system_pk, func.count())
    .where(in_states(AT_WORK), RunRow.system_pk.in_(bindparam("systems", expanding=True)))
    .group_by(RunRow.system_pk)
)


def system_rooms(
    session: Session, digests: Collection[str], moving: Sequence[InFlight], now: float
) -> dict[str, int]:
    """How many more runs of each of the systems may be queued at `now`; asks nothing for none.

    A message in flight takes its place as a run at work does: it may begin at any moment.
    """
    if not digests:
        return {}
    connection = session.connection()
    digest_of: dict[int, str] = {}
    limits: dict[str, SystemLimit] = {}
    asked = {"digests": list(digests)}
    for pk, digest, most, per_minute, due in connection.execute(LIMITED, asked):
        digest_of[pk] = digest
        limits[digest] = SystemLimit(
            max_concurrent=most, starts_per_minute=per_minute, next_start_at=due
        )
    running: Counter[str] = Counter()
    for pk, runs in connection.execute(RUNNING, {"systems": list(digest_of)}):
        running[digest_of[pk]] += runs
    queued: Counter[str] = Counter()
    for each in moving:
        if each.stage is Stage.AGENT and each.system_pk in digest_of:
            queued[digest_of[each.system_pk]] += each.messages
    return {
        digest: _room(limit, running[digest], queued[digest], now)
        for digest, limit in limits.items()
    }


def _room(limit: SystemLimit, running: int, queued: int, now: float) -> int:
    rooms = [
        None if limit.max_concurrent is None else limit.max_concurrent - running,
        limit.starts_now(now),
    ]
    # A row may be there whose limits were both taken away.
    return max(0, min((room - queued for room in rooms if room is not None), default=UNLIMITED))
