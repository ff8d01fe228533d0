"""The unit of scoring: one independent fresh-memory execution, and its states."""

from enum import StrEnum

from models.schemas.base import Schema
from models.schemas.campaign import CampaignLimits, SystemSpec
from models.verdicts import StopReason


class Stage(StrEnum):
    """`agent`: the system works. `grade`: the checks decide."""

    AGENT = "agent"
    GRADE = "grade"


class RunState(StrEnum):
    """Where a run is. `planned` and `frozen` wait for their stage; the last three are ends."""

    PLANNED = "planned"
    AGENT_QUEUED = "agent_queued"
    AGENT_LEASED = "agent_leased"
    FROZEN = "frozen"
    GRADE_QUEUED = "grade_queued"
    GRADE_LEASED = "grade_leased"
    GRADED = "graded"
    VOID = "void"
    CANCELLED = "cancelled"


TRANSITIONS: dict[RunState, frozenset[RunState]] = {
    RunState.PLANNED: frozenset({RunState.AGENT_QUEUED, RunState.AGENT_LEASED, RunState.CANCELLED}),
    RunState.AGENT_QUEUED: frozenset({RunState.PLANNED, RunState.AGENT_LEASED, RunState.CANCELLED}),
    RunState.AGENT_LEASED: frozenset(
        {RunState.FROZEN, RunState.PLANNED, RunState.VOID, RunState.CANCELLED}
    ),
    RunState.FROZEN: frozenset({RunState.GRADE_QUEUED, RunState.GRADE_LEASED, RunState.CANCELLED}),
    RunState.GRADE_QUEUED: frozenset({RunState.FROZEN, RunState.GRADE_LEASED, RunState.CANCELLED}),
    RunState.GRADE_LEASED: frozenset(
        {RunState.GRADED, RunState.FROZEN, RunState.VOID, RunState.CANCELLED}
    ),
    RunState.GRADED: frozenset(),
    RunState.VOID: frozenset(),
    RunState.CANCELLED: frozenset(),
}
"""Every change that a run may make; storage refuses all others."""

ENDS = frozenset(state for state, after in TRANSITIONS.items() if not after)

WAITING: dict[Stage, RunState] = {Stage.AGENT: RunState.PLANNED, Stage.GRADE: RunState.FROZEN}
QUEUED: dict[Stage, RunState] = {
    Stage.AGENT: RunState.AGENT_QUEUED,
    Stage.GRADE: RunState.GRADE_QUEUED,
}
LEASED: dict[Stage, RunState] = {
    Stage.AGENT: RunState.AGENT_LEASED,
    Stage.GRADE: RunState.GRADE_LEASED,
}


class RunOrder(Schema):
    """All that a worker needs to execute one stage of one run, read from the rows."""

    run_id: int
    campaign_id: str
    stage: Stage
    token: int
    attempt_id: int
    attempt_number: int
    system: SystemSpec
    task: str
    language: str
    repeat: int
    universe: str
    public_digest: str
    limits: CampaignLimits
    snapshot: str | None = None
    stop_reason: StopReason | None = None
    changed: bool | None = None
    cancelled: bool = False

    @property
    def label(self) -> str:
        """`system/task/language/r<repeat>`, for people."""
        return f"{self.system.name}/{self.task}/{self.language}/r{self.repeat}"
