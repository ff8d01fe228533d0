"""The settings of agents that people use at their command line."""

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from models.schemas.base import Schema


class PresetName(StrEnum):
    """Programs that the farm knows how to start and to read."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    MINI_SWE_AGENT = "mini-swe-agent"
    AIDER = "aider"


class PresetSettings(Schema):
    """One of the known command-line agents on a model behind the farm's gateway.

    `program` is where it lies, if not on the path of the sandbox. `cost_usd` and `tokens` are what
    it may use in one run, beside the campaign's own limits.
    """

    preset: PresetName
    model: str = Field(min_length=1)
    program: str | None = Field(default=None, min_length=1)
    cost_usd: Decimal | None = Field(default=None, gt=0)
    tokens: int | None = Field(default=None, gt=0)
