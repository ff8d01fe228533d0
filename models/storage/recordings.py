"""Recordings from elsewhere: kept, listed, found. No board and no statistic asks for them."""

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.schemas.recording import Recording, RecordingView
from models.storage.upserts import Insert, Upsert
from models.tables.recordings import NAME_LENGTH, RecordingRow


def _once(statement: Insert) -> Insert:
    return statement.on_conflict_do_nothing(index_elements=["document"])


KEEP = Upsert(RecordingRow, _once)
BY_DOCUMENT = select(RecordingRow).where(RecordingRow.document == bindparam("document"))


def keep_recording(
    session: Session, recording: Recording, document: str, now: float
) -> RecordingView:
    """Keep a recording whose artifact is `document`. The same once more is the one that is there.

    What `imported_at` tells is then older than `now`.
    """
    row: dict[str, object] = {
        "format": recording.format,
        "agent": _name(recording.agent),
        "agent_version": _name(recording.agent_version),
        "model": _name(recording.models[0]) if recording.models else "",
        "session": _name(recording.session),
        "steps": len(recording.steps),
        "tokens": None if recording.usage is None else recording.usage.total,
        "cost_microusd": recording.cost_microusd,
        "started_at": recording.started_at,
        "imported_at": now,
        "document": document,
    }
    KEEP.run_many(session, [row])
    return _view(session.execute(BY_DOCUMENT, {"document": document}).scalar_one())


def list_recordings(
    session: Session, *, limit: int, before: int | None = None
) -> list[RecordingView]:
    """The newest `limit` recordings, newest first, with numbers below `before`."""
    newest = select(RecordingRow).order_by(RecordingRow.id.desc()).limit(limit)
    if before is not None:
        newest = newest.where(RecordingRow.id < before)
    return [_view(row) for row in session.execute(newest).scalars()]


def find_recording(session: Session, number: int) -> RecordingView:
    """The recording of that number. Raises NotFound."""
    row = session.get(RecordingRow, number)
    if row is None:
        raise NotFound(
            f"there is no recording {number}.", remedy="`gradefarm recordings list` shows them."
        )
    return _view(row)


def remove_recording(session: Session, number: int) -> None:
    """Forget a recording; what no other names of it is then `prune`'s. Raises NotFound."""
    find_recording(session, number)
    session.execute(delete(RecordingRow).where(RecordingRow.id == number))


def _name(told: str) -> str:
    """As the column holds it: PostgreSQL's texts have no NUL."""
    return told.replace("\0", "\N{REPLACEMENT CHARACTER}")[:NAME_LENGTH]


def _view(row: RecordingRow) -> RecordingView:
    names = RecordingView.model_fields
    return RecordingView.model_validate({name: getattr(row, name) for name in names})
