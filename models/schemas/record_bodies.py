"""What a verifier reads of the events that decide: the rest of their bodies is for people."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from models.schemas.record_statement import Rules
from models.verdicts import CheckOutcome, StopReason, Verdict


class Body(BaseModel):
    """A part of a body; what else stands in it is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Recorded(Body):
    """Who records."""

    key: str
    worker: str


class RunOpened(Body):
    """run.open: what is known before the work starts. `attempt` is the lease's token."""

    nonce: str = Field(min_length=1)
    log: str
    attempt: int
    number: int
    task: str
    language: str
    universe: str
    system: dict[str, Any]
    recorder: Recorded


class Leased(Body):
    """lease: a worker took a stage."""

    stage: Literal["agent", "grade"]
    token: int
    number: int
    worker: str


class LimitReached(Body):
    """limit: where `reached` is empty, the system was only told of one."""

    reached: str = ""


class StageClosed(Body):
    """stage.close: how the agent stage ended, and what it left."""

    stop: StopReason
    changed: bool
    snapshot: str


class Built(Body):
    """build: the one before the checks."""

    needed: bool
    ok: bool
    outcome: CheckOutcome


class Checked(Body):
    """check: one question, and how its program ended; `differs` is whether the answer did."""

    id: str
    outcome: CheckOutcome
    ending: str
    differs: bool


class UniverseProof(Body):
    """What the digest of a universe is made of, with those parts in clear that a record needs.

    `plan` is every check as (id, visibility), in order; `parts` maps names to digests.
    """

    kind: str
    plan: tuple[tuple[str, str], ...]
    parts: dict[str, str]


class Kept(Body):
    """Something outside the lines, by its content."""

    sha256: str


class Judged(Body):
    """verdict: what the checks make of the run; `report` is that of the checks."""

    universe: UniverseProof
    rules: Rules
    report: Kept
    verdict: Verdict
    undelivered: bool


class RunClosed(Body):
    """run.close: `events` counts all, itself included."""

    events: int
    status: Literal["graded"]
