"""The worker's side of a socket that listens in the network of a sandboxed program."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

_PROGRAM = Path(__file__).with_name("network_listener.py")
_PATIENCE_S = 20.0


def listen_inside(pid: int, port: int) -> socket.socket:
    """A socket that listens on `port` of the loopback of the network of process `pid`.

    Raises OSError.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            words = [str(theirs.fileno()), str(pid), str(port)]
            helper = subprocess.Popen(
                [sys.executable, "-I", "-S", "-E", str(_PROGRAM), *words],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
            )
        ours.settimeout(_PATIENCE_S)
        try:
            told, descriptors, _, _ = socket.recv_fds(ours, 64, 1)
        finally:
            helper.kill()
            helper.wait()
    if descriptors:
        return socket.socket(fileno=descriptors[0])
    number = int(told) if told.isdigit() else 0
    raise OSError(number, os.strerror(number) if number else "the helper ended without a socket")
