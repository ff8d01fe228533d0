"""How a snapshot is kept as one artifact: its manifest, a line feed, its pack.

The canonical manifest holds no line feed, and the pack follows from the tree, so that the same
tree is the same artifact wherever it was frozen.
"""

from pydantic import ValidationError

from models.errors import Infrastructure
from models.schemas.snapshot import SnapshotManifest


def join_snapshot(manifest: SnapshotManifest, pack: bytes) -> bytes:
    """The bytes to keep."""
    return manifest.canonical() + b"\n" + pack


def split_snapshot(data: bytes) -> tuple[SnapshotManifest, bytes]:
    """Manifest and pack again. Raises Infrastructure for bytes that are no snapshot."""
    manifest, _, pack = data.partition(b"\n")
    try:
        return SnapshotManifest.model_validate_json(manifest), pack
    except ValidationError as error:
        raise Infrastructure(
            "unknown",
            f"the artifact is no snapshot: {error.error_count()} faults in its manifest.",
            remedy="Compare the versions of the workers: all must be of the same release.",
        ) from None
