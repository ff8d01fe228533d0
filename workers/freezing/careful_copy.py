"""Copies a tree that judged code has filled with whatever it liked."""

from pathlib import Path

from workers.freezing.freeze import Checkpoint, freeze, never_stop
from workers.freezing.materialise import materialise
from workers.freezing.pack_file import open_pack
from workers.freezing.snapshot_caps import SnapshotCaps


def careful_copy(
    source: Path, target: Path, caps: SnapshotCaps, checkpoint: Checkpoint = never_stop
) -> None:
    """Write into `target` (missing or empty) what freezing `source` keeps of it.

    Raises WorkspaceOverLimit for a tree above the caps, OSError, and what `checkpoint` raises.
    """
    with open_pack() as pack:
        manifest = freeze(source, caps, pack, checkpoint=checkpoint)
        pack.seek(0)
        materialise(manifest, pack, target, checkpoint)
