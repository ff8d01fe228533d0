"""Decides what a native suite says of each planned check. Pure.

A report is made by the process that also runs the judged code, so it is believed only as a whole:
one sign that it is not the runner's own work, and no check passes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.run_outcome import ENDED_AS
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.comparators import shorten
from workers.checks.outcome import void_category
from workers.checks.suite_report import NativeStatus, NativeTest, SuiteReport, doubled
from workers.sandbox.outcome import Ending

SAID = {
    NativeStatus.PASSED: CheckOutcome.PASSED,
    NativeStatus.FAILED: CheckOutcome.WRONG,
    NativeStatus.ERROR: CheckOutcome.CRASH,
    NativeStatus.SKIPPED: CheckOutcome.PROTOCOL,
}


@dataclass(frozen=True, slots=True)
class Canaries:
    """The text to put behind a suite, and the native names of the tests in it by their fates."""

    text: str
    passing: frozenset[str]
    failing: frozenset[str]


@dataclass(frozen=True, slots=True)
class SuitePlan:
    """What was asked: native name to check id, the check that the suite runs at all, the canaries,
    and the exit status of a suite of which a test failed (some canaries always do).

    `quotes`: whether findings may quote the report. Judged code can write the sealed tests into it.
    """

    tests: Mapping[str, str]
    runs: str
    canaries: Canaries
    failed_exit: int
    quotes: bool = False


@dataclass(frozen=True, slots=True)
class SuiteFacts:
    """What the farm measured of the suite's process, and what the suite said."""

    ending: Ending
    exit_code: int | None
    infrastructure: str | None
    report: SuiteReport


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome, and in words why it isn't passed; never what was expected."""

    outcome: CheckOutcome
    text: str = ""


def decide_suite(plan: SuitePlan, facts: SuiteFacts) -> dict[str, Finding] | VoidCategory:
    """A finding for every planned check id, or a void where the farm couldn't do its part.

    All pass only if the program ended by itself with the status of a failed suite, its report is
    whole, names exactly the planned tests and the canaries, each once, and every canary met its
    fate.
    """
    if facts.ending is not Ending.exited and facts.ending not in ENDED_AS:
        return void_category(facts.infrastructure)
    foul = next(_fouls(plan, facts), "")
    if foul:
        finding = Finding(CheckOutcome.PROTOCOL, f"the suite's report is not believed: {foul}")
        return dict.fromkeys((plan.runs, *plan.tests.values()), finding)
    ended = {test.name: test for test in facts.report.ended}
    findings = {plan.runs: _begun(plan, facts)}
    for name, check in plan.tests.items():
        findings[check] = _finding(name, ended.get(name), facts, quotes=plan.quotes)
    return findings


def _fouls(plan: SuitePlan, facts: SuiteFacts) -> Iterator[str]:
    """Every sign that the report is not the runner's own, the strongest first."""
    report = facts.report
    if report.problem:
        yield report.problem if plan.quotes else "no runner writes such a one"
    names = [*(test.name for test in report.ended), *report.running]
    if twice := doubled(names):
        yield f"it tells of {_named(twice, plan)} twice"
    canaries = plan.canaries
    known = {*plan.tests, *canaries.passing, *canaries.failing}
    for name in names:
        if name not in known:
            yield f"it tells of {_named(name, plan)}, which is no test of the suite"
    for test in report.ended:
        if test.name in canaries.failing and test.status not in (
            NativeStatus.FAILED,
            NativeStatus.ERROR,
        ):
            yield "a test that must fail is reported as passed"
        if test.name in canaries.passing and test.status is not NativeStatus.PASSED:
            yield "a test that must pass is reported as failed"
    yield from _end_fouls(known - set(names), plan, facts)


def _named(name: str, plan: SuitePlan) -> str:
    return shorten(name) if plan.quotes else "something"


def _end_fouls(missing: set[str], plan: SuitePlan, facts: SuiteFacts) -> Iterator[str]:
    if facts.ending is not Ending.exited:
        return
    if not facts.report.complete:
        if facts.exit_code == 0:
            yield "the program ended with status 0 before the suite did"
        return
    if facts.exit_code != plan.failed_exit:
        yield f"status {facts.exit_code} doesn't agree with it"
    if missing & (plan.canaries.passing | plan.canaries.failing):
        yield "a test that the farm added is not in it"


def _begun(plan: SuitePlan, facts: SuiteFacts) -> Finding:
    """Whether the suite could be begun: a test of the task is to blame for whatever ended it."""
    if facts.report.complete and facts.ending is Ending.exited:
        return Finding(CheckOutcome.PASSED)
    if any(name in plan.tests for name in facts.report.running):
        return Finding(CheckOutcome.PASSED)
    return Finding(_end_of(facts), "the suite was not run to its end")


def _finding(name: str, test: NativeTest | None, facts: SuiteFacts, *, quotes: bool) -> Finding:
    if test is not None:
        skipped = "it was skipped" if test.status is NativeStatus.SKIPPED else ""
        return Finding(SAID[test.status], skipped or (test.detail if quotes else ""))
    if name in facts.report.running:
        return Finding(_end_of(facts), "the suite ended with it")
    if facts.report.complete:
        return Finding(CheckOutcome.PROTOCOL, "it is not in the suite's report")
    return Finding(CheckOutcome.NOT_REACHED, "the suite ended before it")


def _end_of(facts: SuiteFacts) -> CheckOutcome:
    return ENDED_AS.get(facts.ending, CheckOutcome.CRASH)
