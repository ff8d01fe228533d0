"""Takes the record of one run out of the farm, for those who don't trust it."""

import json
from collections.abc import Iterable, Iterator

from models.errors import FarmError
from models.records.blob_names import named_blobs, texts_named
from models.records.dsse import read_envelope
from models.records.event_chain import joined, read_chain
from models.records.record_files import RecordFiles, seals_bytes
from models.schemas.record_event import EventType, RecordEvent
from models.storage.artifacts import ArtifactStore
from models.storage.packed_lines import unpacked
from models.storage.run_records import kept_lines, kept_record
from models.storage.transaction import Database
from models.storage.transparency_log import prove_entry


def export_record(
    database: Database, artifacts: ArtifactStore, run_id: int, *, blobs: bool = True
) -> RecordFiles:
    """The record of a run, with the blobs that the farm still has.

    Raises NotFound where the run has no closed record, Refused where the log does not hold it yet.
    """
    with database.read() as session:
        kept = kept_record(session, run_id)
        closed = prove_entry(session, kept.close_entry)
        opened = prove_entry(session, kept.open_entry)
    lines = [*unpacked(kept.stage_lines), *unpacked(kept.grade_lines)]
    found = _blobs(read_chain(lines), artifacts) if blobs else {}
    return RecordFiles(
        run=str(kept.recorded_run),
        events=joined(lines),
        seals=seals_bytes(read_envelope(kept.stage_seal), read_envelope(kept.grade_seal)),
        closed=closed.as_text().encode(),
        opened=opened.as_text().encode(),
        blobs=found,
    )


def recorded_lines(database: Database, run_id: int) -> list[bytes]:
    """The lines of a run's record as far as there are any. Raises NotFound."""
    with database.read() as session:
        kept = kept_lines(session, run_id)
    return [line for part in kept for line in unpacked(part)]


def _blobs(events: list[RecordEvent], artifacts: ArtifactStore) -> dict[str, bytes]:
    """What the events name: artifacts of their own, and texts in the transcript."""
    wanted = named_blobs(events)
    found: dict[str, bytes] = {}
    for document in _artifacts(_transcripts(events), artifacts):
        found |= texts_named(json.loads(document), wanted)
    missing = [name for name in wanted if name not in found]
    for name in missing:
        found |= dict.fromkeys((name,), data) if (data := _kept(name, artifacts)) else {}
    return found


def _transcripts(events: Iterable[RecordEvent]) -> Iterator[str]:
    for event in events:
        if event.type == EventType.STAGE_CLOSE and isinstance(event.body.get("transcript"), str):
            yield event.body["transcript"]


def _artifacts(digests: Iterable[str], artifacts: ArtifactStore) -> Iterator[bytes]:
    for digest in digests:
        if data := _kept(digest.removeprefix("sha256:"), artifacts):
            yield data


def _kept(name: str, artifacts: ArtifactStore) -> bytes | None:
    """None for what is gone or damaged: a blob may be withheld."""
    try:
        return artifacts.get(f"sha256:{name}")
    except FarmError:
        return None
