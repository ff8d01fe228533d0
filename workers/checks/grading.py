"""Asks every planned check of one graded state, in plan order, and compares outside."""

from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.attempt import Resources
from models.schemas.check import Check
from models.schemas.check_report import BuildResult, CheckResult
from models.schemas.task import SealedHalf
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.build import GradingBench, build_once
from workers.checks.check_digests import CheckDigests
from workers.checks.comparators import Difference, compare
from workers.checks.evidence import evidence_of
from workers.checks.outcome import ProcessFacts, check_outcome
from workers.checks.process_transport import JudgedProgram, ask
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.stage_stopped import StageStopped


@dataclass(frozen=True, slots=True)
class Findings:
    """What build and checks said, and what they used."""

    build: BuildResult
    checks: tuple[CheckResult, ...]
    resources: Resources


@dataclass(frozen=True, slots=True)
class Question:
    """One check in its place in the plan."""

    number: int
    planned: int
    check: Check
    digest: str

    @property
    def name(self) -> str:
        """What it is called in rows that agents' machines can read, which hold no hidden id."""
        return f"check {self.number} of {self.planned}"


@dataclass(frozen=True, slots=True)
class GradedState:
    """What is graded: its files, the name of their content, and the questions to ask of it."""

    sources: Path
    content: str
    sealed: SealedHalf
    digests: CheckDigests


def grade_state(bench: GradingBench, state: GradedState) -> Findings:
    """Build the sources and ask every check once, in plan order, each in a fresh sandbox.

    Raises Infrastructure where the farm could not do its part, StageStopped when it is to stop.
    """
    sealed, digests = state.sealed, state.digests.by_id
    limits = sealed.public.manifest.limits
    wall_s = limits.build_wall_s * bench.runtime.definition.limit_factor
    with build_once(bench, state.sources, state.content, wall_s) as (build, built):
        if build.ok:
            program = JudgedProgram(bench.runtime, state.sources, built, limits)
            checks = tuple(
                _check(bench, program, Question(number, len(sealed.checks), one, digests[one.id]))
                for number, one in enumerate(sealed.checks, 1)
            )
        else:
            checks = tuple(_unbuilt(one, digests[one.id]) for one in sealed.checks)
    return Findings(build, checks, _used(build, checks))


def _check(bench: GradingBench, program: JudgedProgram, question: Question) -> CheckResult:
    check = question.check
    outcome = ask(bench.sandbox, program, check, bench.cancelled)
    if outcome.ending is Ending.cancelled:
        raise StageStopped(f"{question.name} was stopped from outside.")
    difference = _difference(check, outcome)
    decided = check_outcome(
        ProcessFacts(
            ending=outcome.ending,
            exit_code=outcome.exit_code,
            expected_exit=check.expect.exit,
            difference=difference,
            infrastructure=outcome.infrastructure,
        )
    )
    if isinstance(decided, VoidCategory):
        notes = "; ".join(outcome.notes)
        raise Infrastructure(decided, f"{question.name} could not be asked: {notes}")
    text = "" if difference is None else difference.text
    return CheckResult(
        id=check.id,
        check_digest=question.digest,
        outcome=decided,
        evidence=evidence_of(outcome, text, bench.store),
    )


def _difference(check: Check, outcome: SandboxOutcome) -> Difference | None:
    """Only a program that ended by itself, with the expected code, gave an answer."""
    if outcome.ending is not Ending.exited or outcome.exit_code != check.expect.exit:
        return None
    return compare(check.expect.stdout, check.compare, outcome.stdout)


def _unbuilt(check: Check, digest: str) -> CheckResult:
    return CheckResult(id=check.id, check_digest=digest, outcome=CheckOutcome.BUILD_FAILED)


def _used(build: BuildResult, checks: tuple[CheckResult, ...]) -> Resources:
    """The sum over all programs; the peak of the largest. A remembered build used nothing."""
    parts = [check.evidence for check in checks]
    parts += [] if build.cached else [build.evidence]
    known = [evidence for evidence in parts if evidence is not None]
    peaks = [e.peak_memory_bytes for e in known if e.peak_memory_bytes is not None]
    return Resources(
        wall_s=round(sum(evidence.wall_s for evidence in known), 4),
        cpu_s=round(sum(evidence.cpu_s for evidence in known), 4),
        peak_memory_bytes=max(peaks, default=None),
    )
