"""Asks checks by a native test suite: one build, one run, one report for all of them.

Weaker than a fresh process for each check: assertions share a process with the code that they
judge. So the suite's tests come last and alone, some of them are the farm's own, and the report is
believed as a whole or not at all.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.check_report import BuildResult, CheckEvidence, CheckResult
from models.schemas.suite import ReportFormat
from models.schemas.task import TaskLimits
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.build import GradingBench
from workers.checks.evidence import evidence_of
from workers.checks.go_test_report import read_go_report
from workers.checks.libtest_report import read_libtest_report
from workers.checks.line_report import read_line_report
from workers.checks.process_transport import check_limits
from workers.checks.suite_build import built_suite, fill_step, suite_mounts
from workers.checks.suite_canaries import draw_canaries
from workers.checks.suite_decision import Canaries, Finding, SuiteFacts, SuitePlan, decide_suite
from workers.checks.suite_files import SealedSuite, lay_suite
from workers.checks.suite_report import SuiteReport
from workers.languages.language_runtime import BUILD_AT, WORK_AT
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import Mount, SandboxRequest
from workers.stage_stopped import StageStopped

READERS: Mapping[ReportFormat, Callable[[bytes, str], SuiteReport]] = {
    "lines": read_line_report,
    "go-test": read_go_report,
    "libtest": read_libtest_report,
}


@dataclass(frozen=True, slots=True)
class SuiteTerms:
    """The limits of a task, the most that its checks may take, and the digest of each check.

    `keeps_output`: whether the graded code is trusted not to let the sealed tests, which lie
    beside it, into what compiler, program and report say.
    """

    limits: TaskLimits
    wall_cap_s: float | None
    digests: Mapping[str, str]
    keeps_output: bool = False


@dataclass(frozen=True, slots=True)
class SuiteFindings:
    """What build and run of a suite said: a result for each of its checks, by id."""

    build: BuildResult
    checks: dict[str, CheckResult]


def ask_suite(
    bench: GradingBench, sealed: SealedSuite, sources: Path, terms: SuiteTerms
) -> SuiteFindings:
    """Lay the suite over `sources`, which is changed, build it, run it once, and decide.

    The run as a whole has the time of one check. Raises Infrastructure and StageStopped.
    """
    canaries = draw_canaries(sealed.runner.canaries)
    lay_suite(sealed, sources, canaries.text)
    wall_s = terms.limits.build_wall_s * bench.runtime.definition.limit_factor
    keeps = terms.keeps_output
    with built_suite(bench, sealed, sources, wall_s, keeps_output=keeps) as (build, program):
        if not build.ok:
            finding = Finding(CheckOutcome.BUILD_FAILED)
            ids = (sealed.suite.runs, *sealed.suite.tests.values())
            return SuiteFindings(build, _results(dict.fromkeys(ids, finding), {}, terms))
        nonce = secrets.token_hex(16)
        outcome = bench.sandbox.run(_request(bench, sealed, (sources, program), terms, nonce))
    report = READERS[sealed.runner.report](outcome.stdout, nonce)
    findings = _decided(sealed, canaries, outcome, report, quotes=keeps)
    # One run for all of them: it is told, and counted, where the plan tells of it as a whole.
    begun = bool(report.ended or report.running)
    # Assertions print what they expect, and judged code what it has read.
    told = evidence_of(outcome, "", bench.store, keeps_output=keeps and not begun)
    evidence = {sealed.suite.runs: told}
    return SuiteFindings(build, _results(findings, evidence, terms))


def _decided(
    sealed: SealedSuite,
    canaries: Canaries,
    outcome: SandboxOutcome,
    report: SuiteReport,
    *,
    quotes: bool,
) -> dict[str, Finding]:
    if outcome.ending is Ending.cancelled:
        raise StageStopped("the native suite was stopped from outside.")
    suite = sealed.suite
    plan = SuitePlan(suite.tests, suite.runs, canaries, sealed.runner.failed_exit, quotes)
    facts = SuiteFacts(outcome.ending, outcome.exit_code, outcome.infrastructure, report)
    decided = decide_suite(plan, facts)
    if isinstance(decided, VoidCategory):
        notes = "; ".join(outcome.notes)
        raise Infrastructure(decided, f"the native suite could not be run: {notes}")
    return decided


def _results(
    findings: Mapping[str, Finding], evidence: Mapping[str, CheckEvidence], terms: SuiteTerms
) -> dict[str, CheckResult]:
    return {
        check: CheckResult(
            id=check,
            check_digest=terms.digests[check],
            outcome=finding.outcome,
            evidence=_told(evidence.get(check), finding),
        )
        for check, finding in findings.items()
    }


def _told(evidence: CheckEvidence | None, finding: Finding) -> CheckEvidence | None:
    if evidence is not None:
        return evidence.model_copy(update={"difference": finding.text})
    if finding.outcome is CheckOutcome.BUILD_FAILED:
        return None
    return CheckEvidence(ending="suite", difference=finding.text)


def _request(
    bench: GradingBench,
    sealed: SealedSuite,
    folders: tuple[Path, Path | None],
    terms: SuiteTerms,
    nonce: str,
) -> SandboxRequest:
    sources, program = folders
    filled = fill_step(sealed.runner.run, sealed, bench.runtime)
    order = {"nonce": nonce, "folder": WORK_AT, "entries": sealed.suite.entries}
    built = () if program is None else (Mount(program, BUILD_AT, "ro"),)
    factor = bench.runtime.definition.limit_factor
    return SandboxRequest(
        argv=filled.argv,
        stdin=json.dumps(order).encode() if sealed.runner.report == "lines" else b"",
        env=filled.env,
        mounts=(*suite_mounts(sealed, bench.runtime), Mount(sources, WORK_AT, "ro"), *built),
        workdir=WORK_AT,
        limits=check_limits(terms.limits, 1.0, factor, terms.wall_cap_s),
        cancelled=bench.cancelled,
    )
