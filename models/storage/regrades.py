"""Takes frozen runs over from one campaign into another, and tells what grading made of both."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    tuple_,
)
from sqlalchemy.orm import Session, aliased

from models.errors import NotFound
from models.schemas.plan import PlannedRun
from models.schemas.regrade import Regrade, RegradedRun, UniverseChange
from models.schemas.run import RunState
from models.storage.campaigns import campaign_row
from models.storage.gates import read_outcomes
from models.storage.tallies import CANCELLED, tally, void_ending
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow
from models.tables.check_reports import CheckReportRow
from models.tables.runs import RunRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow

OldRun, OldCell, OldVariant = aliased(RunRow), aliased(CellRow), aliased(VariantRow)
OldReport = aliased(CheckReportRow)

SAME_CELL = (
    CellRow.system_pk == OldCell.system_pk,
    VariantRow.task == OldVariant.task,
    VariantRow.language == OldVariant.language,
)
"""The cell of a regrade that stands for a cell of its source: whatever universe it is in."""


def _frozen_again() -> ColumnElement[bool]:
    """Whether a run of the source can be graded: it left a snapshot, and no person ended it."""
    return and_(OldRun.state != RunState.CANCELLED, OldRun.snapshot.is_not(None))


def _if_ended(column: Any) -> ColumnElement[Any]:
    return case((_frozen_again(), null()), else_=column)


def _place(which: str) -> ColumnElement[Any]:
    """A place in the plan, given as parameters: its repeat, then its cell."""
    names = (f"{which}_repeat", f"{which}_position")
    return tuple_(*(bindparam(name, type_=Integer) for name in names))


PLACE = tuple_(OldRun.repeat, CellRow.position)
TAKEN: dict[str, Any] = {
    "campaign_pk": CellRow.campaign_pk,
    "cell_pk": CellRow.pk,
    "repeat": OldRun.repeat,
    "queue_pk": CellRow.grade_queue_pk,
    "system_pk": CellRow.system_pk,
    "state": case(
        (_frozen_again(), literal(RunState.FROZEN, RunRow.state.type)), else_=OldRun.state
    ),
    "token": literal(0),
    "agent_tries": literal(0),
    "grade_tries": literal(0),
    "not_before": literal(0.0),
    "snapshot": OldRun.snapshot,
    "stop_reason": OldRun.stop_reason,
    "changed": OldRun.changed,
    "void_category": _if_ended(OldRun.void_category),
    "ended_at": _if_ended(bindparam("now")),
}
TAKE = (
    insert(RunRow)
    .from_select(
        list(TAKEN),
        select(*TAKEN.values())
        .select_from(OldRun)
        .join(OldCell, OldCell.pk == OldRun.cell_pk)
        .join(OldVariant, OldVariant.pk == OldCell.variant_pk)
        .join(CellRow, CellRow.campaign_pk == bindparam("new_campaign"))
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .where(
            OldCell.campaign_pk == bindparam("old_campaign"),
            *SAME_CELL,
            OldRun.repeat.between(bindparam("first_repeat"), bindparam("last_repeat")),
            _place("first") <= PLACE,
            _place("last") >= PLACE,
        )
        .order_by(OldRun.repeat, CellRow.position),
    )
    .returning(RunRow.cell_pk, RunRow.state, RunRow.void_category)
)


def insert_frozen(
    session: Session,
    campaigns: tuple[int, int],
    span: tuple[PlannedRun, PlannedRun],
    now: float,
) -> None:
    """Insert the runs of a plan from the first to the last of `span` as their source left them.

    `campaigns` are the keys of source and regrade. A run with a snapshot is frozen again, however
    it was graded; one that ended void without one, or was cancelled, has ended here too.
    """
    first, last = span
    places = {
        "first_repeat": first.repeat,
        "first_position": first.position,
        "last_repeat": last.repeat,
        "last_position": last.position,
    }
    values = {"old_campaign": campaigns[0], "new_campaign": campaigns[1], "now": now, **places}
    ended: Counter[tuple[int, str]] = Counter()
    for cell_pk, state, category in session.connection().execute(TAKE, values):
        if state is RunState.CANCELLED:
            ended[cell_pk, CANCELLED] += 1
        elif category is not None:
            ended[cell_pk, void_ending(category)] += 1
    tally(session, ended)


def regrades_of(session: Session, campaign_id: str) -> list[str]:
    """The campaigns that grade the snapshots of this one again, oldest first. Raises NotFound."""
    source = campaign_row(session, campaign_id)
    found = select(CampaignRow.id).where(CampaignRow.source_pk == source.pk)
    return list(session.execute(found.order_by(CampaignRow.pk)).scalars())


def source_run(session: Session, run_id: int) -> int | None:
    """The run that the snapshot of this run was taken over from, if it was."""
    found = _pairs(OldRun.id).where(RunRow.id == run_id)
    return session.execute(found).scalar_one_or_none()


def read_regrade(session: Session, campaign_id: str, limit: int) -> Regrade:
    """A regrade against its source, with up to `limit` runs that came out otherwise.

    Runs that have not ended yet are counted as `open`, and never among the changed. Raises
    NotFound for a campaign that is not there or is no regrade.
    """
    campaign = campaign_row(session, campaign_id)
    if campaign.source_pk is None:
        raise NotFound(
            f"{campaign_id} grades no other campaign's snapshots.",
            remedy=f"`gradefarm regrade {campaign_id}` grades its own again.",
        )
    source = session.get_one(CampaignRow, campaign.source_pk)
    return Regrade(
        campaign_id=campaign.id,
        source_id=source.id,
        universes=tuple(_universes(session, campaign.pk)),
        turned=tuple(_turned(session, campaign.pk)),
        changed=tuple(_changed(session, campaign.pk, limit)),
    )


def beside_source(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Runs of regrades beside the runs that they were taken over from, which are `OldRun`."""
    return (
        select(*columns)
        .select_from(RunRow)
        .join(CampaignRow, CampaignRow.pk == RunRow.campaign_pk)
        .join(CellRow, CellRow.pk == RunRow.cell_pk)
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .join(OldCell, OldCell.campaign_pk == CampaignRow.source_pk)
        .join(OldVariant, OldVariant.pk == OldCell.variant_pk)
        .join(OldRun, and_(OldRun.cell_pk == OldCell.pk, OldRun.repeat == RunRow.repeat))
        .where(*SAME_CELL)
    )


