"""One system on one variant, and how its runs ended."""

from sqlalchemy import CheckConstraint, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, SmallKey


class CellRow(Base):
    """A cell. `position` is its place in the campaign's plan, from 0."""

    __tablename__ = "cells"

    pk: Mapped[SmallKey]
    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"))
    position: Mapped[int]
    system_pk: Mapped[int] = mapped_column(ForeignKey("systems.pk"), index=True)
    variant_pk: Mapped[int] = mapped_column(ForeignKey("variants.pk"), index=True)
    agent_queue_pk: Mapped[int] = mapped_column(ForeignKey("queues.pk"))
    grade_queue_pk: Mapped[int] = mapped_column(ForeignKey("queues.pk"))

    __table_args__ = (
        UniqueConstraint("campaign_pk", "position"),
        UniqueConstraint("campaign_pk", "system_pk", "variant_pk"),
    )


class CellTallyRow(Base):
    """How many runs of a cell ended one way, kept in the transaction that ends a run.

    `ending` is `passed`, `failed`, `undelivered` (failed, and nothing was delivered: not also
    under `failed`), `cancelled`, or `void.<category>`.
    """

    __tablename__ = "cell_tallies"

    cell_pk: Mapped[int] = mapped_column(ForeignKey("cells.pk"), primary_key=True)
    ending: Mapped[str] = mapped_column(String(40), primary_key=True)
    runs: Mapped[int]

    __table_args__ = (CheckConstraint("runs >= 0", name="runs_not_negative"),)
