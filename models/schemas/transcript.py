"""What an agent did, as normalised steps, whatever agent it was."""

from enum import StrEnum
from typing import Literal

from pydantic import Field, JsonValue

from models.schemas.base import Schema
from models.verdicts import StopReason

StepKind = Literal[
    "command", "edit", "message", "note", "limit", "model_call", "tool_call", "decision"
]


TOLD_BY_AGENT = "agent"
"""What a step's data call `told_by`: what a program said that it did, which nobody saw."""


class Fate(StrEnum):
    """What became of one reply of a language model.

    `acted_on`: its action was carried out. `nudged`: it held none that can be read, and the model
    was told so. `truncated`: it broke off, or was too long. `refused`: the model or its provider
    would not answer. `empty`: it said nothing.
    """

    ACTED_ON = "acted_on"
    NUDGED = "nudged"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    EMPTY = "empty"


class TranscriptStep(Schema):
    """One step as the trusted side saw it. `at` is seconds since the stage began.

    Long output is cut; `output_artifact` is then the digest of the whole. A `command` was given to
    `/bin/sh -c`, or is `argv` in `data`. The `data` of an `edit` is `path`, and with `edit` =
    "write" the whole new `content`, with "replace" `hunks`: pairs of lines that stood there and
    lines that stand there now.
    """

    number: int
    at: float
    kind: StepKind
    text: str
    exit_code: int | None = None
    output: str = ""
    output_artifact: str = ""
    data: dict[str, JsonValue] = Field(default_factory=dict)


class Transcript(Schema):
    """All steps of one agent stage.

    `fates` counts the replies of its language model by `Fate`, None where nobody counted.
    `first_solved_turn` is the first turn after which the workspace passed the visible tests,
    whether or not it noticed; `measured`: whether that was looked at after every turn.
    """

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
    fates: dict[Fate, int] | None = None
    first_solved_turn: int | None = None
    measured: bool = False

    @property
    def is_seen(self) -> bool:
        """Whether the farm saw every step, so that all can be done again."""
        claims = (step.data.get("told_by") == TOLD_BY_AGENT for step in self.steps)
        return self.agent != "preset" and not any(claims)