def _pairs(*columns: Any) -> Select[*tuple[Any, ...]]:
    """As `beside_source`, with the system and both reports."""
    return (
        beside_source(*columns)
        .join(SystemRow, SystemRow.pk == CellRow.system_pk)
        .outerjoin(CheckReportRow, CheckReportRow.run_id == RunRow.id)
        .outerjoin(OldReport, OldReport.run_id == OldRun.id)
    )


def _word(run: Any, report: Any) -> ColumnElement[str]:
    """How a run ended, in one word; `open` where it has not."""
    states = {RunState.VOID: "void", RunState.CANCELLED: "cancelled"}
    ended = [(run.state == state, literal(word)) for state, word in states.items()]
    return case(
        (report.verdict.is_not(None), func.lower(report.verdict)), *ended, else_=literal("open")
    )


AFTER, BEFORE = _word(RunRow, CheckReportRow), _word(OldRun, OldReport)


def _universes(session: Session, campaign_pk: int) -> list[UniverseChange]:
    wanted = (
        select(VariantRow.task, VariantRow.language, OldVariant.universe, VariantRow.universe)
        .select_from(CellRow)
        .join(CampaignRow, CampaignRow.pk == CellRow.campaign_pk)
        .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
        .join(OldCell, OldCell.campaign_pk == CampaignRow.source_pk)
        .join(OldVariant, OldVariant.pk == OldCell.variant_pk)
        .where(CellRow.campaign_pk == campaign_pk, *SAME_CELL)
        .distinct()
        .order_by(VariantRow.task, VariantRow.language)
    )
    return [
        UniverseChange(task=task, language=language, before=before, after=after)
        for task, language, before, after in session.execute(wanted)
    ]


def _turned(session: Session, campaign_pk: int) -> list[tuple[str, str, int]]:
    found = _pairs(BEFORE, AFTER, func.count()).where(RunRow.campaign_pk == campaign_pk)
    grouped = found.group_by(BEFORE, AFTER).order_by(BEFORE, AFTER)
    return [(before, after, runs) for before, after, runs in session.execute(grouped)]


def _changed(session: Session, campaign_pk: int, limit: int) -> list[RegradedRun]:
    columns = (
        RunRow.id,
        OldRun.id,
        SystemRow.name,
        VariantRow.task,
        VariantRow.language,
        RunRow.repeat,
        BEFORE,
        AFTER,
        OldReport.outcomes,
        CheckReportRow.outcomes,
    )
    differs = or_(BEFORE != AFTER, OldReport.outcomes != CheckReportRow.outcomes)
    found = _pairs(*columns).where(RunRow.campaign_pk == campaign_pk, AFTER != "open", differs)
    rows = session.execute(found.order_by(RunRow.id).limit(limit)).all()
    return [
        RegradedRun(
            run_id=row[0],
            source_run_id=row[1],
            system=row[2],
            task=row[3],
            language=row[4],
            repeat=row[5],
            before=row[6],
            after=row[7],
            checks=_turned_checks(row[8], row[9]),
        )
        for row in rows
    ]


def _turned_checks(before: str | None, after: str | None) -> tuple[tuple[str, str, str], ...]:
    old, new = _outcomes(before), _outcomes(after)
    ids: Sequence[str] = list(dict.fromkeys([*new, *old]))
    pairs = ((check, old.get(check, ""), new.get(check, "")) for check in ids)
    return tuple(pair for pair in pairs if pair[1] != pair[2])


def _outcomes(text: str | None) -> dict[str, str]:
    return {} if text is None else {check: each.value for check, each in read_outcomes(text)}
