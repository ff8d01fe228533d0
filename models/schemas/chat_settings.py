"""The settings of the farm's own agent: which language model, how it is asked, how far it goes."""

from typing import Literal, Self

from pydantic import Field, model_validator

from models.schemas.base import Schema
from models.schemas.budget import Usd
from models.schemas.task import LONGEST_AGENT_WALL_S

ChatWire = Literal["openai-chat", "anthropic"]
"""The formats that the farm's own agent speaks."""


class ChatSettings(Schema):
    """A conversation with one language model, through the gateway.

    model: its name in the gateway's file. wire: the format it is asked in.
    mode: `one-shot`: one reply holds the files; `loop`: one action a reply, until done.
    tools: whether actions are native calls of tools, and not fenced blocks in the text of a reply.
    stream: whether replies are streamed.
    turns: how many replies; tokens, cost_usd, wall_s: what one run may use, beside the campaign's
    limits. reply_tokens: the most that one reply may have.
    temperature, seed: as the model takes them; the n-th repeat is given `seed` + n - 1.
    nudges: how many replies in a row may hold no action that can be read; one more ends the run, as
    `identical_malformed` do that are alike.
    warn_turns: how many turns before the end the model is told.
    command_s: seconds after which one command is stopped.
    done_gate: whether the model may only stop while the visible tests are green.
    """

    model: str = Field(min_length=1, max_length=200)
    wire: ChatWire = "openai-chat"
    mode: Literal["loop", "one-shot"] = "loop"
    tools: bool = False
    stream: bool = True
    turns: int = Field(default=50, ge=1, le=1_000)
    tokens: int | None = Field(default=None, ge=1, le=10**12)
    cost_usd: Usd | None = None
    wall_s: float | None = Field(default=None, gt=0, le=LONGEST_AGENT_WALL_S)
    reply_tokens: int = Field(default=8_192, ge=1, le=1_000_000)
    temperature: float | None = Field(default=None, ge=0, le=2)
    seed: int | None = Field(default=None, ge=0, le=2**31)
    nudges: int = Field(default=3, ge=0, le=100)
    identical_malformed: int = Field(default=3, ge=2, le=100)
    warn_turns: int = Field(default=3, ge=0, le=1_000)
    command_s: float = Field(default=120, gt=0, le=LONGEST_AGENT_WALL_S)
    done_gate: bool = True

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        faults: list[str] = []
        if self.wire == "anthropic" and self.seed is not None:
            faults.append("seed: the anthropic format has none, so that it can't be given")
        if self.wire == "anthropic" and self.temperature is not None and self.temperature > 1:
            faults.append("temperature: the anthropic format takes 0 to 1")
        if self.mode == "one-shot" and self.tools:
            faults.append("tools: in the mode one-shot files are text")
        if faults:
            raise ValueError("; ".join(faults))
        return self
