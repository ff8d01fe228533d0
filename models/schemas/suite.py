"""Native test suites: how a language runs one, and what a task's own one consists of."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from models.identifiers import SLUG
from models.schemas.base import Schema
from models.schemas.language import PLACEHOLDERS, BuildStep, Invocation

Slug = Annotated[str, Field(pattern=f"^{SLUG.pattern}$")]
ReportFormat = Literal["lines", "go-test", "libtest"]

CANARY_NAME = "{name}"
SUITE_PLACEHOLDERS = frozenset({"suite", "entry", "name"})
"""What stands for the folder of the runner's files, for the first file of the suite, and for the
name of a canary."""


def _not_taken(name: str) -> str:
    if name in PLACEHOLDERS | SUITE_PLACEHOLDERS:
        raise ValueError(f"{{{name}}} stands for something else already")
    return name


ParameterName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$"), AfterValidator(_not_taken)]
ParameterValue = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
CanaryText = Annotated[str, Field(pattern=r"\{name\}")]


class CanaryTexts(Schema):
    """Tests that the farm puts behind the text of a suite when it grades.

    {name} stands for a name that nobody can guess; `native` is what the report calls such a test.
    Those of `failing` fail in every program that leaves its test runner alone, each in another
    way; those of `passing` pass.
    """

    native: CanaryText
    passing: tuple[CanaryText, ...] = Field(min_length=1)
    failing: tuple[CanaryText, ...] = Field(min_length=1)


class SuiteRunner(Schema):
    """The content of `tasks_catalog/languages/<language>.suite/suite.toml`.

    `test_files` are patterns of what no agent's file may be: tests, and whatever steers a test
    runner. They meet names at any depth, with a slash before them paths from the top, with a slash
    behind them folders. `failed_exit` is the exit
    status of a suite of which a test failed. In argv and env stand, beside what stands there in
    every definition, {suite} for the folder with the files beside `suite.toml`, {entry} for the
    first file of the suite, and the names of the suite's parameters. The build step, where there
    is one, sees workspace and suite read-only; its `warm_files` are a whole suite that is built
    once, into a compile cache that comes from the language's own. A runner whose report is `lines`
    reads its order from standard input.
    """

    schema_version: Literal[1] = Field(alias="schema")
    report: ReportFormat
    failed_exit: int = Field(ge=1, le=125)
    test_files: tuple[str, ...] = Field(min_length=1)
    canaries: CanaryTexts
    build: BuildStep | None = None
    run: Invocation


class NativeSuite(Schema):
    """The content of `sealed/<language>/suite.json`: the tests in `sealed/<language>/suite/`.

    `entries` are the files to start from, in order. `tests` maps the name that a report gives a
    test to the id of its check; `runs` is the check that says whether the suite could be built and
    begun at all.
    """

    schema_version: Literal[1] = Field(alias="schema")
    entries: tuple[str, ...] = Field(min_length=1)
    parameters: dict[ParameterName, ParameterValue] = Field(default_factory=dict)
    runs: Slug
    tests: dict[str, Slug] = Field(min_length=1)
