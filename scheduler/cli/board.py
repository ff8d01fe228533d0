"""`gradefarm board`: systems in tiers, from the results of one campaign or several."""

import shutil
import sys
from typing import Annotated

import typer

from models.schemas.board import Board
from scheduler.boards.board_text import render_board
from scheduler.cli.farm_access import JsonFlag, open_farm
from scheduler.cli.text_tables import print_json

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
    built = open_farm().boards.board(campaigns or ())
    if as_json:
        print_json(built)
    else:
        sys.stdout.write(board_text(built))


def board_text(built: Board) -> str:
    """The board for this terminal."""
    width = min(shutil.get_terminal_size((100, 24)).columns, WIDEST)
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    return render_board(built, width=width, ascii_only=encoding != "utf8")
