"""Asks every planned check of one graded state, and compares outside."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.attempt import Resources
from models.schemas.check import Check
from models.schemas.check_report import BuildResult, CheckResult
from models.schemas.task import SealedHalf
from models.verdicts import CheckOutcome, VoidCategory
from tasks_catalog.check_digests import CheckDigests
from workers.checks.build import NOT_NEEDED, GradingBench, build_once
from workers.checks.comparators import Difference, compare
from workers.checks.evidence import evidence_of
from workers.checks.grading_terms import EVALUATION, GradingTerms
from workers.checks.outcome import ProcessFacts, check_outcome
from workers.checks.process_transport import JudgedProgram, ask
from workers.checks.suite_files import SealedSuite
from workers.checks.suite_transport import SuiteFindings, SuiteTerms, ask_suite
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
    """What is graded: its files, the name of their content, and the questions to ask of it.

    `suite` is there where some of them are tests of a native suite.
    """

    sources: Path
    content: str
    sealed: SealedHalf
    digests: CheckDigests
    terms: GradingTerms = EVALUATION
    suite: SealedSuite | None = None


def grade_state(bench: GradingBench, state: GradedState) -> Findings:
    """Ask every check once: of the program in a fresh sandbox each, then by the suite, if any.

    Checks of the program are asked in the order of the terms, all are reported in plan order.
    Raises Infrastructure where the farm could not do its part, StageStopped when it is to stop.
    """
    build, found = NOT_NEEDED, dict[str, CheckResult]()
    if questions := _questions(state):
        build, found = _ask_program(bench, state, questions)
    builds = [build]
    if state.suite is not None:
        suite = _ask_suite(bench, state, state.suite)
        builds.append(suite.build)
        found |= suite.checks
    checks = tuple(found[check.id] for check in state.sealed.checks)
    return Findings(_whole_build(builds), checks, _used(builds, checks))


def _ask_suite(bench: GradingBench, state: GradedState, suite: SealedSuite) -> SuiteFindings:
    limits = state.sealed.public.manifest.limits
    proves, cap_s = state.terms.proves, state.terms.wall_cap_s
    terms = SuiteTerms(limits, cap_s, state.digests.by_id, keeps_output=proves)
    return ask_suite(bench, suite, state.sources, terms)


def _whole_build(builds: Sequence[BuildResult]) -> BuildResult:
    """The one that failed, else the first that was needed."""
    return min(builds, key=lambda build: (build.ok, not build.needed))


def _ask_program(
    bench: GradingBench, state: GradedState, questions: dict[str, Question]
) -> tuple[BuildResult, dict[str, CheckResult]]:
    limits = state.sealed.public.manifest.limits
    wall_s = limits.build_wall_s * bench.runtime.definition.limit_factor
    with build_once(bench, state.sources, state.content, wall_s) as (build, built):
        if build.ok:
            cap_s = state.terms.wall_cap_s
            program = JudgedProgram(bench.runtime, state.sources, built, limits, cap_s)
            asked = [check for check in state.terms.asked or questions if check in questions]
            found = {check: _check(bench, program, questions[check]) for check in asked}
        else:
            found = {check: _unbuilt(question) for check, question in questions.items()}
    return build, found


def _questions(state: GradedState) -> dict[str, Question]:
    """What is asked of the program itself, by check id, in plan order."""
    checks, digests = state.sealed.checks, state.digests.by_id
    return {
        check.id: Question(number, len(checks), check, digests[check.id])
        for number, check in enumerate(checks, 1)
        if isinstance(check, Check)
    }


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


def _unbuilt(question: Question) -> CheckResult:
    return CheckResult(
        id=question.check.id, check_digest=question.digest, outcome=CheckOutcome.BUILD_FAILED
    )


def _used(builds: Sequence[BuildResult], checks: tuple[CheckResult, ...]) -> Resources:
    """The sum over all programs; the peak of the largest. A remembered build used nothing."""
    parts = [check.evidence for check in checks]
    parts += [build.evidence for build in builds if not build.cached]
    known = [evidence for evidence in parts if evidence is not None]
    peaks = [e.peak_memory_bytes for e in known if e.peak_memory_bytes is not None]
    return Resources(
        wall_s=round(sum(evidence.wall_s for evidence in known), 4),
        cpu_s=round(sum(evidence.cpu_s for evidence in known), 4),
        peak_memory_bytes=max(peaks, default=None),
    )
