"""How much of a system may happen at once."""

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base


class SystemLimitRow(Base):
    """The limits of the system with that digest, under whatever name; no row, no limits.

    Whoever starts a run of the system holds this row's lock until it has committed.
    """

    __tablename__ = "system_limits"

    digest: Mapped[str] = mapped_column(String(16), primary_key=True)
    max_concurrent: Mapped[int | None]
    starts_per_minute: Mapped[int | None]
    next_start_at: Mapped[float]
    set_by: Mapped[str] = mapped_column(String(80))

    __table_args__ = (
        CheckConstraint(
            "max_concurrent >= 1 AND starts_per_minute >= 1",
            name="limits_positive",
        ),
    )
