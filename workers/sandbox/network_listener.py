"""Makes a listening socket inside the network of another process and hands it back.

It is run as a script by `listen_inside`, never imported: joining a user namespace takes a process
with one thread, and the worker has more. Its arguments: the number of a socket to answer on, the
other process's id, a port.
"""

from __future__ import annotations

import array
import ctypes
import fcntl
import os
import socket
import sys
from pathlib import Path

_NEW_NETWORK = 0x40000000
_NEW_USER = 0x10000000
_GET_OWNER = 0xB701
"""The ioctl that gives the user namespace which a namespace belongs to."""
_FREE_BIND = 15
_BACKLOG = 64


def main() -> None:
    """Answer with the socket, or with the number of an error."""
    answer = socket.socket(fileno=int(sys.argv[1]))
    try:
        listener = _listen_in(int(sys.argv[2]), int(sys.argv[3]))
    except OSError as error:
        answer.sendall(b"%d" % (error.errno or 0))
        return
    fds = array.array("i", [listener.fileno()])
    answer.sendmsg([b"ok"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])


def _listen_in(pid: int, port: int) -> socket.socket:
    _join_network(pid)
    listener = socket.socket(socket.AF_INET)
    # The loopback interface may not be up yet.
    listener.setsockopt(socket.IPPROTO_IP, _FREE_BIND, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(_BACKLOG)
    return listener


def _join_network(pid: int) -> None:
    """Root may at once; another user becomes the namespaces' owner first."""
    network = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _set_namespace(network, _NEW_NETWORK)
    except PermissionError:
        owner = Path(f"/proc/{pid}").stat().st_uid
        if os.geteuid() != owner:
            os.setresuid(owner, owner, owner)
        _set_namespace(fcntl.ioctl(network, _GET_OWNER), _NEW_USER)
        _set_namespace(network, _NEW_NETWORK)


def _set_namespace(descriptor: int, kind: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, kind):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
