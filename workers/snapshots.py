"""Keeps frozen workspaces as artifacts, and gets them back."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from models.schemas.snapshot_artifact import artifact_head, read_head
from models.storage.artifacts import ArtifactStore
from workers.freezing.delivery import delivery_digest
from workers.freezing.freeze import Checkpoint, freeze, never_stop
from workers.freezing.materialise import materialise
from workers.freezing.pack_file import open_pack
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """A snapshot in the store: the digest of its artifact, and that of what was delivered."""

    artifact: str
    delivery: str


def keep_snapshot(
    folder: Path,
    most_mb: int,
    artifacts: ArtifactStore,
    leftovers: Collection[str] = (),
    checkpoint: Checkpoint = never_stop,
) -> KeptSnapshot | None:
    """Freeze `folder` and keep it; None where it is too large.

    `leftovers` names what tools leave behind, which is kept but is no delivery. Raises
    Infrastructure where it can't be kept, OSError, and what `checkpoint` raises.
    """
    size = most_mb * MEBIBYTE
    with open_pack() as pack:
        try:
            caps = SnapshotCaps(total_bytes=size, file_bytes=size)
            manifest = freeze(folder, caps, pack, checkpoint=checkpoint)
        except WorkspaceOverLimit:
            return None
        head = artifact_head(manifest)
        artifact = artifacts.put_chunks(lambda: _whole(head, pack, checkpoint))
    return KeptSnapshot(artifact, delivery_digest(manifest, leftovers))


def restore_snapshot(
    digest: str, artifacts: ArtifactStore, target: Path, checkpoint: Checkpoint = never_stop
) -> None:
    """Write the tree of a kept snapshot into the empty folder `target`, readable for all.

    Raises NotFound where it isn't kept, Infrastructure or SnapshotForged where it was changed,
    and what `checkpoint` raises.
    """
    with artifacts.open(digest) as artifact:
        materialise(read_head(artifact), artifact, target, checkpoint)
    target.chmod(0o755)


def _whole(head: bytes, pack: IO[bytes], checkpoint: Checkpoint) -> Iterator[bytes]:
    yield head
    pack.seek(0)
    while chunk := pack.read(MEBIBYTE):
        checkpoint()
        yield chunk
