"""The record of each run: events and seals, in the same commit as what they tell of."""

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, BigId


class RunRecordRow(Base):
    """Written when the agent stage is frozen, completed when the run is graded.

    `recorded_run` is the run whose agent stage it tells of: another one where this run grades it
    again. `stage_lines` and `grade_lines` are packed (`models/storage/packed_lines.py`), the seals
    DSSE envelopes as JSON. `digest` is the SHA-256 of what the grader signed, in hexadecimal.
    """

    __tablename__ = "run_records"

    run_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("runs.id"), primary_key=True, autoincrement=False
    )
    recorded_run: Mapped[int] = mapped_column(BigId)
    open_entry: Mapped[int] = mapped_column(BigId, ForeignKey("log_entries.id"))
    stage_lines: Mapped[str] = mapped_column(Text)
    stage_seal: Mapped[str] = mapped_column(Text)
    grade_lines: Mapped[str | None] = mapped_column(Text)
    grade_seal: Mapped[str | None] = mapped_column(Text)
    close_entry: Mapped[int | None] = mapped_column(BigId, ForeignKey("log_entries.id"))
    digest: Mapped[str | None] = mapped_column(String(64))
