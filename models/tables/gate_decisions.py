"""What was decided about a verifier, every decision kept."""

from sqlalchemy import Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.gate import GateColour
from models.tables.base import Base, BigKey, closed_set


class GateDecisionRow(Base):
    """One decision of the parity gate; `document` is the ParityDecision as JSON."""

    __tablename__ = "gate_decisions"

    id: Mapped[BigKey]
    task: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(64))
    universe: Mapped[str] = mapped_column(String(71))
    colour: Mapped[GateColour] = mapped_column(closed_set(GateColour, "colour"))
    toolchain: Mapped[str] = mapped_column(Text)
    isolation: Mapped[str] = mapped_column(Text)
    campaign_id: Mapped[str] = mapped_column(String(80), index=True)
    decided_at: Mapped[float]
    document: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index(None, "task", "language", "universe"),)
