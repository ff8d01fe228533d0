"""What the two roles sign of a record: statements of in-toto, version 1.

What a statement is and what it is about have no default: in-toto demands that both stand there.
"""

from typing import Annotated, Literal

from pydantic import Field

from models.schemas.base import Schema
from models.verdicts import Verdict

STATEMENT = "https://in-toto.io/Statement/v1"
AGENT_STAGE = "urn:gradefarm:agent-stage:v1"
RUN_RECORD = "urn:gradefarm:run-record:v1"
Hex = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Sha256(Schema):
    """A digest as in-toto writes it."""

    sha256: Hex


class Subject(Schema):
    """Something that a statement is about, by its content."""

    name: str
    digest: Sha256


class Chained(Schema):
    """How many events there are, the SHA-256 of the last line, and the root of the Merkle tree
    over all lines."""

    events: int = Field(ge=1)
    head: Hex
    root: Hex


class AgentStagePredicate(Schema):
    """What the recorder saw: the events up to the one that closed the agent stage."""

    run: str
    nonce: str
    chain: Chained


class Rules(Schema):
    """The pure rules that made the verdict of the events."""

    version: int
    digest: Hex


class RunResult(Schema):
    """What the run is worth."""

    verdict: Verdict
    undelivered: bool


class RunRecordPredicate(Schema):
    """What the grader says of the whole run.

    `opened` is the name of the open leaf, `stage` the SHA-256 of the recorder's statement. A run
    that was graded again names the `earlier` close leaf, says `why`, and `graded_as` is the run
    that it was graded as.
    """

    run: str
    nonce: str
    chain: Chained
    opened: Hex
    stage: Hex
    rules: Rules
    task: str
    language: str
    universe: str
    result: RunResult
    graded_as: str
    earlier: str = Field(pattern="^([0-9a-f]{64})?$")
    why: str

    @property
    def is_regrade(self) -> bool:
        """Whether another run's grading was made from this one's agent stage."""
        return self.graded_as != self.run


class AgentStageStatement(Schema):
    """Signed by the recorder."""

    statement_type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Subject, ...]
    predicate_type: Literal["urn:gradefarm:agent-stage:v1"] = Field(alias="predicateType")
    predicate: AgentStagePredicate


class RunRecordStatement(Schema):
    """Signed by the grader."""

    statement_type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Subject, ...]
    predicate_type: Literal["urn:gradefarm:run-record:v1"] = Field(alias="predicateType")
    predicate: RunRecordPredicate
