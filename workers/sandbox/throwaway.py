"""Writable views whose changes are thrown away when the program ends."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from workers.sandbox.bwrap_arguments import OverlayScratch
from workers.sandbox.request import Mount
from workers.sandbox.slot_session import SlotSession
from workers.sandbox.slots import remove_tree


class ThrowawayKind(Enum):
    """Where the changes go: memory, if a control group counts it; a directory that the farm can
    measure; or a whole copy, where bubblewrap or the file system has no overlays.
    """

    memory = "memory"
    directory = "directory"
    copy = "copy"


@dataclass(frozen=True, slots=True)
class ResolvedMounts:
    """The mounts to make, the scratch of each overlay among them (none: memory), and every host
    directory that the program can fill.
    """

    mounts: tuple[Mount, ...]
    scratches: tuple[OverlayScratch, ...]
    fillable: tuple[Path, ...]


@contextlib.contextmanager
def resolved_mounts(
    mounts: tuple[Mount, ...], kind: ThrowawayKind, session: SlotSession
) -> Generator[ResolvedMounts]:
    """Prepare what the overlay mounts need and remove it afterwards. Raises OSError."""
    fillable = tuple(mount.source for mount in mounts if mount.mode == "rw")
    overlays = [mount for mount in mounts if mount.mode == "overlay"]
    if not overlays or kind is ThrowawayKind.memory:
        yield ResolvedMounts(mounts, (), fillable)
    elif kind is ThrowawayKind.directory:
        home = session.workspaces.new_directory("ov")
        try:
            scratches = tuple(_scratch(home / str(n), session) for n in range(len(overlays)))
            uppers = tuple(scratch.upper for scratch in scratches)
            yield ResolvedMounts(mounts, scratches, fillable + uppers)
        finally:
            remove_tree(home)
    else:
        with contextlib.ExitStack() as copies:
            copied = tuple(_copied(mount, session, copies) for mount in mounts)
            fillable = tuple(mount.source for mount in copied if mount.mode == "rw")
            yield ResolvedMounts(copied, (), fillable)


def overlay_count(mounts: Sequence[Mount]) -> int:
    """How many of the mounts are views to be thrown away."""
    return sum(mount.mode == "overlay" for mount in mounts)


def _scratch(home: Path, session: SlotSession) -> OverlayScratch:
    scratch = OverlayScratch(home / "up", home / "wk")
    for path in (home, scratch.upper, scratch.work):
        path.mkdir()
        path.chmod(0o755)
        session.slot.hand_over(path)
    return scratch


def _copied(mount: Mount, session: SlotSession, copies: contextlib.ExitStack) -> Mount:
    if mount.mode != "overlay":
        return mount
    workspace = copies.enter_context(session.workspaces.make(mount.source))
    return replace(mount, source=workspace.merged, mode="rw")
