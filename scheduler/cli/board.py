"""`gradefarm board`: systems in tiers, from the results of one campaign or several."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated

import typer
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
from models.storage.results import cell_counts
from scheduler.boards.board_builder import build_board
from scheduler.boards.board_text import render_board
from scheduler.boards.common_terms import refuse_other_terms
from scheduler.cli.farm_access import FarmAccess, JsonFlag, open_farm
from scheduler.cli.text_tables import print_json
from scheduler.gate_campaigns import is_proved
from tasks_catalog.catalog import Catalog

app = typer.Typer(rich_markup_mode=None)

WIDEST = 140


@app.command()
def board(
    campaigns: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CAMPAIGN]...", help="Campaigns to add up; the newest if none."),
    ] = None,
    *,
    as_json: JsonFlag = False,
) -> None:
    """Systems in tiers: every figure with its band, its runs and its voids.

    A tier changes only where comparison bands don't overlap. Works at any time, also while a
    campaign runs or the farm is down.

    \b
      gradefarm board
      gradefarm board nightly-3 nightly-4
      gradefarm board --json
    """
    farm = open_farm()
    chosen = [farm.campaign(name) for name in campaigns or [None]]
    built = board_of(farm, chosen)
    if as_json:
        print_json(built)
    else:
        sys.stdout.write(board_text(built))


def board_of(farm: FarmAccess, campaigns: Sequence[CampaignView]) -> Board:
    """The board of campaigns, each counted once. Raises Refused for such as can't be added up.

    A campaign that was started unproven stays so: its runs were graded before the proof.
    """
    asked = list({campaign.id: campaign for campaign in campaigns}.values())
    refuse_other_terms(asked)
    ids = [campaign.id for campaign in asked]
    with farm.database.read() as session:
        cells = cell_counts(session, ids)
        isolated = every_attempt_was_isolated(session, ids)
        cancelled = tuple(
            _as_cancelled(campaign_progress(session, campaign.id))
            for campaign in asked
            if campaign.state is CampaignState.CANCELLED
        )
        proved = all(is_proved(session, cell.task, cell.language, cell.universe) for cell in cells)
        suite_tasks = _suite_tasks(session, farm.catalog, cells)
    unproven = not proved or any(campaign.unproven for campaign in asked)
    provenance = BoardProvenance(
        campaign_ids=tuple(ids),
        isolated=isolated,
        unproven=unproven,
        cancelled=cancelled,
        suite_tasks=suite_tasks,
    )
    return build_board(cells, provenance, BoardPolicy(undelivered=asked[0].spec.policy.undelivered))


def _suite_tasks(session: Session, catalog: Catalog, cells: Iterable[CellCount]) -> tuple[str, ...]:
    """The tasks that a native suite asks: as their gates say, and where none does, as it is now."""
    found: set[str] = set()
    for cell in cells:
        decision = find_decision(session, cell.task, cell.language, cell.universe)
        if decision is not None and decision.colour is not GateColour.INCONCLUSIVE:
            if any(reason.rule is GateRule.NATIVE_SUITE for reason in decision.reasons):
                found.add(cell.task)
            continue
        with suppress(NotFound, Refused):
            if catalog.task(cell.task).uses_suite:
                found.add(cell.task)
    return tuple(sorted(found))


def _as_cancelled(progress: CampaignProgress) -> CancelledCampaign:
    return CancelledCampaign(
        campaign_id=progress.campaign_id,
        planned=progress.total,
        graded=progress.graded,
        cancelled=progress.total - progress.graded - progress.void,
    )


def board_text(built: Board) -> str:
    """The board for this terminal."""
    width = min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return render_board(built, width=width, ascii_only=encoding != "utf8")
