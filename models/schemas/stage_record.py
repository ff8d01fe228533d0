"""What a stage leaves for the record of its run, ready to be stored beside its result."""

from models.schemas.base import Schema


class OpenedRecord(Schema):
    """The events of an agent stage, packed, with the recorder's seal as JSON.

    `recorded_run` is the run that they tell of, `open_entry` the log entry which says that it
    began. Where a run is graded again, `grades_again` is the one that was graded before, and
    `earlier` names the leaf that closed it; both are empty otherwise.
    """

    recorded_run: int
    open_entry: int
    lines: str
    seal: str
    grades_again: int | None = None
    earlier: str = ""


class GradeStageRecord(Schema):
    """The events of a grade stage, packed, with the grader's seal as JSON, the leaf that closes
    the run in the log, and the SHA-256 of what was sealed."""

    opened: OpenedRecord
    lines: str
    seal: str
    leaf: str
    digest: str
