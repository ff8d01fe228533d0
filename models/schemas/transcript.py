"""What an agent did, as normalised steps, whatever agent it was."""

from typing import Literal

from pydantic import Field, JsonValue

from models.schemas.base import Schema
from models.verdicts import StopReason


class TranscriptStep(Schema):
    """One step as the trusted side saw it. `at` is seconds since the stage began.

    Long output is cut; `output_artifact` is then the digest of the whole.
    """

    number: int
    at: float
    kind: Literal["command", "edit", "message", "note", "limit"]
    text: str
    exit_code: int | None = None
    output: str = ""
    output_artifact: str = ""
    data: dict[str, JsonValue] = Field(default_factory=dict)


class Transcript(Schema):
    """All steps of one agent stage."""

    schema_version: Literal[1] = 1
    run_id: int
    attempt_number: int
    system: str
    agent: str
    task: str
    language: str
    repeat: int
    steps: tuple[TranscriptStep, ...]
    stop_reason: StopReason
