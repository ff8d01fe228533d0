"""The farm's transparency log: what was entered, in which order, and the hashes over it."""

from sqlalchemy import CheckConstraint, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, BigId, BigKey, SmallKey

PENDING = text("position IS NULL")


class FarmLogRow(Base):
    """The only row names the log, and holds its newest checkpoint as a signed note.

    `root_key` is the public key that all others are signed by, in base64.
    """

    __tablename__ = "farm_log"

    pk: Mapped[SmallKey]
    origin: Mapped[str] = mapped_column(String(80))
    root_key: Mapped[str] = mapped_column(String(44))
    size: Mapped[int] = mapped_column(BigId)
    checkpoint: Mapped[str] = mapped_column(Text)

    __table_args__ = (CheckConstraint("pk = 1", name="one_row"),)


class LogEntryRow(Base):
    """One leaf. `position` is None until the active scheduler has put it into the log."""

    __tablename__ = "log_entries"

    id: Mapped[BigKey]
    leaf: Mapped[str] = mapped_column(Text)
    position: Mapped[int | None] = mapped_column(BigId)

    __table_args__ = (
        UniqueConstraint("position"),
        Index("ix_log_entries_pending", "id", sqlite_where=PENDING, postgresql_where=PENDING),
    )


class LogNodeRow(Base):
    """The hash, in hexadecimal, of the complete subtree of 2^level leaves that is number `place` of
    its level; level 0 are the leaves themselves, which are hashed when they are needed."""

    __tablename__ = "log_nodes"

    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    place: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    hash: Mapped[str] = mapped_column(String(64))
