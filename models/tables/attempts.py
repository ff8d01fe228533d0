"""Every try of every stage, kept."""

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.run import Stage
from models.tables.base import Base, BigId, BigKey, closed_set
from models.verdicts import AttemptEnding, StopReason, VoidCategory


class AttemptRow(Base):
    """One try of one stage of a run, under the lease with that `token`.

    `cost_microusd` and `tokens` are what it used, or was charged where nobody knows. `replies` is
    what became of a language model's replies, as JSON; equal ones are the same text.
    """

    __tablename__ = "attempts"

    id: Mapped[BigKey]
    run_id: Mapped[int] = mapped_column(BigId, ForeignKey("runs.id"))
    token: Mapped[int]
    stage: Mapped[Stage] = mapped_column(closed_set(Stage, "stage"))
    number: Mapped[int]
    worker: Mapped[str] = mapped_column(String(128))
    ending: Mapped[AttemptEnding] = mapped_column(closed_set(AttemptEnding, "ending"))
    started_at: Mapped[float]
    ended_at: Mapped[float | None]
    category: Mapped[VoidCategory | None] = mapped_column(closed_set(VoidCategory, "category"))
    detail: Mapped[str] = mapped_column(Text, default="")
    stop_reason: Mapped[StopReason | None] = mapped_column(closed_set(StopReason, "stop_reason"))
    snapshot: Mapped[str | None] = mapped_column(String(71))
    transcript: Mapped[str | None] = mapped_column(String(71))
    wall_s: Mapped[float | None]
    cpu_s: Mapped[float | None]
    peak_memory_bytes: Mapped[int | None] = mapped_column(BigId)
    cost_microusd: Mapped[int | None] = mapped_column(BigId)
    tokens: Mapped[int | None] = mapped_column(BigId)
    replies: Mapped[str | None] = mapped_column(Text)
    toolchain: Mapped[str] = mapped_column(Text, default="")
    isolation: Mapped[str] = mapped_column(Text, default="")

    __table_args__ = (UniqueConstraint("run_id", "token"),)
