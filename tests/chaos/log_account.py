"""The farm's log after a storm: does it hold, and say of every attempt what became of it?"""

from sqlalchemy import select

from models.schemas.run import RunState
from models.storage.transaction import Database
from models.storage.transparency_log import has_pending
from models.tables.runs import RunRow
from scheduler.log_check import check_log

GRADED = select(RunRow.id).where(RunRow.state == RunState.GRADED)


def log_is_ordered(database: Database) -> bool:
    """Whether every leaf has its place."""
    with database.read() as session:
        return not has_pending(session)


def log_faults(database: Database) -> list[str]:
    """What the log says otherwise, and graded runs with an attempt that it says nothing more of.

    Attempts of workers that had no key leave no record; a storm all of those would prove nothing.
    """
    checked = check_log(database)
    found = checked.findings
    with database.read() as session:
        graded = {str(run) for run in session.execute(GRADED).scalars()}
    hidden = [
        f"run {run} is graded, and the log never says what became of its attempt {attempt}"
        for run, attempt in found.open
        if run in graded
    ]
    waiting = [f"{checked.pending} leaves wait for their place"] if checked.pending else []
    silent = [] if found.closed else ["no run was recorded"]
    return [*found.faults, *hidden, *waiting, *silent]
