"""One check: a question with one id, asked identically in every language."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from models.identifiers import SLUG
from models.schemas.base import Schema

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]


class Visibility(StrEnum):
    """Visible checks are shown to the system; hidden ones run only after it stopped."""

    VISIBLE = "visible"
    HIDDEN = "hidden"


class CheckInput(Schema):
    """What the judged program is given: extra arguments, standard input, files in its folder."""

    argv: tuple[str, ...] = ()
    stdin: str = ""
    files: dict[str, str] = Field(default_factory=dict)


class Expectation(Schema):
    """What it must answer. Never enters a sandbox.

    `stdout` is text for kind `text`, one JSON value for `json`, a list for `json-lines`.
    """

    exit: int = Field(default=0, ge=0, le=255)
    stdout: JsonValue


class FloatTolerance(Schema):
    """|a - b| <= max(abs, rel * |b|), b the expected value."""

    abs: float = Field(default=0.0, ge=0)
    rel: float = Field(default=0.0, ge=0)


class Comparison(Schema):
    """How an answer is held against its expectation; strict by type."""

    kind: Literal["json-lines", "json", "text"]
    float_tolerance: FloatTolerance | None = None


LARGEST_WALL_FACTOR = 10


class RelativeLimits(Schema):
    """A check's share of the task's limits; never a language's."""

    wall_factor: float = Field(default=1.0, gt=0, le=LARGEST_WALL_FACTOR)


class Transport(StrEnum):
    """How a check is asked: of the program in a fresh process, or by a native test suite.

    A suite is the weaker one: its assertions share a process with the code that they judge.
    """

    PROCESS = "process"
    SUITE = "suite"


class Check(Schema):
    """One check record. It has no language key, no skip and no per-language tolerance."""

    id: Slug
    title: str = Field(min_length=1)
    transport: Literal["process"]
    input: CheckInput
    expect: Expectation
    compare: Comparison
    limits: RelativeLimits = RelativeLimits()


class SuiteCheck(Schema):
    """One test of a native suite, or that the suite runs at all: see `NativeSuite`."""

    id: Slug
    title: str = Field(min_length=1)
    transport: Literal["suite"]


CheckRecord = Annotated[Check | SuiteCheck, Field(discriminator="transport")]
"""What stands in the lists of check records."""


class PlannedCheck(Schema):
    """One line of a task's check plan."""

    id: Slug
    visibility: Visibility
    title: str = Field(min_length=1)
    transport: Transport = Transport.PROCESS
