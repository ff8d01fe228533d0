"""Makes backups: the rows as they are at one moment, and every artifact that they name.

<folder>/artifacts/          shared by all backups in the folder, so that a second one is quick
<folder>/<time>/tables/      one file for each table
<folder>/<time>/artifacts.jsonl.gz  the names of its artifacts
<folder>/<time>/backup.json  written last
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from models.clock import Clock, as_iso
from models.errors import Infrastructure
from models.migrations.upgrade import check_database, newest_revision
from models.schemas.backup import BackupRecord, KeptTable
from models.storage.artifacts import ArtifactStore, FolderArtifacts, chunks_of
from models.storage.table_rows import kept_tables, rows_of
from models.storage.transaction import Database
from scheduler.keeping.artifact_references import ArtifactReferences, note_rows
from scheduler.keeping.table_files import SUFFIX, write_rows

ARTIFACTS, TABLES, RECORD = "artifacts", "tables", "backup.json"
LIST = f"{ARTIFACTS}{SUFFIX}"

Tell = Callable[[str], None]
"""Is told now and then what is being done."""


@dataclass(frozen=True)
class BackupSource:
    """A farm to back up; it may be at work."""

    database: Database
    artifacts: ArtifactStore
    clock: Clock


def make_backup(
    farm: BackupSource, folder: Path, boards: Mapping[str, str], tell: Tell
) -> tuple[Path, BackupRecord]:
    """Make a backup below `folder`; its own folder, and what it holds.

    `boards` maps campaigns to the digests of their boards. Raises Refused where the database is at
    another schema, Infrastructure where something can't be read or written. What an interrupted
    backup copied is used by the next one.
    """
    check_database(farm.database)
    now = farm.clock.now()
    target = folder / as_iso(now).replace(":", "")
    try:
        _remove_unfinished(folder)
        (target / TABLES).mkdir(parents=True)
        tables, digests = _keep_rows(farm, target / TABLES, tell)
        kept, missing = _keep_artifacts(farm.artifacts, folder / ARTIFACTS, digests, tell)
        record = BackupRecord(
            farm_version=version("gradefarm"),
            revision=newest_revision(),
            made_at=now,
            tables=tables,
            artifacts=write_rows(target / LIST, ["digest"], ([digest] for digest in kept)),
            missing=tuple(missing),
            boards=dict(boards),
        )
        _write_last(target, record)
    except OSError as error:
        raise Infrastructure(
            "farm",
            f"the backup can't be written to {target}: {error.strerror}.",
            remedy="Make room there or name another folder; what is copied already is used again.",
        ) from error
    return target, record


def _keep_rows(
    farm: BackupSource, folder: Path, tell: Tell
) -> tuple[dict[str, KeptTable], ArtifactReferences]:
    kept: dict[str, KeptTable] = {}
    with farm.database.read() as session:
        tables = kept_tables(session)
        for table in tables:
            tell(f"rows of {table.name}")
            columns = [column.name for column in table.columns]
            path = folder / f"{table.name}{SUFFIX}"
            kept[table.name] = write_rows(path, columns, rows_of(session, table))
        references = ArtifactReferences(farm.artifacts)
        note_rows(session, references, tables)
        return kept, references


def _keep_artifacts(
    source: ArtifactStore, folder: Path, digests: ArtifactReferences, tell: Tell
) -> tuple[list[str], list[str]]:
    target = FolderArtifacts(folder)
    kept: list[str] = []
    missing: list[str] = []
    for digest, held in digests.all():
        (kept if held else missing).append(digest)
        if held and not target.has(digest):
            copy_artifact(digest, source, target)
        tell(f"artifact {len(kept)}")
    return kept, missing


def copy_artifact(digest: str, source: ArtifactStore, target: ArtifactStore) -> None:
    """Copy one artifact. Raises NotFound, Infrastructure."""
    with source.open(digest) as file:

        def from_the_beginning() -> Iterator[bytes]:
            file.seek(0)
            yield from chunks_of(file)

        target.put_chunks(from_the_beginning)


def _remove_unfinished(folder: Path) -> None:
    """Half-written backups of processes that were stopped."""
    for tables in folder.glob(f"*/{TABLES}"):
        if not (tables.parent / RECORD).exists():
            with suppress(OSError):
                shutil.rmtree(tables.parent)


def _write_last(target: Path, record: BackupRecord) -> None:
    draft = target / f"{RECORD}.draft"
    with draft.open("w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=2))
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target / RECORD)
