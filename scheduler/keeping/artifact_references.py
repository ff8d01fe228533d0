"""Which artifacts belong to the rows of a farm: those that they name, and those named in these."""

import re
from collections.abc import Iterator

from models.errors import NotFound
from models.storage.artifacts import ArtifactStore

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

    def all(self) -> Iterator[tuple[str, bool]]:
        """Every digest by name, each with whether the store holds it; foreign digests left out."""
        for digest in sorted(self._named | self._inner):
            held = self._store.has(digest)
            if held or digest in self._named:
                yield digest, held
