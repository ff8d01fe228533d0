"""The manifest of a catalogue item, and the loaded variant that a worker uses."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from models.identifiers import SLUG, Digest
from models.schemas.base import Schema
from models.schemas.check import CheckRecord, PlannedCheck, Transport, Visibility
from models.schemas.suite import NativeSuite

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]


LONGEST_AGENT_WALL_S = 86_400
LONGEST_BUILD_WALL_S = 3_600
LONGEST_CHECK_WALL_S = 600
LONGEST_GRADING_S = 86_400
"""Build and all checks together, before the factors of languages and of single checks."""


class TaskLimits(Schema):
    """Limits of a task, the same for every language before the published factor."""

    agent_wall_s: float = Field(gt=0, le=LONGEST_AGENT_WALL_S)
    build_wall_s: float = Field(default=120, gt=0, le=LONGEST_BUILD_WALL_S)
    check_wall_s: float = Field(default=10, gt=0, le=LONGEST_CHECK_WALL_S)
    memory_mb: int = Field(default=512, ge=64, le=65_536)


class FaultKind(StrEnum):
    """What a planted fault does wrong. The kind says which outcomes prove that it was caught.

    A fault of the kinds `non_terminating` and `quadratic_time` may be caught by a timeout, one
    of the kind `crashing` by a crash; every other one only by a wrong answer.
    """

    BOUNDARY = "boundary"
    NEGATED_CONDITION = "negated_condition"
    WRONG_CONSTANT = "wrong_constant"
    MISSING_GUARD = "missing_guard"
    WRONG_ERROR_KIND = "wrong_error_kind"
    MISSING_STATE_UPDATE = "missing_state_update"
    STALE_STATE_ON_FAILURE = "stale_state_on_failure"
    WRONG_ORDER = "wrong_order"
    DROPPED_DUPLICATE = "dropped_duplicate"
    OVERFLOW_OR_TRUNCATION = "overflow_or_truncation"
    FLOAT_ROUNDING = "float_rounding"
    UNICODE_LENGTH = "unicode_length"
    EMPTY_INPUT = "empty_input"
    IDEMPOTENCY = "idempotency"
    LOST_UPDATE = "lost_update"
    HARDCODED_EXAMPLE = "hardcoded_example"
    QUADRATIC_TIME = "quadratic_time"
    NON_TERMINATING = "non_terminating"
    CRASHING = "crashing"


class Fault(Schema):
    """One planted fault: the same id in every language, caught by the same checks.

    It must fail every check in `required` and may fail those in `permitted`, no other.
    """

    id: Slug
    kind: FaultKind
    title: str = Field(min_length=1)
    required: tuple[Slug, ...] = Field(min_length=1)
    permitted: tuple[Slug, ...] = ()


class StarterExpectation(Schema):
    """Which checks the untouched starter must fail, the same in every language.

    Where nobody has said so exactly, as in a task from elsewhere, `may_fail` names those that it
    may fail: it must fail one of them at least where `fails` is empty.
    """

    fails: tuple[Slug, ...] = ()
    may_fail: tuple[Slug, ...] = ()

    @model_validator(mode="after")
    def _leaves_something_to_do(self) -> Self:
        if not self.fails and not self.may_fail:
            raise ValueError(
                "a starter that fails nothing leaves nothing to do: name what it fails"
            )
        return self


class TaskFacts(Schema):
    """What `task.toml` says of a task in either half; `checks` are those that the half names."""

    schema_version: Literal[1] = Field(alias="schema")
    kind: Literal["ticket"]
    id: Slug
    title: str = Field(min_length=1)
    version: int = Field(ge=1)
    tags: tuple[str, ...] = ()
    languages: tuple[Slug, ...] = Field(min_length=1)
    protected: tuple[str, ...] = ()
    limits: TaskLimits
    checks: tuple[PlannedCheck, ...]

    @property
    def check_ids(self) -> tuple[str, ...]:
        """The ids of `checks` in plan order."""
        return tuple(check.id for check in self.checks)

    def ids_of(self, visibility: Visibility) -> tuple[str, ...]:
        """The ids of the visible, or of the hidden, checks in plan order."""
        return tuple(check.id for check in self.checks if check.visibility is visibility)


class PublicManifest(TaskFacts):
    """The `task.toml` of a public half alone: it names no hidden check and no fault."""

    half: Literal["public"] = "public"

    @model_validator(mode="after")
    def _names_nothing_hidden(self) -> Self:
        hidden = self.ids_of(Visibility.HIDDEN)
        if hidden:
            raise ValueError("a public half names visible checks only: export it again")
        return self


class TaskManifest(TaskFacts):
    """The whole `task.toml`: `checks` is the closed set of the plan, visible and hidden."""

    half: Literal["whole"] = "whole"
    checks: tuple[PlannedCheck, ...] = Field(min_length=1)
    starter: StarterExpectation
    faults: tuple[Fault, ...] = ()

    @model_validator(mode="after")
    def _can_be_graded_in_a_day(self) -> Self:
        limits = self.limits
        longest = limits.build_wall_s + len(self.checks) * limits.check_wall_s
        if longest > LONGEST_GRADING_S:
            raise ValueError(
                f"build and {len(self.checks)} checks may take {longest:g} s together, "
                f"at most {LONGEST_GRADING_S} s are allowed: lower build_wall_s or check_wall_s"
            )
        return self

    def public(self) -> PublicManifest:
        """What of it agent workers may hold."""
        shared = self.model_dump(by_alias=True, exclude={"half", "checks", "starter", "faults"})
        visible = [check for check in self.checks if check.visibility is Visibility.VISIBLE]
        return PublicManifest.model_validate({**shared, "checks": visible})

    @property
    def uses_suite(self) -> bool:
        """Whether some check is asked by a native test suite, which can prove less."""
        return any(check.transport is Transport.SUITE for check in self.checks)


class PublicHalf(Schema):
    """What an agent worker holds of one variant: folders are absolute paths."""

    manifest: PublicManifest
    language: str
    ticket: str
    starter: Path
    visible_checks: tuple[CheckRecord, ...]


class SealedHalf(Schema):
    """What only a grade worker holds of one variant.

    `checks` is every planned check, visible and hidden, in plan order; `faults` maps a
    fault id to the path of its patch. `suite` is there where a native suite asks some of the
    checks, and `suite_files` the folder with its files.
    """

    public: PublicHalf
    manifest: TaskManifest
    checks: tuple[CheckRecord, ...]
    reference: Path
    faults: dict[str, Path]
    suite: NativeSuite | None = None
    suite_files: Path | None = None


class Variant(Schema):
    """One task in one language, as the scheduler knows it.

    `public_digest` names what agents are given of it, as `universe` names all that decides a
    score: a machine without the sealed half can only work out the former.
    """

    task: str
    language: str
    universe: Digest
    public_digest: Digest

    @property
    def name(self) -> str:
        """`task/language`."""
        return f"{self.task}/{self.language}"
