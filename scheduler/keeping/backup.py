"""Makes backups: the rows as they are at one moment, and every artifact that they name.

<folder>/artifacts/          shared by all backups in the folder, so that a second one is quick
<folder>/<time>/tables/      one file for each table
<folder>/<time>/artifacts.jsonl.gz  the names of its artifacts
<folder>/<time>/backup.json
<folder>/.unfinished-…       one that is being made, or was broken off
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from models.clock import Clock, as_iso
from models.errors import FarmError, Infrastructure
from models.migrations.upgrade import check_database, newest_revision
from models.schemas.backup import BackupRecord, KeptTable
from models.storage.artifacts import DRAFT_AGE_S, ArtifactStore, FolderArtifacts, chunks_of
from models.storage.table_rows import kept_tables, rows_of
from models.storage.transaction import Database
from scheduler.keeping.artifact_references import ArtifactReferences, note_rows
from scheduler.keeping.table_files import SUFFIX, write_rows

ARTIFACTS, TABLES, RECORD = "artifacts", "tables", "backup.json"
LIST = f"{ARTIFACTS}{SUFFIX}"
UNFINISHED = ".unfinished-"

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
        draft = _begin(folder)
        (draft / TABLES).mkdir()
        tables, digests = _keep_rows(farm, draft / TABLES, tell)
        kept, missing = _keep_artifacts(farm.artifacts, folder / ARTIFACTS, digests, tell)
        record = BackupRecord(
            farm_version=version("gradefarm"),
            revision=newest_revision(),
            made_at=now,
            tables=tables,
            artifacts=write_rows(draft / LIST, ["digest"], ([digest] for digest in kept)),
            missing=tuple(missing),
            boards=dict(boards),
        )
        _write(draft / RECORD, record)
        draft.rename(target)
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
    """Copy what the target does not hold whole; what is kept, and what can't be.

    An artifact that was damaged in the store stops no backup: it counts as missing.
    """
    target = FolderArtifacts(folder)
    kept: list[str] = []
    missing: list[str] = []
    for digest, held in digests.all():
        is_kept = held and (target.holds(digest) or _copied(digest, source, target))
        (kept if is_kept else missing).append(digest)
        tell(f"artifact {len(kept)}")
    return kept, missing


def _copied(digest: str, source: ArtifactStore, target: ArtifactStore) -> bool:
    try:
        source.open(digest).close()
    except FarmError:
        return False
    copy_artifact(digest, source, target)
    return True


def copy_artifact(digest: str, source: ArtifactStore, target: ArtifactStore) -> None:
    """Copy one artifact. Raises NotFound, Infrastructure."""
    with source.open(digest) as file:

        def from_the_beginning() -> Iterator[bytes]:
            file.seek(0)
            yield from chunks_of(file)

        target.put_chunks(from_the_beginning)


def _begin(folder: Path) -> Path:
    """A folder for a backup that is being made, in place of those that were broken off.

    Only folders with such a name are removed, and only after a day: another backup may be at work.
    """
    # It holds answers, and artifacts are readable for all.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for broken_off in folder.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            if broken_off.stat().st_mtime < time.time() - DRAFT_AGE_S:
                shutil.rmtree(broken_off)
    return Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=folder))


def _write(path: Path, record: BackupRecord) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(record.model_dump_json(indent=2))
        file.flush()
        os.fsync(file.fileno())
