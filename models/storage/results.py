"""Reads what the checks said, run by run and counted by cell."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, bindparam, case, select
from sqlalchemy.orm import Session

from models.schemas.agents import SCRIPTED_AGENTS
from models.schemas.board import CellCount
from models.schemas.campaign import CampaignState
from models.schemas.run_view import CheckReportView
from models.storage.campaigns import campaign_row
from models.storage.gates import read_outcomes
from models.storage.tallies import CANCELLED, UNDELIVERED, VOID_PREFIX
from models.tables.campaigns import CampaignRow
from models.tables.cells import CellRow, CellTallyRow
from models.tables.check_reports import CheckReportRow
from models.tables.systems import SystemRow
from models.tables.variants import VariantRow
from models.verdicts import Verdict

Key = tuple[str, str, str, str]
"""System id, task, language, universe."""


def _inserted() -> ColumnElement[int]:
    """How many runs of a cell exist: the plan goes round all cells, repeat by repeat.

    As many as are asked for, but for a campaign that was cancelled while it was planned.
    """
    cells = CampaignRow.total // CampaignRow.repeats
    whole = CampaignRow.planned // cells
    one_more = case((CellRow.position < CampaignRow.planned % cells, 1), else_=0)
    return case(
        (CampaignRow.state == CampaignState.CANCELLED, whole + one_more),
        else_=CampaignRow.repeats,
    )


THESE = CellRow.campaign_pk.in_(bindparam("of_campaigns", expanding=True))
CELLS = (
    select(SystemRow, VariantRow, _inserted())
    .select_from(CellRow)
    .join(CampaignRow, CampaignRow.pk == CellRow.campaign_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
    .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
    .where(THESE)
    .order_by(CellRow.campaign_pk, CellRow.position)
)
ENDINGS = (
    select(SystemRow, VariantRow, CellTallyRow.ending, CellTallyRow.runs)
    .select_from(CellTallyRow)
    .join(CellRow, CellRow.pk == CellTallyRow.cell_pk)
    .join(SystemRow, SystemRow.pk == CellRow.system_pk)
    .join(VariantRow, VariantRow.pk == CellRow.variant_pk)
    .where(THESE)
)


def find_report(session: Session, run_id: int) -> CheckReportView | None:
    """The counted result of a run, None as long as there is none."""
    kept = select(CheckReportRow).where(CheckReportRow.run_id == run_id)
    row = session.execute(kept).scalar_one_or_none()
    if row is None:
        return None
    return CheckReportView(
        run_id=row.run_id,
        attempt_id=row.attempt_id,
        verdict=row.verdict,
        undelivered=row.undelivered,
        built=row.built,
        universe=row.universe,
        manifest_digest=row.manifest_digest,
        outcomes=read_outcomes(row.outcomes),
        report=row.report,
        graded_at=row.graded_at,
    )


def cell_counts(session: Session, campaign_ids: Sequence[str]) -> list[CellCount]:
    """The counts of every system on every variant over all of `campaign_ids`.

    Cells of one system id on one variant in one universe are added up, under the name that the
    first of the campaigns gave the system, whatever limits and policy they had: whoever adds
    campaigns up sees to those. Cancelled runs don't count as planned. Raises NotFound.
    """
    pks = [campaign_row(session, campaign_id).pk for campaign_id in campaign_ids]
    counts: dict[Key, _Counts] = {}
    for key, system, agent, planned in _cells(session, pks):
        found = counts.setdefault(key, _Counts(system, agent in SCRIPTED_AGENTS))
        found.planned += planned
    for key, ending, runs in _endings(session, pks):
        counts[key].endings[ending] += runs
    names = _first_names(counts)
    return [found.as_cell_count(key, names[key[0]]) for key, found in counts.items()]


@dataclass
class _Counts:
    system: str
    scripted: bool
    planned: int = 0
    endings: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def as_cell_count(self, key: Key, system: str) -> CellCount:
        """The counts of the cells under `key`."""
        undelivered = self.endings[UNDELIVERED]
        voids = {
            ending.removeprefix(VOID_PREFIX): runs
            for ending, runs in sorted(self.endings.items())
            if ending.startswith(VOID_PREFIX)
        }
        return CellCount(
            system=system,
            system_id=key[0],
            scripted=self.scripted,
            task=key[1],
            language=key[2],
            universe=key[3],
            passed=self.endings[Verdict.PASSED],
            failed=self.endings[Verdict.FAILED] + undelivered,
            undelivered=undelivered,
            void_by_category=voids,
            planned=self.planned - self.endings[CANCELLED],
        )


def _first_names(counts: dict[Key, _Counts]) -> dict[str, str]:
    names: dict[str, str] = {}
    for key, found in counts.items():
        names.setdefault(key[0], found.system)
    return names


def _cells(session: Session, pks: Sequence[int]) -> list[tuple[Key, str, str, int]]:
    found = session.execute(CELLS, {"of_campaigns": list(pks)})
    return [
        (_key(system, variant), system.name, system.agent, planned)
        for system, variant, planned in found
    ]


def _endings(session: Session, pks: Sequence[int]) -> list[tuple[Key, str, int]]:
    found = session.execute(ENDINGS, {"of_campaigns": list(pks)})
    return [(_key(system, variant), ending, runs) for system, variant, ending, runs in found]


def _key(system: SystemRow, variant: VariantRow) -> Key:
    return system.digest, variant.task, variant.language, variant.universe
