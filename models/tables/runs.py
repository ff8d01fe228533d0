"""The unit of scoring, one small row each: there may be millions."""

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from models.schemas.run import RunState
from models.tables.base import Base, BigKey, closed_set
from models.verdicts import StopReason, VoidCategory

WAITING_STATES = (RunState.PLANNED, RunState.FROZEN)
QUEUED_STATES = (RunState.AGENT_QUEUED, RunState.GRADE_QUEUED)
LEASED_STATES = (RunState.AGENT_LEASED, RunState.GRADE_LEASED)


def _index(name: str, states: tuple[RunState, ...], *columns: str) -> Index:
    """An index over the rows in `states` only: a scan then costs what it finds."""
    listed = ", ".join(f"'{state}'" for state in states)
    only = text(f"state IN ({listed})")
    return Index(name, *columns, sqlite_where=only, postgresql_where=only)


class RunRow(Base):
    """One run. `queue_pk` is the queue of the stage that it needs next. `system_pk` repeats its
    cell's, so that the runs of each system wait in a lane of their own.

    `agent_tries` and `grade_tries` count the attempts that ended void or lost, not the
    interrupted ones. `not_before` keeps a run from being queued again at once. `queued_at` is since
    when a message for it waits for a worker; None where none does.
    """

    __tablename__ = "runs"

    id: Mapped[BigKey]
    campaign_pk: Mapped[int] = mapped_column(ForeignKey("campaigns.pk"))
    cell_pk: Mapped[int] = mapped_column(ForeignKey("cells.pk"))
    repeat: Mapped[int]
    state: Mapped[RunState] = mapped_column(closed_set(RunState, "state"))
    queue_pk: Mapped[int] = mapped_column(ForeignKey("queues.pk"))
    system_pk: Mapped[int]
    token: Mapped[int] = mapped_column(default=0)
    agent_tries: Mapped[int] = mapped_column(default=0)
    grade_tries: Mapped[int] = mapped_column(default=0)
    not_before: Mapped[float] = mapped_column(default=0.0)
    queued_at: Mapped[float | None]
    queued_until: Mapped[float | None]
    lease_until: Mapped[float | None]
    worker: Mapped[str | None] = mapped_column(String(128))
    snapshot: Mapped[str | None] = mapped_column(String(71))
    stop_reason: Mapped[StopReason | None] = mapped_column(closed_set(StopReason, "stop_reason"))
    changed: Mapped[bool | None]
    void_category: Mapped[VoidCategory | None] = mapped_column(
        closed_set(VoidCategory, "void_category")
    )
    ended_at: Mapped[float | None]

    __table_args__ = (
        UniqueConstraint("cell_pk", "repeat"),
        CheckConstraint("repeat >= 1", name="repeat_positive"),
        CheckConstraint(
            "(lease_until IS NOT NULL) = (state IN ('agent_leased', 'grade_leased'))",
            name="lease_while_leased",
        ),
        CheckConstraint(
            "(void_category IS NOT NULL) = (state = 'void')",
            name="category_when_void",
        ),
        _index(
            "ix_runs_waiting",
            WAITING_STATES,
            *("campaign_pk", "queue_pk", "system_pk", "repeat", "cell_pk"),
        ),
        _index(
            "ix_runs_queued",
            QUEUED_STATES,
            *("queued_until", "queue_pk", "system_pk", "campaign_pk"),
        ),
        _index("ix_runs_leased", LEASED_STATES, "lease_until"),
        _index("ix_runs_at_work", (RunState.AGENT_LEASED,), "system_pk"),
        _index("ix_runs_void", (RunState.VOID,), "campaign_pk", "cell_pk", "repeat"),
    )
