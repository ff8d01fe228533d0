"""What an agent did elsewhere, as its owner recorded it. Never ranked with runs of the farm."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from models.schemas.base import Schema
from models.schemas.model_call import TokenUsage
from models.schemas.transcript import TranscriptStep


class RecordingFormat(StrEnum):
    """Whose recording it is, and in which of its formats."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_CODE_STREAM = "claude-code-stream"
    CODEX = "codex"
    CODEX_EXEC = "codex-exec"
    ATIF = "atif"
    MINI_SWE_AGENT = "mini-swe-agent"
    INSPECT = "inspect"
    AIDER = "aider"


class RecordingSource(Schema):
    """A file as it was imported: its name without folders, its artifact's digest, its bytes."""

    name: str
    digest: str
    size: int = Field(ge=0)


class Recording(Schema):
    """One recorded session: nobody but its owner vouches for it.

    `agent`, `agent_version`, `models`, `session` and `ending` are as the recording says, empty
    where it doesn't. `started_at` is in epoch seconds. `usage` and `cost_microusd` are for the
    whole session, None where it doesn't tell them. `told`: what was left out or mended when it
    was read, in words. `kept` holds what has no word here, so that an export can give it back.
    """

    schema_version: Literal[1] = 1
    origin: Literal["imported"] = "imported"
    format: RecordingFormat
    format_version: str = ""
    agent: str
    agent_version: str = ""
    models: tuple[str, ...] = ()
    session: str = ""
    started_at: float | None = None
    ending: str = ""
    usage: TokenUsage | None = None
    cost_microusd: int | None = None
    steps: tuple[TranscriptStep, ...]
    told: tuple[str, ...] = ()
    sources: tuple[RecordingSource, ...] = ()
    kept: dict[str, JsonValue] = Field(default_factory=dict)


class RecordingView(Schema):
    """A recording as lists show it. `document` is the digest of the artifact with all of it.

    `imported_at` is in epoch seconds.
    """

    id: int
    format: RecordingFormat
    agent: str
    agent_version: str
    model: str
    session: str
    steps: int
    tokens: int | None
    cost_microusd: int | None
    started_at: float | None
    imported_at: float
    document: str
