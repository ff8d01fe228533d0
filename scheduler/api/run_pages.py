"""Reads a page of runs at a bounded cost, however many there are and however few fit."""

from models.clock import Clock
from models.schemas.run import RunState
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import RunView
from models.storage.runs import list_runs, run_span
from models.storage.transaction import Database
from models.verdicts import Verdict

WINDOW = 20_000
"""Runs that are looked through in one go, where no index knows which ones fit."""
PATIENCE_S = 0.5
"""When a page ends, be it short: whoever asked goes on behind what was looked through."""
INDEXED = frozenset(
    {
        RunState.AGENT_QUEUED,
        RunState.AGENT_LEASED,
        RunState.GRADE_QUEUED,
        RunState.GRADE_LEASED,
        RunState.VOID,
    }
)


def page_of_runs(
    database: Database, wanted: RunFilter, *, limit: int, after: int, clock: Clock
) -> tuple[list[RunView], int | None]:
    """Up to `limit` runs behind the run `after`, and behind which run to go on; None at the end.

    Raises NotFound for an unknown campaign.
    """
    give_up = clock.monotonic() + PATIENCE_S
    with database.read() as session:
        first, last = run_span(session, wanted.campaign_id)
        after = max(after, first - 1)
        window = last if _is_indexed(wanted) else WINDOW
        found: list[RunView] = []
        while after < last:
            upto = min(after + window, last)
            room = limit - len(found)
            part = list_runs(session, wanted, limit=room, after=after, upto=upto)
            found += part
            after = part[-1].id if len(part) == room else upto
            if len(found) == limit or clock.monotonic() > give_up:
                break
    return found, after if after < last else None


def _is_indexed(wanted: RunFilter) -> bool:
    return wanted.verdict is Verdict.VOID or wanted.state in INDEXED
