"""How many attempts the farm spoiled, and for which reason."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from models.tables.base import Base, BigId, closed_set
from models.verdicts import AttemptEnding, VoidCategory


class AttemptTallyRow(Base):
    """How many attempts of a campaign ended one way for one reason; it only ever grows.

    Kept in the transaction that ends an attempt as void, lost or fenced. One that is fenced after
    it was lost is counted under both: each of them happened. `newest_*` name the newest one.
    """

    __tablename__ = "attempt_tallies"

    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"), primary_key=True)
    ending: Mapped[AttemptEnding] = mapped_column(
        closed_set(AttemptEnding, "ending"), primary_key=True
    )
    category: Mapped[VoidCategory] = mapped_column(
        closed_set(VoidCategory, "category"), primary_key=True
    )
    attempts: Mapped[int] = mapped_column(BigId)
    newest_run_id: Mapped[int] = mapped_column(BigId)
    newest_token: Mapped[int]
    newest_at: Mapped[float]
