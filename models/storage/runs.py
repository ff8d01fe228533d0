"""Reads runs and their attempts."""

from typing import cast

from sqlalchemy import ColumnElement, Row, Select, func, select
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.schemas.run import ENDS, RunState
from models.schemas.run_filter import RunFilter
from models.schemas.run_view import AttemptView, RecordState, RunView
from models.storage.campaigns import campaign_row
from models.storage.transitions import in_states
from models.tables.attempts import AttemptRow
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.check_reports import CheckReportRow
from models.tables.run_records import RunRecordRow
from models.tables.runs import LEASED_STATES, QUEUED_STATES, RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow
from models.verdicts import Verdict


def list_runs(
    session: Session,
    wanted: RunFilter,
    *,
    limit: int = 100,
    after: int = 0,
    upto: int | None = None,
) -> list[RunView]:
    """Up to `limit` runs as they were planned: by repeat, then cell.

    `after` is the id of the last one seen, `upto` the last id that is looked at. Raises NotFound
    for an unknown campaign.
    """
    window = [RunRow.id > after] if upto is None else [RunRow.id > after, RunRow.id <= upto]
    statement = (
        _runs()
        .where(*window, *_place(session, wanted), *_conditions(wanted))
        .order_by(RunRow.id)
        .limit(limit)
    )
    return [_view(row) for row in session.execute(statement)]


def run_span(session: Session, campaign_id: str | None) -> tuple[int, int]:
    """The lowest and the highest id of the runs of a campaign, or of all; zeros without any.

    Raises NotFound.
    """
    if campaign_id is not None:
        return _span(session, campaign_row(session, campaign_id).pk)
    lowest, highest = (select(end(RunRow.id)) for end in (func.min, func.max))
    return session.execute(lowest).scalar() or 0, session.execute(highest).scalar() or 0


def find_run(session: Session, run_id: int) -> RunView:
    """One run. Raises NotFound."""
    row = session.execute(_runs().where(RunRow.id == run_id)).one_or_none()
    if row is None:
        raise NotFound(
            f"there is no run {run_id}.",
            remedy="`gradefarm runs list` shows the runs of a campaign with their numbers.",
        )
    return _view(row)


def attempts_of(session: Session, run_id: int) -> list[AttemptView]:
    """Every attempt of a run, oldest first."""
    kept = select(AttemptRow).where(AttemptRow.run_id == run_id).order_by(AttemptRow.token)
    fields = tuple(AttemptView.model_fields)
    fresh = session.execute(kept.execution_options(populate_existing=True)).scalars()
    return [AttemptView.model_validate({n: getattr(row, n) for n in fields}) for row in fresh]


def _runs() -> Select[RunRow, str, SystemRow, VariantRow, CheckReportRow, int, str | None]:
    return (
        select(
            RunRow,
            CampaignRow.id,
            SystemRow,
            VariantRow,
            CheckReportRow,
            RunRecordRow.open_entry,
            RunRecordRow.digest,
        )
        .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
        .join(CellRow, CellRow.pk == RunRow.cell_pk)
        .join(SystemRow, SystemRow.pk == CellRow.system_pk)
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .outerjoin(CheckReportRow, CheckReportRow.run_id == RunRow.id)
        .outerjoin(RunRecordRow, RunRecordRow.run_id == RunRow.id)
        .execution_options(populate_existing=True)
    )


def _place(session: Session, wanted: RunFilter) -> list[ColumnElement[bool]]:
    """Where to look: the part of the table that holds the campaign, or an index of few runs."""
    place: list[ColumnElement[bool]] = []
    if wanted.campaign_id is not None:
        pk = campaign_row(session, wanted.campaign_id).pk
        first, last = _span(session, pk)
        place = [RunRow.campaign_pk == pk, RunRow.id >= first, RunRow.id <= last]
    state = RunState.VOID if wanted.verdict is Verdict.VOID else wanted.state
    for few in (QUEUED_STATES, LEASED_STATES, (RunState.VOID,)):
        if state in few:
            found = select(RunRow.id).where(in_states(few), RunRow.state == state)
            place.append(RunRow.id.in_(found))
    return place


def _span(session: Session, campaign_pk: int) -> tuple[int, int]:
    """The lowest and the highest id of a campaign's runs; runs are inserted as planned."""
    cells = RunRow.cell_pk.in_(select(CellRow.pk).where(CellRow.campaign_pk == campaign_pk))
    first = select(func.min(RunRow.id)).where(cells, RunRow.repeat == 1)
    planned, total, repeats = session.execute(
        select(CampaignRow.planned, CampaignRow.total, CampaignRow.repeats).where(
            CampaignRow.pk == campaign_pk
        )
    ).one()
    newest = max(1, -(-planned // (total // repeats)))
    last = select(func.max(RunRow.id)).where(cells, RunRow.repeat == newest)
    return session.execute(first).scalar() or 0, session.execute(last).scalar() or 0


def _conditions(wanted: RunFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state is not None:
        conditions.append(RunRow.state == wanted.state)
    if wanted.verdict is Verdict.VOID:
        conditions.append(RunRow.state == RunState.VOID)
    elif wanted.verdict is not None:
        conditions.append(CheckReportRow.verdict == wanted.verdict)
    if wanted.system is not None:
        conditions.append(SystemRow.name == wanted.system)
    if wanted.task is not None:
        conditions.append(VariantRow.task == wanted.task)
    if wanted.language is not None:
        conditions.append(VariantRow.language == wanted.language)
    return conditions


def _view(row: Row[RunRow, str, SystemRow, VariantRow, CheckReportRow, int, str | None]) -> RunView:
    run, campaign_id, system, variant = row[0], row[1], row[2], row[3]
    recorded, digest = cast("int | None", row[5]), row[6]
    # An outer join: SQLAlchemy's types don't know that it may be missing.
    report = cast("CheckReportRow | None", row[4])
    verdict = Verdict.VOID if run.state is RunState.VOID else report and report.verdict
    return RunView(
        id=run.id,
        campaign_id=campaign_id,
        system=system.name,
        system_id=system.digest,
        agent=system.agent,
        task=variant.task,
        language=variant.language,
        universe=variant.universe,
        repeat=run.repeat,
        state=run.state,
        token=run.token,
        worker=run.worker,
        snapshot=run.snapshot,
        stop_reason=run.stop_reason,
        changed=run.changed,
        verdict=verdict,
        undelivered=report and report.undelivered,
        void_category=run.void_category,
        report=report and report.report,
        ended_at=run.ended_at,
        record=_record_state(run, recorded is not None, digest is not None),
        record_digest=digest,
    )


def _record_state(run: RunRow, recorded: bool, closed: bool) -> RecordState:
    if closed:
        return RecordState.SEALED
    if not recorded:
        return RecordState.NONE
    return RecordState.ABANDONED if run.state in ENDS else RecordState.OPEN
