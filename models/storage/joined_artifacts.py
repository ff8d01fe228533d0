"""Two stores read as one, of which one is written to."""

from typing import BinaryIO

from models.errors import NotFound
from models.identifiers import Digest
from models.storage.artifacts import ArtifactStore, Chunks


class JoinedArtifacts:
    """What graders and people read: the farm's own store first, then that of the agents.

    Everything new goes into the own store, which agents can't reach.
    """

    def __init__(self, own: ArtifactStore, of_agents: ArtifactStore) -> None:
        self._own = own
        self._of_agents = of_agents

    def put(self, data: bytes) -> Digest:
        """Keep `data` in the own store. Raises as that one."""
        return self._own.put(data)

    def put_chunks(self, chunks: Chunks) -> Digest:
        """Keep what `chunks` gives in the own store. Raises as that one."""
        return self._own.put_chunks(chunks)

    def get(self, digest: str) -> bytes:
        """The bytes of `digest`. Raises as `open`."""
        try:
            return self._own.get(digest)
        except NotFound:
            return self._of_agents.get(digest)

    def open(self, digest: str) -> BinaryIO:
        """The artifact `digest` as a file. Raises NotFound where neither store has it."""
        try:
            return self._own.open(digest)
        except NotFound:
            return self._of_agents.open(digest)

    def has(self, digest: str) -> bool:
        """Whether one of the stores holds `digest`."""
        return self._own.has(digest) or self._of_agents.has(digest)
