"""Keeps frozen workspaces as artifacts, and gets them back."""

from pathlib import Path

from models.schemas.snapshot_artifact import join_snapshot, split_snapshot
from models.storage.artifacts import ArtifactStore
from workers.freezing.freeze import freeze
from workers.freezing.materialise import materialise
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit

MEBIBYTE = 1 << 20


def keep_snapshot(folder: Path, most_mb: int, artifacts: ArtifactStore) -> str | None:
    """Freeze `folder` and keep it; the digest of the artifact, None where it is too large."""
    data = _frozen(folder, most_mb)
    return None if data is None else artifacts.put(data)


def restore_snapshot(digest: str, artifacts: ArtifactStore, target: Path) -> None:
    """Write the tree of a kept snapshot into the empty folder `target`, readable for all.

    Raises NotFound where it isn't kept, Infrastructure or SnapshotForged where it was changed.
    """
    manifest, pack = split_snapshot(artifacts.get(digest))
    materialise(manifest, pack, target)
    target.chmod(0o755)


def _frozen(folder: Path, most_mb: int) -> bytes | None:
    size = most_mb * MEBIBYTE
    try:
        frozen = freeze(folder, SnapshotCaps(total_bytes=size, file_bytes=size))
    except WorkspaceOverLimit:
        return None
    return join_snapshot(frozen.manifest, frozen.pack)
