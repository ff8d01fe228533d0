"""Records of runs: kept in the commits of their stages, so that a fenced one leaves none."""

from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.records.log_leaves import leaf_name, void_leaf
from models.schemas.stage_record import GradeStageRecord, OpenedRecord
from models.storage.regrades import OldRun, beside_source
from models.storage.runs import find_run
from models.storage.transparency_log import enter_leaf, enter_leaf_if_kept
from models.tables.farm_log import LogEntryRow
from models.tables.run_records import RunRecordRow
from models.tables.runs import RunRow

SOURCE = beside_source(OldRun.id).where(RunRow.id == bindparam("of_run"))
"""The run that one of a regrade grades again."""
KEEP = insert(RunRecordRow)
OPENED = (
    select(
        RunRecordRow.recorded_run,
        RunRecordRow.open_entry,
        RunRecordRow.stage_lines,
        RunRecordRow.stage_seal,
        LogEntryRow.leaf,
    )
    .select_from(RunRecordRow)
    .outerjoin(LogEntryRow, LogEntryRow.id == RunRecordRow.close_entry)
    .where(RunRecordRow.run_id == bindparam("of_run"))
)
CLOSE = (
    update(RunRecordRow)
    .where(RunRecordRow.run_id == bindparam("of_run"))
    .values(
        grade_lines=bindparam("new_lines"),
        grade_seal=bindparam("new_seal"),
        close_entry=bindparam("new_entry"),
        digest=bindparam("new_digest"),
    )
)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A whole record as it is kept."""

    recorded_run: int
    open_entry: int
    close_entry: int
    stage_lines: str
    stage_seal: str
    grade_lines: str
    grade_seal: str


def keep_stage_record(session: Session, run_id: int, record: OpenedRecord) -> None:
    """Keep what the agent stage of a run recorded; its key makes a second one impossible."""
    session.connection().execute(KEEP, _stage_values(run_id, record))


def opened_record(session: Session, run_id: int) -> OpenedRecord | None:
    """What the grade stage of a run goes on from: its own agent stage, or that of the run which it
    grades again. None where neither recorded anything."""
    row = session.connection().execute(OPENED, {"of_run": run_id}).one_or_none()
    again = None
    if row is None:
        again = session.connection().execute(SOURCE, {"of_run": run_id}).scalar_one_or_none()
        row = session.connection().execute(OPENED, {"of_run": again}).one_or_none()
    if row is None:
        return None
    return OpenedRecord(
        recorded_run=row.recorded_run,
        open_entry=row.open_entry,
        lines=row.stage_lines,
        seal=row.stage_seal,
        grades_again=again,
        earlier="" if row.leaf is None else leaf_name(row.leaf),
    )


def close_record(session: Session, run_id: int, record: GradeStageRecord) -> None:
    """Keep what the grade stage of a run recorded, and enter its closing into the log."""
    opened = record.opened
    if opened.grades_again is not None:
        session.connection().execute(KEEP, _stage_values(run_id, opened))
    session.connection().execute(
        CLOSE,
        {
            "of_run": run_id,
            "new_lines": record.lines,
            "new_seal": record.seal,
            "new_entry": enter_leaf(session, record.leaf),
            "new_digest": record.digest,
        },
    )


def _stage_values(run_id: int, opened: OpenedRecord) -> dict[str, object]:
    return {
        "run_id": run_id,
        "recorded_run": opened.recorded_run,
        "open_entry": opened.open_entry,
        "stage_lines": opened.lines,
        "stage_seal": opened.seal,
    }


def tell_log_of_void(session: Session, held: tuple[int, int], why: str) -> None:
    """The log shall say that the attempt under a lease, given as (run id, token), left nothing.

    Before it is closed: workers with an agent's rights may speak of attempts that go on only.
    """
    enter_leaf_if_kept(session, void_leaf(str(held[0]), held[1], why))


def kept_lines(session: Session, run_id: int) -> list[str]:
    """The packed lines of a run's record, of one stage or of both. Raises NotFound."""
    row = session.get(RunRecordRow, run_id)
    if row is None:
        raise _not_recorded(session, run_id)
    return [row.stage_lines, *((row.grade_lines,) if row.grade_lines else ())]


def _not_recorded(session: Session, run_id: int, state: str = "has no record") -> NotFound:
    """What to raise. Raises NotFound itself where there is no such run."""
    find_run(session, run_id)
    return NotFound(
        f"run {run_id} {state}.",
        remedy="`gradefarm runs show` tells how far the run is; a worker without its key in "
        "GRADEFARM_KEYS records nothing.",
    )


def kept_record(session: Session, run_id: int) -> KeptRecord:
    """The whole record of a run. Raises NotFound where there is none, or none that is closed."""
    row = session.get(RunRecordRow, run_id)
    if row is None or row.close_entry is None:
        state = "has no record" if row is None else "is not graded yet: its record is open"
        raise _not_recorded(session, run_id, state)
    return KeptRecord(
        recorded_run=row.recorded_run,
        open_entry=row.open_entry,
        close_entry=row.close_entry,
        stage_lines=row.stage_lines,
        stage_seal=row.stage_seal,
        grade_lines=row.grade_lines or "",
        grade_seal=row.grade_seal or "",
    )
