"""One line of a run's record: something that happened, as the trusted side saw it."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from models.schemas.base import FirstVersion, Schema


class EventType(StrEnum):
    """What an event tells of. A verifier takes lines of other types of the same version as they
    are: no rule reads them."""

    RUN_OPEN = "run.open"
    LEASE = "lease"
    COMMAND = "command"
    FILE_READ = "file.read"
    FILE_EDIT = "file.edit"
    TOOL_CALL = "tool.call"
    TOOL_RESULT = "tool.result"
    MODEL_CALL = "model.call"
    MODEL_ATTEMPT = "model.attempt"
    DECISION = "decision"
    MESSAGE = "message"
    NOTE = "note"
    LIMIT = "limit"
    TEST_RUN = "test.run"
    STAGE_CLOSE = "stage.close"
    BUILD = "build"
    CHECK = "check"
    VERDICT = "verdict"
    RUN_CLOSE = "run.close"


class Actor(Schema):
    """Who did it: the system under evaluation, a person, a rule, or the farm itself."""

    kind: Literal["agent", "person", "rule", "system"]
    id: str


class RecordEvent(Schema):
    """One event. `t` is epoch milliseconds and `mono` milliseconds since the stage began, both of
    when it happened (of a command, when it began; of a model's call, when it was over), by the
    clock of who wrote it; `prev` is the SHA-256 of the line before, `cause` the `seq` of an earlier
    event. `body` holds text, whole numbers, yes and no, nothing, lists and objects.
    """

    v: FirstVersion
    run: str = Field(pattern="^[0-9]{1,19}$")
    seq: int = Field(ge=0)
    prev: str = Field(pattern="^[0-9a-f]{64}$")
    t: int
    mono: int
    src: Literal["recorder", "grader"]
    actor: Actor
    type: str
    cause: int | None
    body: dict[str, Any]
