"""The worker's side of the launcher process: start, release, end."""

from __future__ import annotations

import contextlib
import marshal
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from models.errors import Infrastructure

_LENGTH = struct.Struct("=I")
_START_TIMEOUT_S = 20.0
_END_TIMEOUT_S = 60.0
_PROGRAM = Path(__file__).with_name("launcher_process.py")

Cap = tuple[int, int, int]
"""A resource limit as (kind, soft, hard)."""

_Field = str | bytes | int | bool | list[bytes] | list[Cap] | dict[bytes, bytes]


class LauncherLost(Infrastructure):
    """The launcher process died or did not answer: whatever it ran has no known outcome."""

    def __init__(self, message: str) -> None:
        super().__init__("sandbox_setup", message)


class ProgramRefused(Exception):
    """The kernel would not execute the program; `number` is the errno."""

    def __init__(self, number: int) -> None:
        super().__init__(os.strerror(number))
        self.number = number


@dataclass(frozen=True, slots=True)
class TreeEnd:
    """What is known once no process of the tree is left; sizes in bytes, times in seconds."""

    wait_status: int
    cpu_s: float
    largest_process_bytes: int


class Launcher:
    """One helper process under one uid; runs one process tree at a time, from one thread."""

    def __init__(self, uid: int, filter_path: Path) -> None:
        """`uid` -1 keeps the worker's own user. Raises LauncherLost if it does not come up."""
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_START_TIMEOUT_S)
        flags = ["-I", "-S", "-E"]
        arguments = [str(theirs.fileno()), str(uid), str(filter_path)]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *flags, str(_PROGRAM), *arguments],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={},
                cwd="/",
                start_new_session=True,
            )
        try:
            self._read()
        except LauncherLost:
            self.close()
            raise

    def start(
        self,
        program: str,
        argv: Sequence[bytes],
        env: dict[bytes, bytes],
        descriptors: Sequence[int],
        *,
        sandboxed: bool,
    ) -> int:
        """Start a tree and answer the pid of its main process; `descriptors` become 0, 1, 2, ….

        Raises ProgramRefused and LauncherLost.
        """
        self._write(("launch", os.fsencode(program), list(argv), env, sandboxed), descriptors)
        kind, number = cast("tuple[str, int]", self._read())
        if kind == "refused":
            raise ProgramRefused(number)
        return number

    def release(self, pid: int, caps: Sequence[Cap]) -> None:
        """Cap `pid` and everything that it starts from now on, and let a held sandbox go on."""
        self._write(("release", pid, list(caps)))

    def end(self, *, kill: bool) -> TreeEnd:
        """Wait until the whole tree is gone, killing what is left of it.

        With `kill` the main process is killed too. Raises LauncherLost if processes survive that.
        """
        self._write(("end", kill))
        self._control.settimeout(_END_TIMEOUT_S)
        _, status, seconds, largest = cast("tuple[str, int, float, int]", self._read())
        return TreeEnd(status, seconds, largest)

    def close(self) -> None:
        """End the process, and with it whatever it still runs."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, request: tuple[_Field, ...], descriptors: Sequence[int] = ()) -> None:
        body = marshal.dumps(request)
        message = _LENGTH.pack(len(body)) + body
        try:
            sent = socket.send_fds(self._control, [message], descriptors)
            self._control.sendall(message[sent:])
        except OSError as error:
            raise LauncherLost(f"sending to the launcher process: {error}") from error

    def _read(self) -> object:
        try:
            head = self._control.recv(_LENGTH.size, socket.MSG_WAITALL)
            if len(head) < _LENGTH.size:
                raise LauncherLost("the launcher process ended")
            (length,) = cast("tuple[int]", _LENGTH.unpack(head))
            return cast("object", marshal.loads(self._control.recv(length, socket.MSG_WAITALL)))
        except OSError as error:
            raise LauncherLost(f"no answer from the launcher process: {error}") from error

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            self._control.close()
