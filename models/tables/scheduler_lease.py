"""Which scheduler is the active one."""

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, SmallKey


class SchedulerLeaseRow(Base):
    """The only row says who schedules until when, and names the broker's life as `epoch`.

    `protocol` is that of the code which last upgraded this database: see `models/protocol.py`.
    """

    __tablename__ = "scheduler_lease"

    pk: Mapped[SmallKey]
    owner: Mapped[str] = mapped_column(String(128))
    until: Mapped[float]
    epoch: Mapped[str] = mapped_column(String(64))
    protocol: Mapped[int]

    __table_args__ = (CheckConstraint("pk = 1", name="one_row"),)
