"""A parity decision as single cases: did one subject end on one check as was declared? Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from models.schemas.gate import GateColour, ParityDecision, SubjectRow
from models.verdicts import CheckOutcome


class CaseResult(StrEnum):
    """`open`: there is no evidence, for or against."""

    AS_DECLARED = "as_declared"
    OTHERWISE = "otherwise"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class GateCase:
    """One check asked of one subject. `text` holds every reason, one on each line.

    `milliseconds` of wall clock are those of the first graded run, 0 where none was kept.
    """

    task: str
    language: str
    subject: str
    check: str
    outcome: CheckOutcome | None
    result: CaseResult
    text: str
    milliseconds: int

    @property
    def name(self) -> str:
        """`task/language/subject/check`: the same in every report about this case."""
        return f"{self.task}/{self.language}/{self.subject}/{self.check}"


RESULT_OF: Mapping[GateColour, CaseResult] = {
    GateColour.GREEN: CaseResult.AS_DECLARED,
    GateColour.RED: CaseResult.OTHERWISE,
    GateColour.INCONCLUSIVE: CaseResult.OPEN,
}


def cases_of(decision: ParityDecision) -> tuple[GateCase, ...]:
    """Every cell of the matrix, by subject and then check in plan order."""
    return tuple(case for row in decision.rows for case in _row_cases(decision, row))


def other_reasons(decision: ParityDecision) -> tuple[str, ...]:
    """What stands against the verifier as a whole: the blocking reasons of no single cell."""
    subjects = {row.subject for row in decision.rows}
    return tuple(
        f"{reason.rule}: {reason.text}"
        for reason in decision.reasons
        if reason.blocks and reason.subject not in subjects
    )


def _row_cases(decision: ParityDecision, row: SubjectRow) -> Iterator[GateCase]:
    took = _milliseconds(row, decision.checks)
    for check in decision.checks:
        reasons = [
            f"{reason.rule}: {reason.text}"
            for reason in decision.reasons
            if reason.blocks and reason.subject == row.subject and reason.check in ("", check)
        ]
        outcome = row.outcomes.get(check)
        yield GateCase(
            task=decision.task,
            language=decision.language,
            subject=row.subject,
            check=check,
            outcome=outcome,
            result=_result(outcome, reasons),
            text="\n".join(reasons),
            milliseconds=took.get(check, 0),
        )


def _result(outcome: CheckOutcome | None, reasons: list[str]) -> CaseResult:
    if outcome is None:
        return CaseResult.OPEN
    return CaseResult.OTHERWISE if reasons else CaseResult.AS_DECLARED


def _milliseconds(row: SubjectRow, checks: tuple[str, ...]) -> dict[str, int]:
    kept = [run.evidence.check_ms for run in row.runs if run.fit and run.evidence]
    return dict(zip(checks, kept[0], strict=False)) if kept else {}
