"""What became of the replies of language models: kept with each attempt, counted by system."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.schemas.agents import COUNTED_AGENTS
from models.schemas.model_replies import ModelReplies, SystemReplies
from models.schemas.run import RunState
from models.schemas.transcript import Fate
from models.storage.campaigns import campaign_row
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow

OF_RUN = (
    select(AttemptRow.replies)
    .where(AttemptRow.run_id == bindparam("of_run"), AttemptRow.replies.is_not(None))
    .order_by(AttemptRow.token.desc())
    .limit(1)
)
COUNTED = (
    select(SystemRow.pk, SystemRow.name, SystemRow.digest)
    .join(CellRow, CellRow.system_pk == SystemRow.pk)
    .where(
        CellRow.campaign_pk.in_(bindparam("of_campaigns", expanding=True)),
        SystemRow.agent.in_(sorted(COUNTED_AGENTS)),
    )
    .group_by(SystemRow.pk, SystemRow.name, SystemRow.digest)
    .order_by(SystemRow.pk)
)
EQUAL_ONES = (
    select(AttemptRow.replies, func.count())
    .select_from(CellRow)
    .join(RunRow, RunRow.cell_pk == CellRow.pk)
    .join(AttemptRow, AttemptRow.run_id == RunRow.id)
    .where(
        CellRow.campaign_pk.in_(bindparam("of_campaigns", expanding=True)),
        CellRow.system_pk == bindparam("of_system"),
        RunRow.state == RunState.GRADED,
        AttemptRow.replies.is_not(None),
    )
    .group_by(AttemptRow.replies)
)


def replies_text(replies: ModelReplies) -> str:
    """What the column holds: one text for equal replies."""
    return canonical_bytes(replies.model_dump(mode="json")).decode()


def replies_of(session: Session, run_id: int) -> ModelReplies | None:
    """The replies of the newest agent stage of a run that told of any."""
    kept = session.execute(OF_RUN, {"of_run": run_id}).scalar()
    return None if kept is None else ModelReplies.model_validate_json(kept)


def replies_by_system(session: Session, campaign_ids: Sequence[str]) -> tuple[SystemReplies, ...]:
    """Those of each system with counted replies, over all of `campaign_ids`.

    Costs nothing for campaigns without such a system. What grades frozen snapshots again tells of
    the runs that left them. Raises NotFound.
    """
    pks = sorted({_where_agents_worked(session, one) for one in campaign_ids})
    found: dict[str, _Sum] = {}
    for pk, name, digest in session.execute(COUNTED, {"of_campaigns": pks}).all():
        total = found.setdefault(digest, _Sum(name))
        for text, runs in session.execute(EQUAL_ONES, {"of_campaigns": pks, "of_system": pk}):
            total.add(ModelReplies.model_validate_json(text or ""), runs)
    return tuple(total.told(digest) for digest, total in found.items() if total.runs)


def _where_agents_worked(session: Session, campaign_id: str) -> int:
    row = campaign_row(session, campaign_id)
    while row.source_pk is not None:
        row = session.get_one(CampaignRow, row.source_pk)
    return row.pk


@dataclass
class _Sum:
    system: str
    runs: int = 0
    fates: Counter[Fate] = field(default_factory=Counter[Fate])
    solved: int = 0
    unnoticed: Counter[int] = field(default_factory=Counter[int])

    def add(self, replies: ModelReplies, runs: int) -> None:
        self.runs += runs
        for fate, count in replies.fates.items():
            self.fates[fate] += count * runs
        if (turn := replies.first_solved_turn) is not None:
            self.solved += runs
            if not replies.noticed:
                self.unnoticed[turn] += runs

    def told(self, digest: str) -> SystemReplies:
        return SystemReplies(
            system=self.system,
            system_id=digest,
            runs=self.runs,
            fates={fate: self.fates[fate] for fate in Fate},
            solved=self.solved,
            unnoticed=dict(sorted(self.unnoticed.items())),
        )
