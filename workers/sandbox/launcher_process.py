"""The program that starts sandboxes: small, single-threaded and already under the slot's uid.

It is run as a script by `launcher.Launcher`, never imported. Three things need it. bubblewrap dies
with the thread that started it, so that thread must outlive every run. Starting from here needs
neither a fork of the big worker nor a change of user for each launch. And as a child subreaper it
inherits whatever a sandbox leaves behind, so "no child left" proves that the whole tree is gone.

It answers one request at a time: a four-byte length, then a marshalled tuple; descriptors travel
with the length. The end of the stream means that the worker died: everything is killed.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import marshal
import os
import resource
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import cast

_SET_CHILD_SUBREAPER = 36
_LOWEST_FREE_DESCRIPTOR = 24
_MOST_DESCRIPTORS = 8
_LENGTH = struct.Struct("=I")
_NO_PIPE = -1
_FIRST_VICTIM = b"1000"

Launch = tuple[str, bytes, list[bytes], dict[bytes, bytes], bool]
Caps = list[tuple[int, int, int]]


class _WorkerGone(Exception):
    """The other end of the control socket is closed."""


class _Starter:
    """Owns at most one running main process and the gate that holds it back."""

    def __init__(self, filter_path: str, victim_score: int) -> None:
        self._filter = os.open(filter_path, os.O_RDONLY)
        self._victim_score = victim_score
        self._own_score = os.read(victim_score, 16)
        self._main_pid = 0
        self._release_pipe = _NO_PIPE

    def launch(self, request: Launch, descriptors: list[int]) -> tuple[str, int]:
        """Start a program with stdin, stdout and stderr; answers its pid or an errno.

        A sandbox also gets the status pipe as 3, the filter as 4, the gate as 5 and its options
        as 6.
        """
        _, program, argv, env, sandboxed = request
        places = (0, 1, 2, 3, 6) if sandboxed else (0, 1, 2)
        targets = list(zip(descriptors, places, strict=True))
        gate = _NO_PIPE
        if sandboxed:
            gate, self._release_pipe = os.pipe()
            os.lseek(self._filter, 0, os.SEEK_SET)
            targets += [(self._filter, 4), (gate, 5)]
        # Inherited: when the host runs out of memory, judged code goes before all of the farm.
        os.write(self._victim_score, _FIRST_VICTIM)
        try:
            self._main_pid = os.posix_spawn(
                program,
                argv,
                env,
                file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for source, target in targets],
            )
        except OSError as error:
            return ("refused", error.errno or 0)
        finally:
            os.write(self._victim_score, self._own_score)
            for descriptor in (*descriptors, gate):
                if descriptor != _NO_PIPE:
                    os.close(descriptor)
        return ("started", self._main_pid)

    def release(self, pid: int, caps: Caps) -> None:
        """Cap one process, whose later children inherit the caps, and open the gate."""
        with contextlib.suppress(ProcessLookupError):
            for kind, soft, hard in caps:
                resource.prlimit(pid, kind, (soft, hard))
        if self._release_pipe != _NO_PIPE:
            with contextlib.suppress(BrokenPipeError):
                os.write(self._release_pipe, b"!")
        self._drop_gate()

    def end(self, *, kill: bool) -> tuple[str, int, float, int]:
        """Wait for the main process (killed first if asked), then sweep until no child is left.

        Answers its wait status, the processor seconds of the tree and the largest resident size
        of another process than the main one, in bytes.
        """
        if kill and self._main_pid:
            os.kill(self._main_pid, signal.SIGKILL)
        self._drop_gate()
        main_status, seconds, largest = 0, 0.0, 0
        while True:
            try:
                pid, status, usage = os.wait4(-1, 0)
            except ChildProcessError:
                return ("ended", main_status, seconds, largest)
            seconds += usage.ru_utime + usage.ru_stime
            if pid == self._main_pid:
                main_status = status
                self._main_pid = 0
            else:
                # The main process was spawned from this one, whose size would count as its own.
                largest = max(largest, usage.ru_maxrss * 1024)
            if not self._main_pid:
                _kill_children()

    def _drop_gate(self) -> None:
        if self._release_pipe != _NO_PIPE:
            os.close(self._release_pipe)
            self._release_pipe = _NO_PIPE


def main() -> None:
    """Serve the socket named by the first argument as the uid of the second (-1: stay)."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # It had to be inheritable to get here; judged code must not get it.
    control.set_inheritable(False)
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _occupy_low_descriptors()
    # Opened before the change of user, after which it could not be.
    victim_score = _open_victim_score()
    _become(int(sys.argv[2]))
    os.chdir("/")
    starter = _Starter(sys.argv[3], victim_score)
    try:
        _write(control, ("ready",))
        while True:
            _serve_one(control, starter)
    except (_WorkerGone, BrokenPipeError, ConnectionResetError):
        starter.end(kill=True)


def _serve_one(control: socket.socket, starter: _Starter) -> None:
    request, descriptors = _read(control)
    if request[0] == "launch":
        _write(control, starter.launch(cast("Launch", request), descriptors))
    elif request[0] == "release":
        starter.release(cast("int", request[1]), cast("Caps", request[2]))
    else:
        _write(control, starter.end(kill=bool(request[1])))


def _open_victim_score() -> int:
    """Without a writable /proc the kernel goes by size alone; that is no reason not to start."""
    try:
        return os.open("/proc/self/oom_score_adj", os.O_RDWR)
    except OSError:
        return os.open(os.devnull, os.O_RDWR)


def _become(uid: int) -> None:
    """Give up root for good."""
    if uid >= 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)


def _occupy_low_descriptors() -> None:
    """No descriptor in use may have a number that a launch will overwrite."""
    while True:
        filler = os.open(os.devnull, os.O_RDONLY)
        if filler >= _LOWEST_FREE_DESCRIPTOR:
            os.close(filler)
            return


def _kill_children() -> None:
    listing = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    for pid in listing.split():
        os.kill(int(pid), signal.SIGKILL)


def _read(control: socket.socket) -> tuple[tuple[object, ...], list[int]]:
    room = socket.CMSG_SPACE(_MOST_DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = control.recvmsg(_LENGTH.size, room, socket.MSG_CMSG_CLOEXEC)
    if len(head) < _LENGTH.size:
        raise _WorkerGone
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data)
    (length,) = cast("tuple[int]", _LENGTH.unpack(head))
    body = control.recv(length, socket.MSG_WAITALL)
    if len(body) < length:
        raise _WorkerGone
    return cast("tuple[object, ...]", marshal.loads(body)), list(descriptors)


def _write(control: socket.socket, answer: tuple[str | int | float, ...]) -> None:
    body = marshal.dumps(answer)
    control.sendall(_LENGTH.pack(len(body)) + body)


if __name__ == "__main__":
    main()
