"""The manifest of a catalogue item, and the loaded variant that a worker uses."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from models.identifiers import SLUG, Digest
from models.schemas.base import Schema
from models.schemas.check import Check, PlannedCheck

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]


class TaskLimits(Schema):
    """Limits of a task, the same for every language before the published factor."""

    agent_wall_s: float = Field(gt=0, le=86_400)
    build_wall_s: float = Field(default=120, gt=0, le=3_600)
    check_wall_s: float = Field(default=10, gt=0, le=600)
    memory_mb: int = Field(default=512, ge=64, le=65_536)


class Fault(Schema):
    """One planted fault: the same id in every language, caught by the same checks."""

    id: Slug
    kind: str
    title: str
    required: tuple[Slug, ...] = Field(min_length=1)
    permitted: tuple[Slug, ...] = ()


class StarterExpectation(Schema):
    """Which checks the untouched starter must fail, the same in every language."""

    fails: tuple[Slug, ...] = Field(min_length=1)


class TaskManifest(Schema):
    """The content of `task.toml`."""

    schema_version: Literal[1] = Field(alias="schema")
    kind: Literal["ticket"]
    id: Slug
    title: str
    version: int = Field(ge=1)
    tags: tuple[str, ...] = ()
    languages: tuple[Slug, ...] = Field(min_length=1)
    protected: tuple[str, ...] = ()
    limits: TaskLimits
    checks: tuple[PlannedCheck, ...] = Field(min_length=1)
    starter: StarterExpectation
    faults: tuple[Fault, ...] = ()

    @property
    def check_ids(self) -> tuple[str, ...]:
        """The closed set of check ids in plan order."""
        return tuple(check.id for check in self.checks)


class PublicHalf(Schema):
    """What an agent worker holds of one variant: folders are absolute paths."""

    manifest: TaskManifest
    language: str
    ticket: str
    starter: Path
    visible_checks: tuple[Check, ...]


class SealedHalf(Schema):
    """What only a grade worker holds of one variant.

    `checks` is every planned check, visible and hidden, in plan order; `faults` maps a
    fault id to the path of its patch.
    """

    public: PublicHalf
    checks: tuple[Check, ...]
    reference: Path
    faults: dict[str, Path]


class Variant(Schema):
    """One task in one language, as the scheduler knows it."""

    task: str
    language: str
    universe: Digest

    @property
    def name(self) -> str:
        """`task/language`."""
        return f"{self.task}/{self.language}"
