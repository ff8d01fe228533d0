"""A gate in the Common Test Report Format: one test for each subject and check. Pure."""

from collections.abc import Iterator, Sequence

from models.schemas.gate import ParityDecision
from scheduler.gates.gate_cases import (
    RESULT_OF,
    CaseResult,
    GateCase,
    cases_of,
    other_reasons,
)

SPEC = "0.0.0"
STATUS = {
    CaseResult.AS_DECLARED: "passed",
    CaseResult.OTHERWISE: "failed",
    CaseResult.OPEN: "other",
}
"""A case without evidence is no failed one: the format has no word for infrastructure."""


def ctrf_report(
    decisions: Sequence[ParityDecision], span: tuple[int, int], timestamp: str
) -> dict[str, object]:
    """The report as JSON types; `span` is its first and last moment in epoch milliseconds.

    `passed` means that a subject ended as declared, which for a fault is to be caught.
    """
    tests = [test for decision in decisions for test in _tests(decision)]
    counts = {status: sum(test["status"] == status for test in tests) for status in STATUS.values()}
    return {
        "reportFormat": "CTRF",
        "specVersion": SPEC,
        "timestamp": timestamp,
        "generatedBy": "gradefarm",
        "results": {
            "tool": {"name": "gradefarm"},
            "summary": {
                "tests": len(tests),
                "skipped": 0,
                "pending": 0,
                **counts,
                "suites": len(decisions),
                "start": span[0],
                "stop": span[1],
            },
            "tests": tests,
        },
    }


def _tests(decision: ParityDecision) -> Iterator[dict[str, object]]:
    yield _gate_test(decision)
    for case in cases_of(decision):
        yield _case_test(case, decision)


def _gate_test(decision: ParityDecision) -> dict[str, object]:
    message = "\n".join(other_reasons(decision))
    return {
        "testId": f"{decision.task}/{decision.language}/gate",
        "name": "gate",
        "status": STATUS[RESULT_OF[decision.colour]],
        "rawStatus": decision.colour.value,
        "duration": 0,
        "suite": [decision.task, decision.language],
        "labels": _labels(decision),
        **({"message": message} if message else {}),
    }


def _case_test(case: GateCase, decision: ParityDecision) -> dict[str, object]:
    return {
        "testId": case.name,
        "name": case.check,
        "status": STATUS[case.result],
        "rawStatus": "no evidence" if case.outcome is None else case.outcome.value,
        "duration": case.milliseconds,
        "suite": [case.task, case.language, case.subject],
        "labels": _labels(decision),
        **({"message": case.text} if case.text else {}),
    }


def _labels(decision: ParityDecision) -> dict[str, str]:
    facts = {"universe": decision.universe, "toolchain": decision.toolchain}
    return {name: value for name, value in facts.items() if value}
