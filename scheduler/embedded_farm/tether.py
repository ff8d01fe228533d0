"""Ties a process to the life of its parent, then becomes the program that was asked for.

Run as a script: `python -I -S tether.py <pid of the parent> <program> <arguments…>`. The kernel
then kills the program when the parent ends for whatever reason, SIGKILL included. A step between
fork and exec inside the parent would do the same, but is unsafe beside threads.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PARENT_GONE = 77


def become(parent: int, argv: list[str]) -> None:
    """Replace this process by `argv`, bound to `parent`. Returns only if the parent is gone."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    # The parent may have ended before the kernel knew of the bond.
    if os.getppid() == parent:
        os.execvp(argv[0], argv)


if __name__ == "__main__":
    become(int(sys.argv[1]), sys.argv[2:])
    sys.exit(PARENT_GONE)
