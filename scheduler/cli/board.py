"""`gradefarm board`: systems in tiers, from the results of one campaign or several."""

import shutil
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from models.errors import Refused
from models.schemas.board import Board, BoardPolicy, BoardProvenance
from models.schemas.campaign_progress import CampaignView
from models.storage.results import cell_counts, isolations_of
from scheduler.boards.board_builder import build_board
from scheduler.boards.board_text import render_board
from scheduler.cli.farm_access import FarmAccess, JsonFlag, open_farm
from scheduler.cli.text_tables import print_json
from scheduler.gate_campaigns import is_proved

app = typer.Typer(rich_markup_mode=None)

WIDEST = 140
LESS = " without "
"""In the label that a worker gives its sandbox: what it could not enforce follows."""


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
    """The board of campaigns that were asked under one scoring policy. Raises Refused otherwise."""
    reading = campaigns[0].spec.policy.undelivered
    if any(campaign.spec.policy.undelivered != reading for campaign in campaigns):
        raise Refused(
            "these campaigns count undelivered runs in different ways.",
            remedy="Show them one by one, or campaigns with the same [policy] together.",
        )
    ids = [campaign.id for campaign in campaigns]
    with farm.database.read() as session:
        cells = cell_counts(session, ids)
        isolated = not any(LESS in label for label in isolations_of(session, ids))
        proved = all(is_proved(session, cell.task, cell.language, cell.universe) for cell in cells)
    provenance = BoardProvenance(campaign_ids=tuple(ids), isolated=isolated, unproven=not proved)
    return build_board(cells, provenance, BoardPolicy(undelivered=reading))


def board_text(built: Board) -> str:
    """The board for this terminal."""
    width = min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return render_board(built, width=width, ascii_only=encoding != "utf8")
