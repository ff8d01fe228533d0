"""What a farm must not leave behind: processes, sandboxes, control groups, mounts, workspaces."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from tests.chaos.storm_farm import StormFarm
from workers.sandbox.control_groups import GROUPS_AT


def sandboxes_left(farm: StormFarm) -> list[str]:
    """While no run is at work: sandboxed processes and control groups of this farm."""
    return [*_sandboxed(farm.root), *_groups(farm.began_at)]


def traces_left(farm: StormFarm) -> list[str]:
    """After all processes of the farm have ended: anything of it."""
    return [
        *sandboxes_left(farm),
        *_processes(farm),
        *_mounts(farm),
        *_workspaces(farm),
    ]


def _sandboxed(root: Path) -> Iterator[str]:
    """Processes in a mount namespace of their own that shows something of the farm."""
    own = Path("/proc/self/ns/mnt").readlink()
    for process in psutil.process_iter():
        with suppress(OSError, psutil.Error):
            here = Path("/proc", str(process.pid))
            if (here / "ns" / "mnt").readlink() == own:
                continue
            if str(root) in (here / "mountinfo").read_text(errors="replace"):
                yield f"sandboxed process {process.pid} {process.name()}"


def _groups(since: float) -> Iterator[str]:
    for group in GROUPS_AT.rglob("gradefarm-*-*"):
        with suppress(OSError):
            if group.stat().st_mtime >= since and not _is_alive(group.name.split("-")[1]):
                yield f"control group {group}"


def _is_alive(pid: str) -> bool:
    return Path("/proc", pid).exists()


def _processes(farm: StormFarm) -> Iterator[str]:
    ours = {str(process.folder) for process in farm.processes}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            at_home = process.environ().get("GRADEFARM_HOME") in ours
            if at_home and process.status() != psutil.STATUS_ZOMBIE:
                yield f"process {process.pid} {' '.join(process.cmdline())}"


def _mounts(farm: StormFarm) -> Iterator[str]:
    disks = {str(process.scratch) for process in farm.processes} | {str(farm.artifacts)}
    for line in Path("/proc/self/mountinfo").read_text(errors="replace").splitlines():
        at = line.split()[4]
        if at.startswith(f"{farm.root}/") and at not in disks:
            yield f"mount {at}"


def _workspaces(farm: StormFarm) -> Iterator[str]:
    for process in farm.processes:
        for slot in (process.scratch / "slots").glob("*/"):
            yield from (f"workspace {left}" for left in slot.glob("*/*"))
