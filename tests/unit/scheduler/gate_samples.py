"""Decisions about the task of `small_package`, as gates make them."""

from pathlib import Path

from models.schemas.gate import (
    GateColour,
    GateEvidence,
    GateReason,
    GateRule,
    ParityDecision,
    SubjectRow,
    SubjectRun,
)
from models.verdicts import CheckOutcome
from tasks_catalog.catalog import Catalog, open_catalog
from tests.unit.tasks_catalog.small_package import write_languages, write_package

CHECKS = ("shown-sum", "hidden-sum", "hidden-zero")
PASSED, WRONG, CRASH = CheckOutcome.PASSED, CheckOutcome.WRONG, CheckOutcome.CRASH
NOW_TEXT = "2026-01-02T03:04:05.000Z"
PARTS = {"check hidden-sum": "1a", "file public/alpha/main.txt": "2b"}


def small_catalog(root: Path) -> Catalog:
    languages = write_languages(root)
    write_package(root / "tasks")
    return open_catalog(root / "tasks", root / "tasks", languages)


def row(subject: str, *outcomes: CheckOutcome, built: bool = True, run_id: int = 1) -> SubjectRow:
    """A subject with the outcomes of CHECKS, or without evidence."""
    evidence = GateEvidence(check_ms=(10, 20, 30))
    run = SubjectRun(run_id=run_id, repeat=1, built=built, evidence=evidence)
    return SubjectRow(
        subject=subject,
        outcomes=dict(zip(CHECKS, outcomes, strict=bool(outcomes))),
        built=built,
        repeats=1 if outcomes else 0,
        runs=(run,) if outcomes else (),
    )


def decision(
    language: str = "alpha",
    *,
    fault: SubjectRow | None = None,
    starter: SubjectRow | None = None,
    reasons: tuple[GateReason, ...] = (),
    **changes: object,
) -> ParityDecision:
    """A green decision, but for what is given."""
    rows = (
        row("reference", PASSED, PASSED, PASSED),
        starter or row("starter", PASSED, WRONG, PASSED, run_id=2),
        fault or row("fault:drops-sign", PASSED, WRONG, PASSED, run_id=3),
    )
    colour = GateColour.RED if reasons else GateColour.GREEN
    values: dict[str, object] = {
        "task": "adder",
        "language": language,
        "universe": "sha256:" + "a" * 64,
        "manifest_digest": "sha256:" + "b" * 64,
        "toolchain": f"{language} 1.0",
        "isolation": "bubblewrap",
        "colour": colour,
        "reasons": reasons,
        "checks": CHECKS,
        "rows": rows,
        "parts": PARTS,
        "campaign_id": "gate-adder-1",
        "decided_at": NOW_TEXT,
        **changes,
    }
    return ParityDecision.model_validate(values)


def survived() -> GateReason:
    return GateReason(
        rule=GateRule.FAULT_IS_CAUGHT,
        subject="fault:drops-sign",
        check="hidden-sum",
        text="hidden-sum passes in run 3 and must fail",
    )
