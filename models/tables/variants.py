"""One task in one language, at one universe."""

from sqlalchemy import String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, SmallKey


class VariantRow(Base):
    """A variant as it was when a campaign used it."""

    __tablename__ = "variants"

    pk: Mapped[SmallKey]
    task: Mapped[str] = mapped_column(String(64))
    language: Mapped[str] = mapped_column(String(64))
    universe: Mapped[str] = mapped_column(String(71))
    public_digest: Mapped[str] = mapped_column(String(71))

    __table_args__ = (UniqueConstraint("task", "language", "universe", "public_digest"),)
