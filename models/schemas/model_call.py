"""What the gateway measured of calls to language models, and what a run may ask of it."""

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field, model_validator

from models.schemas.base import Schema
from models.verdicts import VoidCategory

Wire = Literal["openai-chat", "openai-responses", "anthropic"]
"""The formats that providers speak."""

Stop = Literal["stop", "length", "tool", "refusal", "cut", "error", "refused", "unknown"]
"""Why a reply ended, whatever its format. `cut`: the stream broke off before its end; `error`: the
provider gave no reply; `refused`: the gateway did not ask it."""


class TokenUsage(Schema):
    """Five disjoint counts of tokens: their sum is all that was read and written.

    `output` is without `reasoning`, which providers bill like it.
    """

    input_uncached: int = Field(default=0, ge=0)
    cache_read: int = Field(default=0, ge=0)
    cache_write: int = Field(default=0, ge=0)
    output: int = Field(default=0, ge=0)
    reasoning: int = Field(default=0, ge=0)

    @property
    def total(self) -> int:
        """All tokens."""
        read = self.input_uncached + self.cache_read + self.cache_write
        return read + self.output + self.reasoning

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            input_uncached=self.input_uncached + other.input_uncached,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
        )


def total_usage(usages: Iterable[TokenUsage]) -> TokenUsage:
    """The sum of `usages`."""
    return sum(usages, TokenUsage())


class ModelCall(Schema):
    """One request of a run to a model, as the gateway saw it.

    `number` counts a grant's calls from 1. `status` is what the client was answered. `usage` is
    None where the provider did not say; `cost_microusd` and `tokens` then are what had been
    reserved. `waited_ms` passed in queues, in retries and between them, and counts for no clock;
    `took_ms` is all else, and `ended_ms` when it was over, in epoch milliseconds by the gateway's
    clock. `request` and `response` are digests of artifacts with the bodies.
    `refused` names the field or the rule for which the gateway did not ask; `hung_up`: the client
    did not wait for the end.
    """

    number: int = Field(ge=1)
    wire: Wire
    model: str
    streamed: bool
    status: int
    stop: Stop
    usage: TokenUsage | None = None
    cost_microusd: int | None = None
    tokens: int = Field(default=0, ge=0)
    attempts: int = Field(default=0, ge=0)
    waited_ms: int = Field(default=0, ge=0)
    took_ms: int = Field(default=0, ge=0)
    ended_ms: int = 0
    request: str = ""
    response: str = ""
    refused: str = ""
    hung_up: bool = False

    @property
    def broke_off(self) -> bool:
        """Whether the provider broke its reply off, so that it was charged what was reserved."""
        return self.stop in {"cut", "error"} and self.usage is None and self.tokens > 0


class GrantRequest(Schema):
    """What one attempt of a run may ask of the gateway. None is no limit.

    `farm` is the one that the run is of, by its epoch; `label` is for people who read logs.
    """

    farm: str = ""
    run_id: int
    token: int
    models: tuple[str, ...] = Field(min_length=1)
    cost_microusd: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=0)
    label: str = ""

    @model_validator(mode="after")
    def _models_are_named(self) -> Self:
        if any(not model.strip() for model in self.models):
            raise ValueError("every model must have a name")
        return self


class Grant(Schema):
    """A key that one attempt may use until it is closed. The key is told only once."""

    id: str
    key: str = Field(repr=False)


class GatewayFault(Schema):
    """What the gateway or a provider failed to do: the attempt is void, whatever its agent left."""

    category: Literal[VoidCategory.PROVIDER_UNAVAILABLE, VoidCategory.GATEWAY]
    detail: str


class GrantReport(Schema):
    """All that was asked with one grant so far, which is at `at_ms` in epoch milliseconds.

    `usage` sums what providers reported; `tokens` and `cost_microusd` are what was settled, which
    is more where a provider did not report. `price_table` is the digest of the prices that were
    used. `exhausted` names the budget for which a call was refused. `counted`: how often a provider
    counted tokens without a call, which it does for nothing.
    """

    calls: tuple[ModelCall, ...] = ()
    usage: TokenUsage = TokenUsage()
    cost_microusd: int = 0
    tokens: int = 0
    waited_ms: int = 0
    price_table: str = ""
    fault: GatewayFault | None = None
    exhausted: Literal["cost", "tokens"] | None = None
    counted: int = 0
    closed: bool = False
    at_ms: int = 0

    def ago_s(self, call: ModelCall) -> float:
        """How many seconds before this report one of its calls was over."""
        return (self.at_ms - call.ended_ms) / 1_000
