"""What the checks said, at most once for each run."""

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, BigId, closed_set
from models.verdicts import Verdict


class CheckReportRow(Base):
    """The counted result of a run; its key makes a second one impossible.

    `outcomes` is a JSON list of [check id, outcome] in plan order; the full report with its
    evidence is the artifact `report`. `gate_evidence` is the GateEvidence as JSON, only there for
    the subjects of a gate.
    """

    __tablename__ = "check_reports"

    run_id: Mapped[int] = mapped_column(BigId, ForeignKey("runs.id"), primary_key=True)
    attempt_id: Mapped[int] = mapped_column(BigId, ForeignKey("attempts.id"))
    verdict: Mapped[Verdict] = mapped_column(closed_set(Verdict, "verdict"))
    undelivered: Mapped[bool]
    built: Mapped[bool]
    universe: Mapped[str] = mapped_column(String(71))
    manifest_digest: Mapped[str] = mapped_column(String(71))
    outcomes: Mapped[str] = mapped_column(Text)
    report: Mapped[str] = mapped_column(String(71))
    graded_at: Mapped[float]
    gate_evidence: Mapped[str | None] = mapped_column(Text)
