"""Messages that were decided on and not yet handed to the broker."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.run import Stage
from models.tables.base import Base, BigId, BigKey, closed_set


class OutboxRow(Base):
    """One message to send. The row goes when the broker took it."""

    __tablename__ = "outbox"

    id: Mapped[BigKey]
    run_id: Mapped[int] = mapped_column(BigId, ForeignKey("runs.id"))
    stage: Mapped[Stage] = mapped_column(closed_set(Stage, "stage"))
    token: Mapped[int]
    created_at: Mapped[float]
