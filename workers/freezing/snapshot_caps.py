"""How large a workspace may be when it is frozen."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import Blame, FarmError
from models.schemas.snapshot import encode_name


@dataclass(frozen=True, slots=True)
class SnapshotCaps:
    """Budgets: entries in all, bytes in all and in one file, nesting, bytes of a path, and bytes
    of all paths and link texts together, which a worker holds in memory."""

    entries: int = 20_000
    total_bytes: int = 256 * 2**20
    file_bytes: int = 64 * 2**20
    depth: int = 64
    path_bytes: int = 1024
    name_bytes: int = 4 * 2**20


class WorkspaceOverLimit(FarmError):
    """The workspace is larger than may be frozen: the system's doing, never the farm's fault."""

    blame = Blame.SYSTEM

    def __init__(self, cap: str, limit: int, path: bytes) -> None:
        self.cap = cap
        self.limit = limit
        self.path = encode_name(path)
        super().__init__(
            f"The workspace is over its limit: {cap} above {limit} at {self.path!r}.",
            remedy="Leave fewer or smaller files behind, or raise the task's snapshot limits.",
        )
