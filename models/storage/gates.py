"""What was decided about verifiers, and what a decision is made from."""

import json
from collections import defaultdict
from typing import cast

from sqlalchemy import ColumnElement, Row, bindparam, func, select
from sqlalchemy.orm import Session

from models.schemas.gate import GateColour, GateRun, ParityDecision
from models.schemas.run import RunState
from models.storage.campaigns import campaign_row
from models.tables.attempts import AttemptRow
from models.tables.cells import CellRow
from models.tables.check_reports import CheckReportRow
from models.tables.gate_decisions import GateDecisionRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow
from models.verdicts import CheckOutcome

PROOF = (
    select(GateDecisionRow.colour, GateDecisionRow.toolchain)
    .where(
        GateDecisionRow.task == bindparam("of_task"),
        GateDecisionRow.language == bindparam("in_language"),
        GateDecisionRow.universe == bindparam("of_universe"),
    )
    .order_by(GateDecisionRow.id.desc())
    .limit(1)
)
SUBJECT_SETTING = "subject"
"""The setting of a gate's system that names its subject."""


def save_decision(session: Session, decision: ParityDecision, now: float) -> int:
    """Keep a decision beside all earlier ones; returns its id."""
    row = GateDecisionRow(
        task=decision.task,
        language=decision.language,
        universe=decision.universe,
        colour=decision.colour,
        toolchain=decision.toolchain,
        isolation=decision.isolation,
        campaign_id=decision.campaign_id,
        decided_at=now,
        document=decision.model_dump_json(),
    )
    session.add(row)
    session.flush()
    return row.id


def find_decision(
    session: Session, task: str, language: str, universe: str
) -> ParityDecision | None:
    """The newest decision about a variant in exactly this universe."""
    newest = (
        select(GateDecisionRow.document)
        .where(
            GateDecisionRow.task == task,
            GateDecisionRow.language == language,
            GateDecisionRow.universe == universe,
        )
        .order_by(GateDecisionRow.id.desc())
        .limit(1)
    )
    document = session.execute(newest).scalar_one_or_none()
    return None if document is None else ParityDecision.model_validate_json(document)


def proved_toolchain(session: Session, task: str, language: str, universe: str) -> str | None:
    """The toolchain that a variant was proved with, None where its newest decision isn't green."""
    wanted = {"of_task": task, "in_language": language, "of_universe": universe}
    found = session.connection().execute(PROOF, wanted).one_or_none()
    return found[1] if found is not None and found[0] is GateColour.GREEN else None


def decisions_of(session: Session, campaign_id: str) -> list[ParityDecision]:
    """The newest decision about every variant of a gate campaign, in order of time."""
    newest = (
        select(func.max(GateDecisionRow.id))
        .where(GateDecisionRow.campaign_id == campaign_id)
        .group_by(GateDecisionRow.task, GateDecisionRow.language, GateDecisionRow.universe)
    )
    statement = select(GateDecisionRow.document).where(GateDecisionRow.id.in_(newest))
    documents = session.execute(statement.order_by(GateDecisionRow.id)).scalars()
    return [ParityDecision.model_validate_json(document) for document in documents]


def collect_gate_runs(
    session: Session, campaign_id: str
) -> dict[tuple[str, str], tuple[GateRun, ...]]:
    """The ended runs of a gate campaign by (task, language), in the order of the plan.

    Cancelled runs are left out. Raises NotFound.
    """
    campaign = campaign_row(session, campaign_id)
    statement = (
        select(RunRow, SystemRow.settings, VariantRow, CheckReportRow, AttemptRow)
        .join(CellRow, CellRow.pk == RunRow.cell_pk)
        .join(SystemRow, SystemRow.pk == CellRow.system_pk)
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .outerjoin(CheckReportRow, CheckReportRow.run_id == RunRow.id)
        .outerjoin(AttemptRow, AttemptRow.id == CheckReportRow.attempt_id)
        .where(RunRow.campaign_pk == campaign.pk, _ended())
        .order_by(CellRow.position, RunRow.repeat)
        .execution_options(populate_existing=True)
    )
    found: defaultdict[tuple[str, str], list[GateRun]] = defaultdict(list)
    for row in session.execute(statement):
        variant = row[2]
        found[variant.task, variant.language].append(_gate_run(row))
    return {variant: tuple(runs) for variant, runs in found.items()}


def _ended() -> ColumnElement[bool]:
    return RunRow.state.in_((RunState.GRADED, RunState.VOID))


def _gate_run(
    row: Row[RunRow, str, VariantRow, CheckReportRow, AttemptRow],
) -> GateRun:
    run, settings, variant = row[0], row[1], row[2]
    # Outer joins: SQLAlchemy's types don't know that these may be missing.
    report = cast("CheckReportRow | None", row[3])
    attempt = cast("AttemptRow | None", row[4])
    subject = cast("dict[str, object]", json.loads(settings)).get(SUBJECT_SETTING)
    if report is None or attempt is None:
        return GateRun(
            run_id=run.id,
            subject=str(subject),
            repeat=run.repeat,
            universe=variant.universe,
            voided=run.void_category,
        )
    return GateRun(
        run_id=run.id,
        subject=str(subject),
        repeat=run.repeat,
        universe=report.universe,
        manifest_digest=report.manifest_digest,
        toolchain=attempt.toolchain,
        isolation=attempt.isolation,
        built=report.built,
        outcomes=read_outcomes(report.outcomes),
    )


def read_outcomes(text: str) -> tuple[tuple[str, CheckOutcome], ...]:
    """The (check id, outcome) pairs of a stored report, in plan order."""
    pairs = cast("list[tuple[str, str]]", json.loads(text))
    return tuple((check, CheckOutcome(outcome)) for check, outcome in pairs)
