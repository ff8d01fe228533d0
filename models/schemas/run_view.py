"""A run, its attempts and its result, as they are shown."""

from enum import StrEnum

from models.schemas.base import Schema
from models.schemas.run import RunState, Stage
from models.verdicts import (
    BLAMED,
    AttemptEnding,
    CheckOutcome,
    Component,
    StopReason,
    Verdict,
    VoidCategory,
)


class RecordState(StrEnum):
    """How far a run's record is. `abandoned`: the run ended without closing it."""

    NONE = "none"
    OPEN = "open"
    SEALED = "sealed"
    ABANDONED = "abandoned"


class RunView(Schema):
    """One run. `verdict` is None until it ended; void runs have a category. `record_digest` is the
    SHA-256 of what the grader signed, in hexadecimal.
    """

    id: int
    campaign_id: str
    system: str
    system_id: str
    agent: str
    task: str
    language: str
    universe: str
    repeat: int
    state: RunState
    token: int
    worker: str | None
    snapshot: str | None
    stop_reason: StopReason | None
    changed: bool | None
    verdict: Verdict | None
    undelivered: bool | None
    void_category: VoidCategory | None
    report: str | None
    ended_at: float | None
    record: RecordState = RecordState.NONE
    record_digest: str | None = None

    @property
    def label(self) -> str:
        """`system/task/language/r<repeat>`, for people."""
        return f"{self.system}/{self.task}/{self.language}/r{self.repeat}"

    @property
    def blamed(self) -> Component | None:
        """The part of the farm that a void is blamed on."""
        return None if self.void_category is None else BLAMED[self.void_category]


class AttemptView(Schema):
    """One try of one stage. Times in epoch seconds, durations in seconds, memory in bytes.

    `snapshot` and `transcript` are artifact digests. `cost_microusd` and `tokens` are what it
    used, or was charged where nobody knows.
    """

    id: int
    run_id: int
    stage: Stage
    number: int
    token: int
    worker: str
    ending: AttemptEnding
    started_at: float
    ended_at: float | None
    category: VoidCategory | None
    detail: str
    stop_reason: StopReason | None
    snapshot: str | None
    transcript: str | None
    wall_s: float | None
    cpu_s: float | None
    peak_memory_bytes: int | None
    cost_microusd: int | None
    tokens: int | None
    toolchain: str
    isolation: str


class CheckReportView(Schema):
    """The counted result of a run. `outcomes` in plan order; `report` is an artifact digest."""

    run_id: int
    attempt_id: int
    verdict: Verdict
    undelivered: bool
    built: bool
    universe: str
    manifest_digest: str
    outcomes: tuple[tuple[str, CheckOutcome], ...]
    report: str
    graded_at: float
