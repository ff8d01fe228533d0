"""What one worker process keeps open for its sandbox: slot, launcher, workspaces, group home."""

from __future__ import annotations

import os
from pathlib import Path

from workers.sandbox.control_groups import ControlGroup, find_group_home
from workers.sandbox.launcher import Launcher, LauncherLost
from workers.sandbox.request import Limits
from workers.sandbox.seccomp_filter import UnsupportedArchitecture, build_filter
from workers.sandbox.slots import claim_slot
from workers.sandbox.workspaces import WorkspaceMaker


class SlotSession:
    """Belongs to the process that opened it; a forked child must open its own."""

    def __init__(self, scratch: Path) -> None:
        """Claims a slot. Raises NoFreeSlot, LauncherLost, OSError."""
        self.slot = claim_slot(scratch)
        try:
            self._filter_path = self.slot.directory / "filter"
            self._filter_path.write_bytes(_filter())
            self._filter_path.chmod(0o644)
            self.launcher = Launcher(self.slot.uid, self._filter_path)
        except (OSError, LauncherLost):
            self.slot.release()
            raise
        self.workspaces = WorkspaceMaker(self.slot)
        self.group_home = find_group_home()

    @property
    def belongs_here(self) -> bool:
        """Whether this process opened the session (and not the one it was forked from)."""
        return self.slot.owner_pid == os.getpid()

    def restart_launcher(self) -> None:
        """Replace the launcher, which takes everything that it runs with it; keep the slot.

        Raises LauncherLost if the new one does not come up.
        """
        self.launcher.close()
        self.launcher = Launcher(self.slot.uid, self._filter_path)

    def close(self) -> None:
        """End the launcher and give the slot back."""
        if self.belongs_here:
            self.launcher.close()
        self.slot.release()


def group_for(session: SlotSession, limits: Limits) -> ControlGroup | None:
    """A fresh control group for one run, or None where none can be made. Raises OSError."""
    if session.group_home is None:
        return None
    # One more than the program may have: the sandbox's own first process.
    return ControlGroup(session.group_home, limits.memory_bytes, limits.processes + 1)


def _filter() -> bytes:
    """The system call filter, or one that allows everything where no table is known.

    Selection refuses such a machine for bubblewrap; running without isolation needs no filter.
    """
    try:
        return build_filter(os.uname().machine)
    except UnsupportedArchitecture:
        return b""
