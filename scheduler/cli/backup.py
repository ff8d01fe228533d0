"""`gradefarm backup`: the rows and artifacts of a farm in a folder, while it works."""

from pathlib import Path
from typing import Annotated

import typer

from models.canonical import digest_of_bytes
from models.counted_nouns import counted
from models.errors import FarmError
from models.schemas.campaign import ENDED, CampaignKind
from models.storage.campaigns import list_campaigns
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.progress_note import ProgressNote
from scheduler.cli.text_tables import print_json
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.keeping.backup import BackupSource, make_backup

app = typer.Typer(rich_markup_mode=None)

ALL = 1_000_000_000


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="Where backups are kept; made if need be.")],
    *,
    as_json: JsonFlag = False,
) -> None:
    """Back up database and artifacts into a folder of its own below FOLDER. The farm may go on.

    Backups in the same FOLDER share their artifacts, so that the next one copies only what is new.
    They hold answers: keep them as you keep the sealed half.

    \b
      gradefarm backup backups
      gradefarm restore backups --check
    """
    farm = open_local_farm()
    source = BackupSource(farm.database, farm.artifacts, farm.clock)
    with ProgressNote() as note:
        made, record = make_backup(source, folder, ended_boards(farm), note.tell)
    if as_json:
        print_json({"folder": str(made), "record": record})
        return
    rows = sum(table.rows for table in record.tables.values())
    print(
        f"{made}: {counted(rows, 'row')}, {counted(record.artifacts.rows, 'artifact')}, boards of "
        f"{counted(len(record.boards), 'campaign')}"
    )
    if record.missing:
        missing = counted(len(record.missing), "artifact")
        print(f"  not in the store, though rows name them: {missing}")
    print(f"  prove it with: gradefarm restore {made} --check")


def ended_boards(farm: LocalFarm) -> dict[str, str]:
    """The digest of the board of every evaluation that has ended."""
    with farm.database.read() as session:
        found = list_campaigns(session, limit=ALL)
    evaluations = (one for one in found if one.kind is CampaignKind.EVALUATION)
    return {one.id: board_digest(farm, one.id) for one in evaluations if one.state in ENDED}


def board_digest(farm: LocalFarm, campaign_id: str) -> str:
    """The digest of a campaign's board; the name of the error where it has none."""
    try:
        built = farm.boards.board([campaign_id])
    except FarmError as error:
        return type(error).__name__
    return digest_of_bytes(built.model_dump_json().encode())
