"""What became of the replies of language models: kept with each attempt, counted by system."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import and_, bindparam, func, select, union_all
from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.schemas.agents import COUNTED_AGENTS
from models.schemas.model_replies import ModelReplies, SystemReplies, ToldBy
from models.schemas.run import RunState
from models.schemas.transcript import Fate
from models.storage.campaigns import campaign_row
from models.storage.regrades import OldRun, beside_source
from models.tables.attempts import AttemptRow
from models.tables.cells import CellRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.verdicts import AttemptEnding

COUNTS = and_(AttemptRow.ending == AttemptEnding.OK, AttemptRow.replies.is_not(None))
"""Not what a worker brought too late: another one did that stage of the run."""
OF_RUN = select(AttemptRow.replies).where(AttemptRow.run_id == bindparam("of_run"), COUNTS).limit(1)
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
GRADED = (
    CellRow.campaign_pk.in_(bindparam("of_campaigns", expanding=True)),
    CellRow.system_pk == bindparam("of_system"),
    RunRow.state == RunState.GRADED,
    COUNTS,
)
OF_GRADED = union_all(
    select(AttemptRow.replies)
    .select_from(CellRow)
    .join(RunRow, RunRow.cell_pk == CellRow.pk)
    .join(AttemptRow, AttemptRow.run_id == RunRow.id)
    .where(*GRADED),
    beside_source(AttemptRow.replies)
    .join(AttemptRow, AttemptRow.run_id == OldRun.id)
    .where(*GRADED),
).subquery()
EQUAL_ONES = select(OF_GRADED.c.replies, func.count()).group_by(OF_GRADED.c.replies)


def replies_text(replies: ModelReplies) -> str:
    """What the column holds: one text for equal replies."""
    return canonical_bytes(replies.model_dump(mode="json")).decode()


def replies_of(session: Session, run_id: int) -> ModelReplies | None:
    """The replies of the agent stage of a run, where it told of any."""
    kept = session.execute(OF_RUN, {"of_run": run_id}).scalar()
    return None if kept is None else ModelReplies.model_validate_json(kept)


def replies_by_system(session: Session, campaign_ids: Sequence[str]) -> tuple[SystemReplies, ...]:
    """Those of each system whose replies anybody counts, over all graded runs of `campaign_ids`.

    Costs nothing for campaigns without such a system. A run that grades a frozen snapshot again
    tells of the one that left it, whatever became of that. Raises NotFound.
    """
    pks = sorted({campaign_row(session, one).pk for one in campaign_ids})
    found: dict[str, _Sum] = {}
    for pk, name, digest in session.execute(COUNTED, {"of_campaigns": pks}).all():
        total = found.setdefault(digest, _Sum(name))
        for text, runs in session.execute(EQUAL_ONES, {"of_campaigns": pks, "of_system": pk}):
            total.add(ModelReplies.model_validate_json(text or ""), runs)
    return tuple(total.told(digest) for digest, total in found.items() if total.runs)


@dataclass
class _Sum:
    system: str
    told_by: ToldBy = "farm"
    runs: int = 0
    untold: int = 0
    measured: int = 0
    fates: Counter[Fate] = field(default_factory=Counter[Fate])
    solved: int = 0
    unnoticed: Counter[int] = field(default_factory=Counter[int])

    def add(self, replies: ModelReplies, runs: int) -> None:
        self.told_by = replies.told_by
        self.runs += runs
        self.measured += runs * replies.measured
        if replies.fates is None:
            self.untold += runs
        for fate, count in (replies.fates or {}).items():
            self.fates[fate] += count * runs
        if (turn := replies.first_solved_turn) is not None:
            self.solved += runs
            if not replies.noticed:
                self.unnoticed[turn] += runs

    def told(self, digest: str) -> SystemReplies:
        return SystemReplies(
            system=self.system,
            system_id=digest,
            told_by=self.told_by,
            runs=self.runs,
            untold=self.untold,
            fates=None if self.untold == self.runs else {fate: self.fates[fate] for fate in Fate},
            measured=self.measured,
            solved=self.solved,
            unnoticed=dict(sorted(self.unnoticed.items())),
        )
