"""The outcome of every planned check of one graded state, with evidence that each one ran."""

from typing import Literal

from pydantic import Field

from models.schemas.base import FirstVersion, Schema
from models.verdicts import CheckOutcome


class CheckEvidence(Schema):
    """What the farm measured of one check. Sizes in bytes, times in seconds.

    Raw output is kept as `stdout_text` and `stderr_text` where it is short text, and else in
    artifacts whose digests are `stdout` and `stderr`; both are empty where there was none.
    """

    ending: str
    exit_code: int | None = None
    signal: int | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_memory_bytes: int | None = None
    stdout: str = ""
    stdout_text: str = ""
    stdout_bytes: int = 0
    stderr: str = ""
    stderr_text: str = ""
    stderr_bytes: int = 0
    notes: tuple[str, ...] = ()
    difference: str = ""


class CheckResult(Schema):
    """One check's outcome. `check_digest` names exactly what was asked."""

    id: str
    check_digest: str
    outcome: CheckOutcome
    evidence: CheckEvidence | None = None


class BuildResult(Schema):
    """The build before the checks; `needed` is false for interpreted languages."""

    needed: bool
    ok: bool
    outcome: CheckOutcome = CheckOutcome.PASSED
    evidence: CheckEvidence | None = None
    cached: bool = False


class ComparatorFault(Schema):
    """A comparator that took junk for the answer of a check, or could not read it.

    `junk` names the kind of junk, never its bytes: those may hold an expected value.
    """

    check: str
    junk: str
    problem: Literal["passes", "raises"]
    text: str = ""


class ComparatorProbe(Schema):
    """How many junk answers the comparators of all planned checks were fed, and which got by."""

    answers: int
    faults: tuple[ComparatorFault, ...] = ()


class CheckReport(Schema):
    """The closed set of planned checks, each exactly once, in plan order.

    `asked` are their ids in the order in which they were asked, empty where that was the plan's.
    `wall_cap_s` is what the time of every check was cut to, None where the task's limit held.
    `salt` is drawn by chance, so that nobody finds what a report holds by guessing at its digest.
    """

    schema_version: FirstVersion = 1
    task: str
    language: str
    universe: str
    snapshot: str
    manifest_digest: str
    build: BuildResult
    checks: tuple[CheckResult, ...] = Field(min_length=1)
    asked: tuple[str, ...] = ()
    wall_cap_s: float | None = None
    probe: ComparatorProbe | None = None
    salt: str = ""

    @property
    def passed(self) -> bool:
        """Whether the build and every check passed."""
        return self.build.ok and all(c.outcome is CheckOutcome.PASSED for c in self.checks)

    def failing(self) -> tuple[str, ...]:
        """The ids that did not pass, in plan order."""
        return tuple(c.id for c in self.checks if c.outcome is not CheckOutcome.PASSED)
