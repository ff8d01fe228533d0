"""What people asked for."""

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.campaign import CampaignKind, CampaignState
from models.tables.base import Base, SmallKey, closed_set


class CampaignRow(Base):
    """One campaign. `spec` is the resolved CampaignSpec as JSON; `limits` repeats its limits.

    `total` runs are asked for, the first `planned` of the plan are inserted; `planned_at` is
    when a planner last moved, so that another can take over a plan that stands still. `problem`
    is why the farm could not do what was due for it; empty where nothing was wrong. `source_pk` is
    the campaign whose frozen snapshots this one grades again. `stops_work`, which ends with the
    pause, is whether a pause takes back what is at work.
    """

    __tablename__ = "campaigns"

    pk: Mapped[SmallKey]
    id: Mapped[str] = mapped_column(String(80), unique=True)
    kind: Mapped[CampaignKind] = mapped_column(closed_set(CampaignKind, "kind"))
    state: Mapped[CampaignState] = mapped_column(closed_set(CampaignState, "state"))
    priority: Mapped[int]
    repeats: Mapped[int]
    max_attempts: Mapped[int]
    unproven: Mapped[bool]
    spec: Mapped[str] = mapped_column(Text)
    limits: Mapped[str] = mapped_column(Text)
    total: Mapped[int]
    planned: Mapped[int] = mapped_column(default=0)
    planned_at: Mapped[float] = mapped_column(default=0.0)
    created_at: Mapped[float]
    ended_at: Mapped[float | None]
    problem: Mapped[str] = mapped_column(Text, default="")
    source_pk: Mapped[int | None] = mapped_column(ForeignKey("campaigns.pk"))
    stops_work: Mapped[bool] = mapped_column(default=False, server_default=false())

    __table_args__ = (
        CheckConstraint("planned >= 0 AND planned <= total", name="planned_within_total"),
        CheckConstraint("repeats >= 1", name="repeats_positive"),
        Index(None, "state", "priority"),
    )


class CampaignQueueRow(Base):
    """A queue that runs of one system of a campaign pass through: where the dispatcher looks."""

    __tablename__ = "campaign_queues"

    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"), primary_key=True)
    queue_pk: Mapped[int] = mapped_column(ForeignKey("queues.pk"), primary_key=True)
    system_pk: Mapped[int] = mapped_column(ForeignKey("systems.pk"), primary_key=True)


class CampaignIsolationRow(Base):
    """An isolation in which counted attempts of a campaign were made."""

    __tablename__ = "campaign_isolations"

    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"), primary_key=True)
    isolation: Mapped[str] = mapped_column(Text, primary_key=True)
