"""Inspect's evaluation logs, version 2, as shapes: a log holds samples, a sample events."""

from pydantic import Field, JsonValue

from models.interchange.foreign_values import Count, Dollars
from models.interchange.source_file import Foreign
from models.interchange.token_counts import of_exclusive
from models.schemas.model_call import TokenUsage

Anything = dict[str, JsonValue]


class InspectUsage(Foreign):
    """Tokens. `input_tokens` counts nothing that was cached, `output_tokens` also reasoning."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    input_tokens_cache_read: Count | None = 0
    input_tokens_cache_write: Count | None = 0
    reasoning_tokens: Count | None = 0
    total_cost: Dollars | None = None

    def counted(self) -> TokenUsage:
        """The farm's counts."""
        return of_exclusive(
            self.input_tokens,
            self.output_tokens,
            cached=self.input_tokens_cache_read or 0,
            cache_write=self.input_tokens_cache_write or 0,
            reasoning=self.reasoning_tokens or 0,
        )


class InspectCall(Foreign):
    """A call of a tool."""

    id: str
    function: str
    arguments: Anything = Field(default_factory=Anything)


class InspectError(Foreign):
    """What went wrong."""

    type: str = ""
    message: str = ""


class InspectMessage(Foreign):
    """A message of a conversation."""

    id: str | None = None
    role: str
    content: str | list[Anything] = ""
    tool_calls: list[InspectCall] | None = None
    tool_call_id: str | None = None
    model: str | None = None
    error: InspectError | None = None


class InspectChoice(Foreign):
    """One answer of a model."""

    message: InspectMessage
    stop_reason: str = ""


class InspectOutput(Foreign):
    """What a model answered."""

    model: str = ""
    choices: list[InspectChoice] = Field(default_factory=list[InspectChoice])
    usage: InspectUsage | None = None
    error: str | None = None


class InspectEvent(Foreign):
    """Something that happened in a sample."""

    event: str
    timestamp: str | None = None
    span_id: str | None = None


class ModelEvent(InspectEvent):
    """A model was asked."""

    model: str = ""
    output: InspectOutput
    retries: int | None = None
    error: str | None = None


class ToolEvent(InspectEvent):
    """A tool was used, and what came of it."""

    id: str
    function: str
    arguments: Anything = Field(default_factory=Anything)
    result: JsonValue = None
    error: InspectError | None = None
    failed: bool | None = None


class ApprovalEvent(InspectEvent):
    """Somebody decided about a call."""

    call: InspectCall
    approver: str = ""
    decision: str
    explanation: str | None = None


class LimitEvent(InspectEvent):
    """A limit ended the sample."""

    type: str = ""
    message: str = ""


class InspectLimit(Foreign):
    """Which limit ended a sample."""

    type: str = ""


class InspectSample(Foreign):
    """One try of one item."""

    id: int | str
    epoch: int = 1
    uuid: str | None = None
    messages: list[InspectMessage] = Field(default_factory=list[InspectMessage])
    events: list[Anything] = Field(default_factory=list[Anything])
    model_usage: dict[str, InspectUsage] = Field(default_factory=dict[str, InspectUsage])
    error: InspectError | None = None
    limit: InspectLimit | None = None
    started_at: str | None = None


class InspectSpec(Foreign):
    """What was evaluated."""

    task: str = ""
    model: str = ""
    solver: str | None = None
    packages: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class InspectLog(Foreign):
    """A whole log, without its samples."""

    version: int
    eval: InspectSpec
