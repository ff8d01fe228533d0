"""A decision about a verifier or a board, with every reason."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from models.schemas.base import Schema
from models.verdicts import CheckOutcome


class GateColour(StrEnum):
    """Green: proved. Red: disproved. Inconclusive: the farm could not tell."""

    GREEN = "green"
    RED = "red"
    INCONCLUSIVE = "inconclusive"


class GateReason(Schema):
    """One reason: which rule, about which subject and check, in words with the remedy."""

    rule: str
    subject: str = ""
    check: str = ""
    text: str
    blocks: bool = True


class SubjectRow(Schema):
    """One subject in the matrix: the outcome of every check, in plan order.

    `repeats` is how many graded runs agree on this row; a flip is a reason of its own.
    """

    subject: str
    outcomes: dict[str, CheckOutcome]
    built: bool
    repeats: int
    voids: int = 0
    run_ids: tuple[int, ...] = ()


class ParityDecision(Schema):
    """The parity gate of one variant in one universe with one toolchain."""

    schema_version: Literal[1] = 1
    task: str
    language: str
    universe: str
    manifest_digest: str
    toolchain: str
    isolation: str
    colour: GateColour
    reasons: tuple[GateReason, ...]
    checks: tuple[str, ...]
    rows: tuple[SubjectRow, ...] = Field(default=())
    campaign_id: str = ""
    decided_at: str = ""
