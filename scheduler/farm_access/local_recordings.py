"""Recordings from elsewhere in the farm whose database and artifacts are at hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.clock import Clock
from models.interchange.formats import read_recordings
from models.interchange.source_file import SourceFile
from models.schemas.recording import Recording, RecordingFormat, RecordingSource, RecordingView
from models.storage.artifacts import ArtifactStore
from models.storage.recordings import (
    find_recording,
    keep_recording,
    list_recordings,
    remove_recording,
)
from models.storage.transaction import Database


@dataclass(frozen=True)
class LocalRecordings:
    """Keeps `Recordings` over a database and its artifacts, opened where they are needed."""

    database: Database
    artifacts: Callable[[], ArtifactStore]
    clock: Clock

    def listed(self, *, limit: int) -> list[RecordingView]:
        """The newest `limit`, newest first."""
        return self.page(limit=limit, before=None)

    def page(self, *, limit: int, before: int | None) -> list[RecordingView]:
        """The newest `limit` with numbers below `before`."""
        with self.database.read() as session:
            return list_recordings(session, limit=limit, before=before)

    def opened(self, number: int) -> Recording:
        """One with all of its steps."""
        with self.database.read() as session:
            view = find_recording(session, number)
        return Recording.model_validate_json(self.artifacts().get(view.document))

    def keep(
        self, files: Sequence[SourceFile], chosen: RecordingFormat | None
    ) -> list[tuple[RecordingView, Recording]]:
        """Read all recordings in `files`, and keep them and the files' own bytes.

        Keeps nothing and raises InvalidInput where one of the files has a fault.
        """
        read = read_recordings(files, chosen)
        kept: list[tuple[str, Recording]] = []
        for recording, members in read:
            sources = tuple(self._kept(file) for file in members)
            whole = recording.model_copy(update={"sources": sources})
            document = self.artifacts().put(whole.model_dump_json().encode())
            kept.append((document, whole))
        now = self.clock.now()
        with self.database.transaction() as session:
            return [
                (keep_recording(session, whole, document, now), whole) for document, whole in kept
            ]

    def remove(self, numbers: Sequence[int]) -> None:
        """Forget recordings, all or none."""
        with self.database.transaction() as session:
            for number in dict.fromkeys(numbers):
                remove_recording(session, number)

    def _kept(self, file: SourceFile) -> RecordingSource:
        digest = self.artifacts().put(file.data)
        return RecordingSource(name=file.name, digest=digest, size=len(file.data))
