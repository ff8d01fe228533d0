"""What this process started, directly or not: found, and ended for certain."""

import contextlib
import ctypes
import os
import signal
import time

import psutil

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent dies.

    Without it a process that outlives a killed worker would move to the machine's first process
    and could not be found again. On a system without this call, nothing changes.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants() -> list[psutil.Process]:
    """All living processes below this one; zombies are not alive."""
    return [child for child in psutil.Process().children(recursive=True) if _alive(child)]


def orphans(known: set[int]) -> list[psutil.Process]:
    """Direct children of this process that are not in `known` (process ids)."""
    return [child for child in psutil.Process().children() if child.pid not in known]


def end_tree(root: int) -> None:
    """SIGKILL the process `root` and everything below it; gone processes are no error."""
    try:
        process = psutil.Process(root)
        whole = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for member in whole:
        _kill(member)


def end_orphans(known: set[int]) -> int:
    """Kill and reap adopted processes that are not in `known`; returns how many lived."""
    lived = 0
    for child in orphans(known):
        if _alive(child):
            lived += 1
            end_tree(child.pid)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child.pid, os.WNOHANG)
    return lived


def end_all_descendants(patience_s: float = 5.0) -> list[int]:
    """Kill whatever is left below this process; returns the ids that would not die in time."""
    give_up = time.monotonic() + patience_s
    while left := descendants():
        for process in left:
            _kill(process)
        end_orphans(known=set())
        if time.monotonic() > give_up:
            return [process.pid for process in left]
        time.sleep(0.02)
    return []


def _alive(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _kill(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        process.send_signal(signal.SIGKILL)
