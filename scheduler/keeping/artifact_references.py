"""Which artifacts belong to the rows of a farm: those that they name, and those named in these."""

import re
from collections.abc import Collection, Iterable, Iterator

from sqlalchemy import Table
from sqlalchemy.orm import Session

from models.errors import NotFound
from models.storage.artifacts import ArtifactStore
from models.storage.table_rows import artifacts_named, rows_of, run_of

DIGEST = re.compile(rb"sha256:[0-9a-f]{64}")


class ArtifactReferences:
    """Gathers names while rows go by.

    Reports and transcripts name other things as well, a universe for one: what the store does not
    hold is no artifact.
    """

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._looked_into: set[str] = set()
        self._named: set[str] = set()
        self._inner: set[str] = set()

    def note(self, digest: str, *, names_others: bool) -> None:
        """A row names `digest`; one that names others is read. Raises Infrastructure."""
        self._named.add(digest)
        if not names_others or digest in self._looked_into:
            return
        self._looked_into.add(digest)
        try:
            content = self._store.get(digest)
        except NotFound:
            return
        self._inner.update(found.decode() for found in DIGEST.findall(content))

    @property
    def names(self) -> frozenset[str]:
        """Every digest that was named, of whatever it is."""
        return frozenset(self._named | self._inner)

    def all(self) -> Iterator[tuple[str, bool]]:
        """Every digest by name, each with whether the store holds it; foreign digests left out."""
        for digest in sorted(self._named | self._inner):
            held = self._store.has(digest)
            if held or digest in self._named:
                yield digest, held


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
