"""Who asked for a campaign and who changed it, over HTTP."""

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, BigKey


class CampaignRequestRow(Base):
    """A request that made a campaign, under the key that its sender chose.

    The same sender with the same `request_key` means the same campaign; `digest` is what was
    asked for, so that a key that is used for something else is noticed.
    """

    __tablename__ = "campaign_requests"

    id: Mapped[BigKey]
    actor: Mapped[str] = mapped_column(String(64))
    request_key: Mapped[str] = mapped_column(String(200))
    digest: Mapped[str] = mapped_column(String(71))
    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"))
    created_at: Mapped[float]

    __table_args__ = (UniqueConstraint("actor", "request_key"), Index(None, "campaign_pk"))


class CampaignChangeRow(Base):
    """Something that somebody did to a campaign; `actor` is the name of a token."""

    __tablename__ = "campaign_changes"

    id: Mapped[BigKey]
    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"))
    actor: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(64))
    changed_at: Mapped[float]

    __table_args__ = (Index(None, "campaign_pk"),)
