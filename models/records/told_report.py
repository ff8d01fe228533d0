"""Holds a check report that was not withheld against the events of its record."""

from pydantic import ValidationError

from models.records.decisive_events import DecisiveEvents
from models.records.refusal import Reason, RecordRefused, first_fault
from models.schemas.check_report import CheckReport
from models.schemas.record_statement import RunRecordPredicate


def refuse_other_report(
    blobs: dict[str, bytes], decisive: DecisiveEvents, said: RunRecordPredicate
) -> None:
    """Raises RecordRefused (contradiction), naming all that differs, where the report is here and
    tells of another state, other checks or other outcomes than the events do."""
    document = blobs.get(decisive.verdict.report.sha256)
    if document is None:
        return
    try:
        report = CheckReport.model_validate_json(document, strict=True)
    except ValidationError as error:
        raise RecordRefused(
            Reason.CONTRADICTION, f"the check report is none: {first_fault(error)}."
        ) from error
    checks = [(check.id, check.outcome) for check in report.checks]
    same = {
        "task": report.task == said.task,
        "language": report.language == said.language,
        "universe": report.universe == said.universe,
        "snapshot": report.snapshot == decisive.stage.snapshot,
        "manifest of checks": report.manifest_digest
        == decisive.verdict.universe.parts.get("checks"),
        "build": (report.build.needed, report.build.ok, report.build.outcome)
        == (decisive.build.needed, decisive.build.ok, decisive.build.outcome),
        "checks": checks == [(check.id, check.outcome) for _, check in decisive.checks],
    }
    wrong = [name for name, holds in same.items() if not holds]
    if wrong:
        raise RecordRefused(
            Reason.CONTRADICTION, f"the check report tells of another {', '.join(wrong)}."
        )
