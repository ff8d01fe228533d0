"""Slots: one directory and one user id for each sandbox that may run at the same time."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
from pathlib import Path

from models.errors import Infrastructure

FIRST_SLOT_UID = 61000
_MOST_SLOTS = 512
_OWN_USER = -1


class NoFreeSlot(Infrastructure):
    """Every slot of the scratch directory is taken."""

    def __init__(self, message: str) -> None:
        super().__init__("sandbox_setup", message)


class Slot:
    """A claimed slot. `uid` is the user that judged code runs as, or -1 for the worker's own."""

    def __init__(self, number: int, directory: Path, uid: int, locks: tuple[int, ...]) -> None:
        self.number = number
        self.directory = directory
        self.uid = uid
        self.owner_pid = os.getpid()
        self._locks = locks

    @property
    def runs_as_root(self) -> bool:
        """Whether the worker is root, so that files must be handed to the slot's user."""
        return self.uid != _OWN_USER

    def hand_over(self, path: Path | int) -> None:
        """Make the slot's user the owner of one file, directory, link or descriptor."""
        if not self.runs_as_root:
            return
        if isinstance(path, int):
            os.fchown(path, self.uid, self.uid)
        else:
            os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def release(self) -> None:
        """Empty the directory and let the next claimer in. A forked child only lets go."""
        if self.owner_pid == os.getpid():
            _unmount_below(self.directory)
            remove_tree(self.directory)
        for descriptor in self._locks:
            os.close(descriptor)
        self._locks = ()


def claim_slot(scratch: Path) -> Slot:
    """Claim the first free slot under `scratch` and empty what a dead owner left in it.

    A lock on a file guards the directory. As root, a second one guards the user id on the whole
    machine, since two farms with different scratch directories would otherwise share it.
    """
    slots = scratch / "slots"
    slots.mkdir(parents=True, exist_ok=True)
    for number in range(_MOST_SLOTS):
        locks = _try_locks(slots, number)
        if locks is not None:
            directory = slots / f"{number:02d}"
            _unmount_below(directory)
            remove_tree(directory)
            directory.mkdir(mode=0o711)
            directory.chmod(0o711)
            uid = FIRST_SLOT_UID + number if os.geteuid() == 0 else _OWN_USER
            _empty_abandoned(slots)
            return Slot(number, directory, uid, locks)
    raise NoFreeSlot(f"all {_MOST_SLOTS} slots under {slots} are taken")


def remove_tree(path: Path) -> None:
    """Remove a tree whatever judged code built there: deep nests, odd names, no permissions."""
    if not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):
        # rmtree recurses in Python and stops at a directory without permissions.
        subprocess.run(
            ["chmod", "-R", "u+rwx", "--", path], check=False, stderr=subprocess.DEVNULL, cwd="/"
        )
        subprocess.run(["rm", "-rf", "--", path], check=True, cwd="/")


def _empty_abandoned(slots: Path) -> None:
    """Remove what owners that were killed left in other slots: nobody may claim those for long."""
    for directory in [path for path in slots.iterdir() if path.is_dir()]:
        descriptor = _lock(slots / f"{directory.name}.lock")
        if descriptor is not None:
            _unmount_below(directory)
            remove_tree(directory)
            os.close(descriptor)


def _lock(path: Path) -> int | None:
    """An open file that nobody else has locked; None where somebody has."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _try_locks(slots: Path, number: int) -> tuple[int, ...] | None:
    descriptor = _lock(slots / f"{number:02d}.lock")
    if descriptor is None:
        return None
    if os.geteuid() != 0:
        return (descriptor,)
    guard = socket.socket(socket.AF_UNIX)
    try:
        guard.bind(f"\0gradefarm-slot-uid-{FIRST_SLOT_UID + number}")
    except OSError:
        guard.close()
        os.close(descriptor)
        return None
    return (descriptor, guard.detach())


def _unmount_below(path: Path) -> None:
    """Take away the mounts that a worker left when it died."""
    marker = f" {path.resolve()}/"
    mounts = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    for line in reversed(mounts):
        if marker in line:
            subprocess.run(["umount", "-l", "--", line.split()[4]], check=False)
