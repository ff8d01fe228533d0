"""What was decided about verifiers, and what a decision is made from."""

import json
from collections import defaultdict
from collections.abc import Collection
from typing import cast

from sqlalchemy import ColumnElement, Row, bindparam, func, or_, select, tuple_
from sqlalchemy.orm import Session

from models.schemas.agents import SubjectSettings
from models.schemas.gate import GateColour, GateEvidence, GateRun, ParityDecision
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

PROOFS = (
    select(GateDecisionRow.colour, GateDecisionRow.toolchain)
    .where(
        GateDecisionRow.task == bindparam("of_task"),
        GateDecisionRow.language == bindparam("in_language"),
        GateDecisionRow.universe == bindparam("of_universe"),
    )
    .order_by(GateDecisionRow.id.desc())
)
ProvingTools = tuple[str, str]
"""The toolchain and the isolation that a verifier was, or would be, proved with."""


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
        document=decision.model_dump_json(exclude_defaults=True),
    )
    session.add(row)
    session.flush()
    return row.id


def find_decision(
    session: Session,
    task: str,
    language: str,
    universe: str,
    tools: Collection[ProvingTools] | None = None,
) -> ParityDecision | None:
    """The newest decision about a variant in exactly this universe.

    With `tools` the newest that was made with one of them. Those that were inconclusive count
    whatever they were made with: nobody knows what they would have said.
    """
    ours = (GateDecisionRow.task == task, GateDecisionRow.language == language)
    wanted = (*ours, GateDecisionRow.universe == universe)
    if tools is None:
        return _newest(session, *wanted)
    with_these = tuple_(GateDecisionRow.toolchain, GateDecisionRow.isolation).in_(list(tools))
    open_still = GateDecisionRow.colour == GateColour.INCONCLUSIVE
    return _newest(session, *wanted, or_(with_these, open_still))


def last_decision(session: Session, task: str, language: str) -> ParityDecision | None:
    """The newest decision about a variant, whatever universe and tools it was made in."""
    return _newest(session, GateDecisionRow.task == task, GateDecisionRow.language == language)


def _newest(session: Session, *conditions: ColumnElement[bool]) -> ParityDecision | None:
    newest = select(GateDecisionRow.document).where(*conditions)
    ordered = newest.order_by(GateDecisionRow.id.desc()).limit(1)
    document = session.execute(ordered).scalar_one_or_none()
    return None if document is None else ParityDecision.model_validate_json(document)


def proved_toolchains(session: Session, task: str, language: str, universe: str) -> tuple[str, ...]:
    """The toolchains with which a variant is proved: those whose newest decision is green.

    An inconclusive decision is no proof, and takes none back here: without any, runs with tools
    that were never proved would count beside those that were.
    """
    wanted = {"of_task": task, "in_language": language, "of_universe": universe}
    newest: dict[str, GateColour] = {}
    for colour, toolchain in session.connection().execute(PROOFS, wanted):
        if colour is not GateColour.INCONCLUSIVE:
            newest.setdefault(toolchain, colour)
    return tuple(sorted(name for name, colour in newest.items() if colour is GateColour.GREEN))


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
    run, variant = row[0], row[2]
    subject = SubjectSettings.model_validate_json(row[1])
    # Outer joins: SQLAlchemy's types don't know that these may be missing.
    report = cast("CheckReportRow | None", row[3])
    attempt = cast("AttemptRow | None", row[4])
    if report is None or attempt is None:
        return GateRun(
            run_id=run.id,
            subject=subject.subject,
            repeat=subject.repeat,
            universe=variant.universe,
            voided=run.void_category,
        )
    kept = report.gate_evidence
    return GateRun(
        run_id=run.id,
        subject=subject.subject,
        repeat=subject.repeat,
        universe=report.universe,
        manifest_digest=report.manifest_digest,
        toolchain=attempt.toolchain,
        isolation=attempt.isolation,
        built=report.built,
        outcomes=read_outcomes(report.outcomes),
        evidence=None if kept is None else GateEvidence.model_validate_json(kept),
    )


def read_outcomes(text: str) -> tuple[tuple[str, CheckOutcome], ...]:
    """The (check id, outcome) pairs of a stored report, in plan order."""
    pairs = cast("list[tuple[str, str]]", json.loads(text))
    return tuple((check, CheckOutcome(outcome)) for check, outcome in pairs)
