"""`gradefarm restore`: bring a backup back, or prove that it could be."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from models.counted_nouns import counted
from models.errors import Refused
from models.schemas.backup import BackupRecord
from scheduler.cli.backup import board_digest
from scheduler.cli.farm_access import JsonFlag, open_local_farm
from scheduler.cli.progress_note import ProgressNote
from scheduler.cli.text_tables import print_json
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.keeping.restore import (
    check_backup,
    chosen_backup,
    other_boards,
    read_backup,
    refuse_full_farm,
    restore_artifacts,
    restore_rows,
)

app = typer.Typer(rich_markup_mode=None)


@app.command()
def restore(
    folder: Annotated[
        Path, typer.Argument(help="A backup, or a folder of backups: then the newest.")
    ],
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Only prove that it can be restored; writes nothing.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Bring a backup back into an empty farm. Every byte is checked first, every board after.

    The new farm may be on another machine, and on another kind of database. Runs that were in work
    when the backup was made are done again. Exit code 4 where a board comes out otherwise.
    Into PostgreSQL, `gradefarm db grant` has to follow where workers have roles of their own.

    \b
      gradefarm restore backups --check
      GRADEFARM_HOME=/srv/new gradefarm restore backups/2026-11-30T120000Z
    """
    folder = chosen_backup(folder)
    record = read_backup(folder)
    farm = open_local_farm()
    if not check:
        farm.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_full_farm(farm.settings.database_url)
    leaves = None
    with ProgressNote() as note:
        digests = check_backup(folder, record, note.tell)
        if check:
            differing = _tried(folder, record, farm)
        else:
            restore_artifacts(folder, digests, farm.artifacts, note.tell)
            leaves = restore_rows(folder, record, farm.settings.database_url)
            differing = _differing(record, farm)
    _say(_Outcome(folder, record, differing, not check, leaves), as_json=as_json)
    if not check and farm.database.is_postgresql and not as_json:
        print("the roles of workers have no rights in it yet: `gradefarm db grant` gives them")


@dataclass(frozen=True)
class _Outcome:
    folder: Path
    record: BackupRecord
    differing: list[str]
    restored: bool
    leaves: int | None
    """How many the log has that the farm goes on with; None where it keeps none, or was tried."""


def _tried(folder: Path, record: BackupRecord, farm: LocalFarm) -> list[str]:
    """The boards that differ in a farm that is made for a moment."""
    with tempfile.TemporaryDirectory(prefix="gradefarm-restore-") as name:
        url = f"sqlite:///{name}/farm.db"
        restore_rows(folder, record, url)
        tried = LocalFarm(farm.settings.model_copy(update={"database_url": url}))
        try:
            return _differing(record, tried)
        finally:
            tried.database.close()


def _differing(record: BackupRecord, farm: LocalFarm) -> list[str]:
    return other_boards(record, lambda campaign_id: board_digest(farm, campaign_id))


def _say(outcome: _Outcome, *, as_json: bool) -> None:
    record = outcome.record
    if as_json:
        print_json(
            {
                "folder": str(outcome.folder),
                "restored": outcome.restored,
                "boards": len(record.boards),
                "differing": outcome.differing,
                "log_restored_at": outcome.leaves,
                "record": record,
            }
        )
    if outcome.differing:
        raise Refused(
            f"the boards of {', '.join(outcome.differing)} come out otherwise than they did.",
            remedy="Give this farm the catalogue that the other one had, then look at them.",
        )
    if not as_json:
        rows = sum(table.rows for table in record.tables.values())
        done = "restored" if outcome.restored else "whole"
        print(
            f"{outcome.folder} is {done}: {counted(rows, 'row')}, "
            f"{counted(record.artifacts.rows, 'artifact')}; come out the same: "
            f"{counted(len(record.boards), 'board')}"
        )
    if outcome.leaves is not None and not as_json:
        print(
            f"its log goes on from leaf {outcome.leaves}, and says so: checkpoints newer than "
            "that, and records that they prove, no longer agree with it"
        )
