"""Boards from the results in the database at hand."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy.orm import Session

from models.errors import NotFound, Refused
from models.schemas.board import (
    Board,
    BoardPolicy,
    BoardProvenance,
    CancelledCampaign,
    CellCount,
)
from models.schemas.campaign import CampaignState
from models.schemas.campaign_progress import CampaignProgress, CampaignView
from models.schemas.gate import GateColour, GateRule
from models.storage.campaigns import campaign_progress
from models.storage.gates import find_decision
from models.storage.isolations import every_attempt_was_isolated
from models.storage.reply_counts import replies_by_system
from models.storage.results import cell_counts
from models.storage.transaction import Database
from scheduler.boards.board_builder import build_board
from scheduler.boards.common_terms import refuse_other_terms
from scheduler.farm_access.local_campaigns import LocalCampaigns
from scheduler.gate_campaigns import is_proved
from tasks_catalog.catalog import Catalog


@dataclass(frozen=True)
class LocalBoards:
    """Keeps `Boards` over a database."""

    database: Database
    catalog: Catalog
    campaigns: LocalCampaigns

    def board(self, campaign_ids: Sequence[str]) -> Board:
        """The board of campaigns; of the newest where none is named."""
        return self.board_of([self.campaigns.find(one) for one in campaign_ids or [None]])

    def board_of(self, campaigns: Sequence[CampaignView]) -> Board:
        """The board of campaigns, each counted once.

        A campaign that was started unproven stays so: its runs were graded before the proof.
        """
        asked = list({campaign.id: campaign for campaign in campaigns}.values())
        refuse_other_terms(asked)
        ids = [campaign.id for campaign in asked]
        with self.database.read() as session:
            cells = cell_counts(session, ids)
            isolated = every_attempt_was_isolated(session, ids)
            cancelled = tuple(
                _as_cancelled(campaign_progress(session, campaign.id))
                for campaign in asked
                if campaign.state is CampaignState.CANCELLED
            )
            proved = all(
                is_proved(session, cell.task, cell.language, cell.universe) for cell in cells
            )
            suite_tasks = self._suite_tasks(session, cells)
            replies = replies_by_system(session, ids)
        provenance = BoardProvenance(
            campaign_ids=tuple(ids),
            isolated=isolated,
            unproven=not proved or any(campaign.unproven for campaign in asked),
            cancelled=cancelled,
            suite_tasks=suite_tasks,
            replies=replies,
        )
        policy = BoardPolicy(undelivered=asked[0].spec.policy.undelivered)
        return build_board(cells, provenance, policy)

    def _suite_tasks(self, session: Session, cells: Iterable[CellCount]) -> tuple[str, ...]:
        """The tasks that a native suite asks: as their gates say; without one, as it is now."""
        found: set[str] = set()
        for cell in cells:
            decision = find_decision(session, cell.task, cell.language, cell.universe)
            if decision is not None and decision.colour is not GateColour.INCONCLUSIVE:
                if any(reason.rule is GateRule.NATIVE_SUITE for reason in decision.reasons):
                    found.add(cell.task)
                continue
            with suppress(NotFound, Refused):
                if self.catalog.task(cell.task).uses_suite:
                    found.add(cell.task)
        return tuple(sorted(found))


def _as_cancelled(progress: CampaignProgress) -> CancelledCampaign:
    return CancelledCampaign(
        campaign_id=progress.campaign_id,
        planned=progress.total,
        graded=progress.graded,
        cancelled=progress.total - progress.graded - progress.void,
    )
