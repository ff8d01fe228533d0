"""What campaigns may use up, what they have, and what is held for runs at work."""

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.budget import Resource
from models.tables.base import Base, BigId, closed_set


class CampaignBudgetRow(Base):
    """One resource of one campaign, in the resource's whole units.

    `total` is None where use is only added up. A run reserves `run_cap` before it starts.
    """

    __tablename__ = "campaign_budgets"

    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"), primary_key=True)
    resource: Mapped[Resource] = mapped_column(closed_set(Resource, "resource"), primary_key=True)
    total: Mapped[int | None] = mapped_column(BigId)
    run_cap: Mapped[int] = mapped_column(BigId)
    reserved: Mapped[int] = mapped_column(BigId)
    spent: Mapped[int] = mapped_column(BigId)

    __table_args__ = (
        CheckConstraint("reserved >= 0 AND spent >= 0", name="amounts_not_negative"),
        CheckConstraint("total IS NULL OR run_cap > 0", name="cap_where_limited"),
    )


class ReservationRow(Base):
    """What is held for the agent stage of a run that is at work under `token`.

    The key makes a second reservation for the same run impossible.
    """

    __tablename__ = "reservations"

    run_id: Mapped[int] = mapped_column(BigId, ForeignKey("runs.id"), primary_key=True)
    resource: Mapped[Resource] = mapped_column(closed_set(Resource, "resource"), primary_key=True)
    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"))
    token: Mapped[int]
    amount: Mapped[int] = mapped_column(BigId)

    __table_args__ = (CheckConstraint("amount > 0", name="amount_positive"),)
