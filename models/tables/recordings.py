"""Recordings from elsewhere. No run, cell or campaign knows of them, and nothing that counts."""

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.recording import RecordingFormat
from models.tables.base import Base, BigKey, closed_set

NAME_LENGTH = 200


class RecordingRow(Base):
    """One imported recording. `document` is the digest of the artifact with all of it.

    `model` is the first one that took part. `session` and the names are cut to the column.
    """

    __tablename__ = "recordings"

    id: Mapped[BigKey]
    format: Mapped[RecordingFormat] = mapped_column(closed_set(RecordingFormat, "format"))
    agent: Mapped[str] = mapped_column(String(NAME_LENGTH))
    agent_version: Mapped[str] = mapped_column(String(NAME_LENGTH))
    model: Mapped[str] = mapped_column(String(NAME_LENGTH))
    session: Mapped[str] = mapped_column(String(NAME_LENGTH))
    steps: Mapped[int]
    tokens: Mapped[int | None] = mapped_column(BigInteger)
    cost_microusd: Mapped[int | None] = mapped_column(BigInteger)
    started_at: Mapped[float | None]
    imported_at: Mapped[float]
    document: Mapped[str] = mapped_column(String(71), unique=True)
