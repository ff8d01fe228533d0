"""What is evaluated."""

from sqlalchemy import String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, SmallKey


class SystemRow(Base):
    """One system under one name. `digest` is its SystemId; `settings` is JSON."""

    __tablename__ = "systems"

    pk: Mapped[SmallKey]
    digest: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(64))
    agent: Mapped[str] = mapped_column(String(64))
    settings: Mapped[str] = mapped_column(Text)

    __table_args__ = (UniqueConstraint("digest", "name"),)
