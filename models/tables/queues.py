"""The queues that runs wait in."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.run import Stage
from models.tables.base import Base, SmallKey, closed_set


class QueueRow(Base):
    """One queue of the broker, numbered so that a run can carry it in one small integer."""

    __tablename__ = "queues"

    pk: Mapped[SmallKey]
    name: Mapped[str] = mapped_column(String(100), unique=True)
    stage: Mapped[Stage] = mapped_column(closed_set(Stage, "stage"))
