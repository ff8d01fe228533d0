"""Which artifacts belong to the rows of a farm: those that they name, and those named in these."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO

from sqlalchemy import Table
from sqlalchemy.orm import Session

from models.errors import FarmError
from models.storage.artifacts import ArtifactStore, chunks_of
from models.storage.table_rows import artifacts_named, rows_of, run_of

DIGEST_BYTES = len("sha256:") + 64
DIGEST = re.compile(rb"sha256:[0-9a-f]{64}")


class ArtifactReferences:
    """Gathers names while rows go by; artifacts are read when the rows are done with, since no
    transaction should last so long.

    Reports and transcripts name other things as well, a universe for one: what the store does not
    hold is no artifact.
    """

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._to_look_into: set[str] = set()
        self._named: set[str] = set()
        self._inner: set[str] = set()

    def note(self, digest: str, *, names_others: bool) -> None:
        """A row names `digest`; one that names others is read later."""
        self._named.add(digest)
        if names_others:
            self._to_look_into.add(digest)

    def names(self) -> frozenset[str]:
        """Every digest that was named, of whatever it is."""
        self._look()
        return frozenset(self._named | self._inner)

    def _look(self) -> None:
        while self._to_look_into:
            try:
                with self._store.open(self._to_look_into.pop()) as file:
                    self._inner.update(found.decode() for found in _digests_in(file))
            except FarmError:
                # Gone or damaged: it names nothing that can be known.
                continue

    def all(self) -> Iterator[tuple[str, bool]]:
        """Every digest by name, each with whether the store holds it; foreign digests left out."""
        for digest in sorted(self.names()):
            held = self._store.has(digest)
            if held or digest in self._named:
                yield digest, held


def _digests_in(file: BinaryIO) -> Iterator[bytes]:
    """Every digest in a file of whatever size."""
    rest = b""
    for chunk in chunks_of(file):
        text = rest + chunk
        yield from DIGEST.findall(text)
        rest = text[1 - DIGEST_BYTES :]


def note_rows(
    session: Session,
    references: ArtifactReferences,
    tables: Iterable[Table],
    *,
    without: Collection[int] = (),
) -> None:
    """Note what the rows of `tables` name, but for those of the runs `without`."""
    for table in tables:
        columns = [column.name for column in table.columns]
        for row in rows_of(session, table):
            if without and run_of(table.name, columns, row) in without:
                continue
            for digest, names_others in artifacts_named(table.name, columns, row):
                references.note(digest, names_others=names_others)
