"""The hands of the farm, as they reported themselves."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.worker import Duty
from models.tables.base import Base, closed_set


class WorkerRow(Base):
    """One worker process group; `document` is its WorkerRecord as JSON.

    `duty` with its reason, author and time is what it was told to do. A worker that starts again
    under its name finds it there.
    """

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(128), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    started_at: Mapped[float]
    beat_at: Mapped[float]
    duty: Mapped[Duty] = mapped_column(closed_set(Duty, "duty"), server_default="serve")
    duty_reason: Mapped[str] = mapped_column(Text, server_default="")
    duty_by: Mapped[str] = mapped_column(String(16), server_default="")
    duty_since: Mapped[float] = mapped_column(server_default="0")
    result_at: Mapped[float] = mapped_column(server_default="0")
