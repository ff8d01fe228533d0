"""How a snapshot is kept as one artifact: its manifest, a line feed, its pack.

The canonical manifest holds no line feed, and the pack follows from the tree, so that the same
tree is the same artifact wherever it was frozen.
"""

from typing import IO

from pydantic import ValidationError

from models.errors import Infrastructure
from models.schemas.snapshot import SnapshotManifest


def artifact_head(manifest: SnapshotManifest) -> bytes:
    """What stands before the pack."""
    return manifest.canonical() + b"\n"


def read_head(artifact: IO[bytes]) -> SnapshotManifest:
    """The manifest of an artifact that stands at its beginning, and afterwards at its pack.

    Raises Infrastructure for bytes that are no snapshot.
    """
    try:
        return SnapshotManifest.model_validate_json(artifact.readline())
    except ValidationError as error:
        raise Infrastructure(
            "unknown",
            f"the artifact is no snapshot: {error.error_count()} faults in its manifest.",
            remedy="Compare the versions of the workers: all must be of the same release.",
        ) from None
