"""What one stage of a run leaves behind when its worker is done with it."""

from pydantic import Field

from models.schemas.base import Schema
from models.schemas.budget import UNKNOWN_USE, Used
from models.schemas.check_report import CheckReport
from models.schemas.model_replies import ModelReplies
from models.schemas.stage_record import GradeStageRecord, OpenedRecord
from models.verdicts import StopReason, Verdict, VoidCategory


class Resources(Schema):
    """What a stage used: seconds of wall clock and processor, peak memory in bytes."""

    wall_s: float
    cpu_s: float
    peak_memory_bytes: int | None = None


class AgentResult(Schema):
    """The agent stage ended by itself or by a limit; the workspace is frozen.

    `snapshot` and `transcript` are artifact digests; `changed` says whether the snapshot
    differs from the starter's. `cost_microusd` (millionths of a US dollar) and `tokens` are what
    the system's language model used: 0 where none takes part, None where nobody knows. `record` is
    what the run's record holds so far, None where the worker has no key to sign it with. `replies`
    is None for systems whose replies nobody counts.
    """

    stop_reason: StopReason
    snapshot: str
    transcript: str
    changed: bool
    resources: Resources
    toolchain: str
    isolation: str
    cost_microusd: int | None = Field(default=0, ge=0)
    tokens: int | None = Field(default=0, ge=0)
    record: OpenedRecord | None = None
    replies: ModelReplies | None = None


class GradeResult(Schema):
    """The checks were asked; `report_artifact` is the digest of the full check report.

    `record` closes the run's record, None where it has none or the worker has no key for it.
    """

    verdict: Verdict
    undelivered: bool
    report: CheckReport
    report_artifact: str
    resources: Resources
    toolchain: str
    isolation: str
    record: GradeStageRecord | None = None


class StageVoid(Schema):
    """The farm could not do its part in this attempt. `used` is what it used all the same."""

    category: VoidCategory
    detail: str
    toolchain: str = ""
    used: Used = UNKNOWN_USE
