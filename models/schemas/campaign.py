"""What a person asked for, and the plan that comes of it."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from models.canonical import digest_of
from models.doubles import doubles
from models.identifiers import SLUG, SystemId
from models.schemas.base import Schema
from models.schemas.budget import Budget, Usd
from models.schemas.system_limit import SystemLimits
from models.schemas.task import LONGEST_AGENT_WALL_S

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]


class CampaignState(StrEnum):
    """A campaign's life. Its runs have states of their own."""

    PLANNING = "planning"
    RUNNING = "running"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    FINISHED = "finished"


AT_WORK = (CampaignState.PLANNING, CampaignState.RUNNING)
"""Work is given out in these: the first runs need not wait for the last to be planned."""
UNENDED = (*AT_WORK, CampaignState.PAUSED)
ENDED = (CampaignState.CANCELLED, CampaignState.FINISHED)


class CampaignKind(StrEnum):
    """An evaluation, or the proof of a verifier (its systems are the subjects)."""

    EVALUATION = "evaluation"
    GATE = "gate"


class SystemSpec(SystemLimits):
    """One system: an agent with its settings. Its identity is the hash of both.

    Its limits hold for all workers and campaigns; they are no part of what it is.
    """

    name: Slug
    agent: Slug
    settings: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def id(self) -> SystemId:
        """First 16 hexadecimal digits of the digest of agent and settings."""
        digest = digest_of({"agent": self.agent, "settings": dict(self.settings)})
        return SystemId(digest.removeprefix("sha256:")[:16])


class CampaignLimits(Schema):
    """Limits that override the task's for the agent stage; None keeps the task's.

    `agent_cost_usd` and `agent_tokens` are what one run may use, and what it reserves of a budget
    before it starts; None is no limit.
    """

    agent_wall_s: float | None = Field(default=None, gt=0, le=LONGEST_AGENT_WALL_S)
    agent_memory_mb: int | None = Field(default=None, ge=64)
    agent_processes: int = Field(default=256, ge=8, le=4_096)
    agent_output_mb: int = Field(default=16, ge=1, le=1_024)
    workspace_mb: int = Field(default=256, ge=1, le=16_384)
    agent_cost_usd: Usd | None = None
    agent_tokens: int | None = Field(default=None, ge=1, le=10**12)


class ScoringPolicy(Schema):
    """How runs enter the headline; the board prints the other reading too."""

    undelivered: Literal["failed", "excluded"] = "failed"
    max_attempts: int = Field(default=3, ge=1, le=20)


class CampaignSpec(Schema):
    """The content of a campaign file."""

    name: Slug
    tasks: tuple[str, ...] = Field(min_length=1)
    languages: tuple[str, ...] = Field(min_length=1)
    repeats: int = Field(ge=1, le=100_000)
    systems: tuple[SystemSpec, ...] = Field(min_length=1)
    limits: CampaignLimits = CampaignLimits()
    policy: ScoringPolicy = ScoringPolicy()
    budget: Budget = Budget()
    priority: int = Field(default=0, ge=-10, le=10)
    kind: CampaignKind = CampaignKind.EVALUATION

    @model_validator(mode="after")
    def _names_are_unique(self) -> "CampaignSpec":
        names = [system.name for system in self.systems]
        ids = [system.id for system in self.systems]
        for seen, what in ((names, "name"), ([str(i) for i in ids], "settings")):
            doubled = sorted(doubles(seen))
            if doubled:
                raise ValueError(f"two systems have the same {what}: {', '.join(doubled)}")
        return self

    @model_validator(mode="after")
    def _budget_is_reserved_by_run(self) -> "CampaignSpec":
        if faults := budget_faults(self.budget, self.limits):
            raise ValueError("; ".join(f"{field}: {why}" for field, why in faults.items()))
        return self


def budget_faults(budget: Budget, limits: CampaignLimits) -> dict[str, str]:
    """Why a budget can't be kept, by its field: every run reserves its own limit beforehand."""
    per_run = {
        "cost_usd": ("agent_cost_usd", limits.agent_cost_usd),
        "tokens": ("agent_tokens", limits.agent_tokens),
        "wall_s": ("agent_wall_s", limits.agent_wall_s),
    }
    faults: dict[str, str] = {}
    for field, (name, limit) in per_run.items():
        total = getattr(budget, field)
        if total is None:
            continue
        if limit is None and field != "wall_s":
            faults[field] = f"needs the limit of one run, {name} below [limits]"
        elif limit is not None and total < limit:
            faults[field] = f"{total} is less than one run may use: {name} is {limit}"
    return faults
