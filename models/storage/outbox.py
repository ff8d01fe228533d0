"""Messages between the decision to send them and the broker's yes."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, insert, select
from sqlalchemy.orm import Session

from models.messaging.messages import StageMessage
from models.schemas.run import Stage
from models.tables.cells import CellRow
from models.tables.outbox import OutboxRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow

REMEMBER = insert(OutboxRow)
PENDING = (
    select(
        OutboxRow.id.label("outbox_id"),
        OutboxRow.run_id,
        OutboxRow.stage,
        OutboxRow.token,
        RunRow.repeat,
        SystemRow.agent,
        SystemRow.name.label("system"),
        VariantRow.task,
        VariantRow.language,
    )
    .select_from(OutboxRow)
    .join(RunRow, RunRow.id == OutboxRow.run_id)
    .join(CellRow, CellRow.pk == RunRow.cell_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
    .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
    .order_by(OutboxRow.id)
    .limit(bindparam("at_most"))
)
FORGET = delete(OutboxRow).where(OutboxRow.id.in_(bindparam("ids", expanding=True)))
FORGET_RUNS = delete(OutboxRow).where(OutboxRow.run_id.in_(bindparam("ids", expanding=True)))


@dataclass(frozen=True)
class PendingMessage:
    """A message to send, with the id of the row that remembers it."""

    outbox_id: int
    message: StageMessage


def remember_messages(
    session: Session, stage: Stage, runs: Sequence[tuple[int, int]], now: float
) -> None:
    """Keep one message for each (run id, token) until it is sent."""
    if runs:
        session.connection().execute(
            REMEMBER,
            [
                {"run_id": run_id, "stage": stage, "token": token, "created_at": now}
                for run_id, token in runs
            ],
        )


def pending_messages(session: Session, limit: int) -> list[PendingMessage]:
    """The oldest `limit` messages that no broker took yet."""
    found = session.connection().execute(PENDING, {"at_most": limit}).mappings()
    return [
        PendingMessage(
            row["outbox_id"],
            StageMessage(
                run_id=row["run_id"],
                stage=row["stage"],
                token_hint=row["token"],
                agent=row["agent"],
                system=row["system"],
                task=row["task"],
                language=row["language"],
                repeat=row["repeat"],
            ),
        )
        for row in found
    ]


def forget_messages(session: Session, outbox_ids: Sequence[int]) -> None:
    """Drop messages that the broker took."""
    if outbox_ids:
        session.connection().execute(FORGET, {"ids": list(outbox_ids)})


def forget_messages_of(session: Session, run_ids: Sequence[int]) -> None:
    """Drop the unsent messages of runs that are not queued any more."""
    if run_ids:
        session.connection().execute(FORGET_RUNS, {"ids": list(run_ids)})
