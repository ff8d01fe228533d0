"""Snapshots whose pack is in memory, to be compared and looked into."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from models.schemas.snapshot import SnapshotManifest
from workers.freezing.freeze import Checkpoint, freeze, never_stop
from workers.freezing.materialise import materialise
from workers.freezing.snapshot_caps import SnapshotCaps


@dataclass(frozen=True)
class FrozenTree:
    """A manifest with its pack; equal trees are equal."""

    manifest: SnapshotManifest
    pack: bytes

    @property
    def snapshot_id(self) -> str:
        return self.manifest.snapshot_id()

    def restore(self, target: Path, checkpoint: Checkpoint = never_stop) -> None:
        materialise(self.manifest, BytesIO(self.pack), target, checkpoint)


def freeze_tree(root: Path, caps: SnapshotCaps, *, keep_git: bool = False) -> FrozenTree:
    """Freeze `root` as production does, with the pack in memory."""
    pack = BytesIO()
    manifest = freeze(root, caps, pack, keep_git=keep_git)
    return FrozenTree(manifest, pack.getvalue())
