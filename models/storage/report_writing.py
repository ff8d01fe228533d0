"""Writes what the checks said of a run, once."""

from sqlalchemy import insert
from sqlalchemy.orm import Session

from models.canonical import canonical_bytes
from models.errors import Infrastructure
from models.schemas.agents import SUBJECT_AGENT
from models.schemas.attempt import GradeResult
from models.schemas.check_report import CheckReport
from models.schemas.gate import GateEvidence
from models.schemas.run import RunOrder
from models.tables.check_reports import CheckReportRow
from models.verdicts import Verdict

STORE_REPORT = insert(CheckReportRow)


def refuse_unfit_report(order: RunOrder, result: GradeResult) -> None:
    """Raises Infrastructure (manifest_mismatch) for a report of another universe than the run's,
    and (grader) for a void verdict."""
    if result.verdict is Verdict.VOID:
        raise Infrastructure("grader", f"run {order.run_id}: a void verdict is not a result.")
    if result.report.universe != order.universe:
        raise Infrastructure(
            "manifest_mismatch",
            f"run {order.run_id}: graded in universe {result.report.universe}, "
            f"planned in {order.universe}.",
            remedy="Give every worker the same catalogue as the scheduler's.",
        )


def store_report(session: Session, order: RunOrder, result: GradeResult, now: float) -> None:
    """Write the report of a run; its key makes a second one impossible."""
    report = result.report
    outcomes = [[check.id, check.outcome.value] for check in report.checks]
    session.connection().execute(
        STORE_REPORT,
        {
            "run_id": order.run_id,
            "attempt_id": order.attempt_id,
            "verdict": result.verdict,
            "undelivered": result.undelivered,
            "built": report.build.ok,
            "universe": report.universe,
            "manifest_digest": report.manifest_digest,
            "outcomes": canonical_bytes(outcomes).decode(),
            "report": result.report_artifact,
            "graded_at": now,
            "gate_evidence": _gate_evidence(order, report),
        },
    )


def _gate_evidence(order: RunOrder, report: CheckReport) -> str | None:
    if order.system.agent != SUBJECT_AGENT:
        return None
    return GateEvidence.of(report).model_dump_json(exclude_defaults=True)
