"""What of a snapshot is a system's delivery."""

from collections.abc import Collection

from models.canonical import digest_of
from models.schemas.snapshot import SnapshotDirectory, SnapshotEntry, SnapshotFile, SnapshotManifest


def delivery_digest(manifest: SnapshotManifest, leftovers: Collection[str]) -> str:
    """A digest of everything but what lies in, or is, something named in `leftovers`.

    Notes don't count: nothing that a snapshot leaves out can be graded.
    """
    names = set(leftovers)
    return digest_of(
        [_content(entry) for entry in manifest.entries if names.isdisjoint(entry.path.split("/"))]
    )


def _content(entry: SnapshotEntry) -> list[str | bool]:
    """Without the offset, which depends on what else was packed."""
    if isinstance(entry, SnapshotFile):
        return [entry.kind, entry.path, entry.executable, entry.sha256]
    if isinstance(entry, SnapshotDirectory):
        return [entry.kind, entry.path]
    return [entry.kind, entry.path, entry.target]
