"""ATIF, the Agent Trajectory Interchange Format, versions 1.0 to 1.8, as shapes."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from models.interchange.foreign_values import Count, Dollars

VERSION = "ATIF-v1.8"
"""What is written. Each version only adds fields to the one before."""
VERSIONS = tuple(f"ATIF-v1.{minor}" for minor in range(9))

Extra = dict[str, JsonValue]


class _Closed(BaseModel):
    """The format is closed: what it has no field for goes into `extra`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class AtifMedia(_Closed):
    """Where an image or a recording of sound lies."""

    media_type: str
    path: str
    duration_sec: float | None = None


class AtifPart(_Closed):
    """A part of a message that is not text alone."""

    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: AtifMedia | None = None


Content = str | list[AtifPart]


class AtifAgent(_Closed):
    """Who worked."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: list[Extra] | None = None
    extra: Extra | None = None


class AtifMetrics(_Closed):
    """Of one step. `prompt_tokens` counts cached ones too, `completion_tokens` reasoning."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost_usd: Dollars | None = None
    prompt_token_ids: list[int] | None = None
    completion_token_ids: list[int] | None = None
    logprobs: list[float] | None = None
    extra: Extra | None = None


class AtifFinalMetrics(_Closed):
    """Of the whole trajectory."""

    total_prompt_tokens: Count | None = None
    total_completion_tokens: Count | None = None
    total_cached_tokens: Count | None = None
    total_cost_usd: Dollars | None = None
    total_steps: Count | None = None
    extra: Extra | None = None


class AtifToolCall(_Closed):
    """A tool that is used."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, JsonValue]
    extra: Extra | None = None


class AtifSubagentRef(_Closed):
    """Which trajectory a result came from."""

    trajectory_id: str | None = None
    session_id: str | None = None
    trajectory_path: str | None = None
    extra: Extra | None = None


class AtifResult(_Closed):
    """What came of a call of the same step, or of something else."""

    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: list[AtifSubagentRef] | None = None
    extra: Extra | None = None


class AtifObservation(_Closed):
    """All that came of a step."""

    results: list[AtifResult]


class AtifStep(_Closed):
    """One message, or one turn of the agent with its calls and what came of them."""

    step_id: int
    timestamp: str | None = None
    source: Literal["system", "user", "agent"]
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: list[AtifToolCall] | None = None
    observation: AtifObservation | None = None
    metrics: AtifMetrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: Count | None = None
    extra: Extra | None = None


class AtifTrajectory(_Closed):
    """One document, or a subagent's in it."""

    schema_version: str
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: AtifAgent
    steps: list[AtifStep] = Field(min_length=1)
    notes: str | None = None
    final_metrics: AtifFinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    extra: Extra | None = None
    subagent_trajectories: "list[AtifTrajectory] | None" = None
