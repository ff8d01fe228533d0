"""The hands of the farm, as they reported themselves."""

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base


class WorkerRow(Base):
    """One worker process group; `document` is its WorkerRecord as JSON."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(128), primary_key=True)
    document: Mapped[str] = mapped_column(Text)
    started_at: Mapped[float]
    beat_at: Mapped[float]
