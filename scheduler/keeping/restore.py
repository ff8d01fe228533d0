"""Brings a backup back: checked first, into an empty farm, and compared board by board."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import Table
from sqlalchemy.orm import Session

from models.errors import FarmError, InputFault, InvalidInput, NotFound, Refused
from models.migrations.upgrade import known_revisions, upgrade_database
from models.named_file import read_named
from models.schemas.backup import BackupRecord
from models.storage.artifacts import ArtifactStore, FolderArtifacts
from models.storage.interruptions import interrupt_all
from models.storage.table_rows import insert_rows, kept_tables, number_on, rows_of
from models.storage.transaction import open_database
from models.storage.transparency_log import enter_restored
from models.tables.farm_log import FarmLogRow
from scheduler.keeping.backup import ARTIFACTS, LIST, RECORD, TABLES, Tell, copy_artifact
from scheduler.keeping.table_files import SUFFIX, check_rows, read_rows, refuse_faults

LARGEST_RECORD = 64 << 20
"""Bytes of what a backup says of itself."""
BoardDigest = Callable[[str], str]
"""The digest of a campaign's board, by its id."""


def chosen_backup(folder: Path) -> Path:
    """`folder` where it is a backup; the newest in it where it is a folder of backups."""
    if (folder / RECORD).exists():
        return folder
    return max((path.parent for path in folder.glob(f"*/{RECORD}")), default=folder)


def read_backup(folder: Path) -> BackupRecord:
    """What a backup says of itself. Raises NotFound, InvalidInput."""
    path = folder / RECORD
    try:
        return BackupRecord.model_validate_json(read_named(path, LARGEST_RECORD))
    except FileNotFoundError:
        raise NotFound(
            f"there is no backup in {folder}.",
            remedy="Name a folder that `gradefarm backup` was given, or one that it printed.",
        ) from None
    except ValidationError as error:
        places = [".".join(map(str, item["loc"])) or "the file" for item in error.errors()]
        faults = [
            InputFault(place, "is not as it was written", "take another backup") for place in places
        ]
        raise InvalidInput(str(path), faults) from None


def check_backup(folder: Path, record: BackupRecord, tell: Tell) -> list[str]:
    """Read every byte of a backup; returns the digests of its artifacts.

    Raises InvalidInput that names every damaged or missing file, Refused for a schema that this
    gradefarm doesn't know.
    """
    if record.revision not in known_revisions():
        raise Refused(
            f"{folder} is at schema {record.revision}, which this gradefarm does not know.",
            remedy=f"Restore it with gradefarm {record.farm_version} or a newer one.",
        )
    files = {folder / TABLES / f"{name}{SUFFIX}": kept for name, kept in record.tables.items()}
    files[folder / LIST] = record.artifacts
    refuse_faults(str(folder), [check_rows(path, kept) for path, kept in files.items()])
    digests = [str(row[0]) for row in read_rows(folder / LIST)[1]]
    refuse_faults(str(folder), _damaged(folder.parent / ARTIFACTS, digests, tell))
    return digests


def refuse_full_farm(url: str) -> None:
    """Raises Refused where the database at `url` has rows. Writes nothing into it."""
    database = open_database(url)
    try:
        with database.read() as session:
            _refuse_full(session, kept_tables(session))
    finally:
        database.close()


def restore_rows(folder: Path, record: BackupRecord, url: str) -> int | None:
    """Load the rows of a checked backup into the database at `url`, and migrate it.

    The farm's log says so from then on; returns how many leaves it had, None without a log.
    Raises Refused where campaigns are there already. Loads everything or nothing.
    """
    upgrade_database(url, record.revision)
    database = open_database(url)
    try:
        with database.transaction() as session:
            tables = {table.name: table for table in kept_tables(session)}
            _refuse_full(session, tables.values())
            for name, table in tables.items():
                if name in record.tables:
                    columns, rows = read_rows(folder / TABLES / f"{name}{SUFFIX}")
                    insert_rows(session, table, columns, rows)
                    number_on(session, table)
            leaves = enter_restored(session) if FarmLogRow.__tablename__ in tables else None
    finally:
        database.close()
    upgrade_database(url)
    _hand_back(url, record.made_at)
    return leaves


def _hand_back(url: str, now: float) -> None:
    """Runs that were at work have no worker here, and nobody failed: no try is counted."""
    database = open_database(url)
    try:
        while True:
            with database.transaction() as session:
                if not interrupt_all(session, now, "restored from a backup"):
                    return
    finally:
        database.close()


def restore_artifacts(
    folder: Path, digests: Sequence[str], target: ArtifactStore, tell: Tell
) -> None:
    """Copy the artifacts of a checked backup to where the farm keeps its own."""
    source = FolderArtifacts(folder.parent / ARTIFACTS)
    for number, digest in enumerate(digests, 1):
        if not target.has(digest):
            copy_artifact(digest, source, target)
        tell(f"artifact {number} of {len(digests)}")


def other_boards(record: BackupRecord, board_digest: BoardDigest) -> list[str]:
    """The campaigns whose boards come out otherwise than they did when the backup was made."""
    return [one for one, digest in record.boards.items() if board_digest(one) != digest]


def _damaged(folder: Path, digests: Sequence[str], tell: Tell) -> Iterator[InputFault]:
    store = FolderArtifacts(folder)
    for number, digest in enumerate(digests, 1):
        tell(f"artifact {number} of {len(digests)}")
        try:
            store.open(digest).close()
        except FarmError as error:
            yield InputFault(digest, error.message, "take another backup")


def _refuse_full(session: Session, tables: Iterable[Table]) -> None:
    for table in tables:
        for _ in rows_of(session, table):
            raise Refused(
                f"this farm is not empty: its table {table.name} has rows.",
                remedy="Restore into a new GRADEFARM_HOME or GRADEFARM_DATABASE_URL.",
            )
