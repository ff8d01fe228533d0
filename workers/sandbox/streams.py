"""The pipes of one run: input fed, output collected up to a cap, never a thread."""

from __future__ import annotations

import contextlib
import math
import os
import select
from collections.abc import Callable

_CHUNK = 65536


class Streams:
    """stdin, stdout and stderr of a program, and the status pipe of its sandbox.

    `pass_on` lists the program's ends in the order of its descriptors; `drop_pass_on` must follow
    the launch. The worker's ends are served by `serve` until `status_open` turns false.
    """

    def __init__(self, stdin: bytes, output_bytes: int, hand_over: Callable[[int], None]) -> None:
        stdin_read, self._stdin = os.pipe2(os.O_CLOEXEC)
        self._stdout, stdout_write = os.pipe2(os.O_CLOEXEC)
        self._stderr, stderr_write = os.pipe2(os.O_CLOEXEC)
        self._status, status_write = os.pipe2(os.O_CLOEXEC)
        self.pass_on = (stdin_read, stdout_write, stderr_write, status_write)
        for descriptor in self.pass_on[:3]:
            # The program opens /dev/stdin and its like anew, which its user must be allowed to.
            hand_over(descriptor)
        self.output: dict[int, bytearray] = {self._stdout: bytearray(), self._stderr: bytearray()}
        self.status = bytearray()
        self.output_exceeded = False
        self._room = output_bytes
        self._is_process = False
        self._input = memoryview(stdin)
        self._open = {self._stdin, self._stdout, self._stderr, self._status}
        self._poll = select.poll()
        for descriptor in (self._stdout, self._stderr, self._status):
            os.set_blocking(descriptor, False)
            self._poll.register(descriptor, select.POLLIN)
        os.set_blocking(self._stdin, False)
        self._feed()
        if self._stdin in self._open:
            self._poll.register(self._stdin, select.POLLOUT)

    @property
    def status_open(self) -> bool:
        """Whether the sandbox's outer process still holds the status pipe."""
        return self._status in self._open

    def watch_process(self, descriptor: int) -> None:
        """Let the end of a process (a pidfd, owned from now on) stand for the status pipe's."""
        self._shut(self._status)
        self._status = descriptor
        self._is_process = True
        self._open.add(descriptor)
        self._poll.register(descriptor, select.POLLIN)

    @property
    def stdout(self) -> bytes:
        return bytes(self.output[self._stdout])

    @property
    def stderr(self) -> bytes:
        return bytes(self.output[self._stderr])

    def drop_pass_on(self) -> None:
        """Close the program's ends, which it has its own copies of by now."""
        for descriptor in self.pass_on:
            os.close(descriptor)
        self.pass_on = ()

    def serve(self, timeout_s: float) -> None:
        """Move what can be moved within the time; returns after the first movement."""
        for descriptor, _ in self._poll.poll(max(0, math.ceil(timeout_s * 1000))):
            if descriptor == self._stdin:
                self._feed()
            elif descriptor == self._status and self._is_process:
                self._shut(descriptor)
            else:
                self._take(descriptor)

    def drain(self) -> None:
        """Take what is left after the last writer is gone."""
        pipes = (self._stdout, self._stderr, *(() if self._is_process else (self._status,)))
        for descriptor in pipes:
            while descriptor in self._open and self._take(descriptor):
                pass

    def close(self) -> None:
        """Close everything that is still open."""
        self.drop_pass_on()
        for descriptor in list(self._open):
            self._shut(descriptor)

    def _feed(self) -> None:
        try:
            while self._input:
                self._input = self._input[os.write(self._stdin, self._input) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            pass
        self._shut(self._stdin)

    def _take(self, descriptor: int) -> bool:
        """Read once; False when nothing is there now."""
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._shut(descriptor)
        elif descriptor == self._status:
            self.status += data
        else:
            self.output[descriptor] += data[: self._room]
            self.output_exceeded = self.output_exceeded or len(data) > self._room
            self._room -= min(len(data), self._room)
        return bool(data)

    def _shut(self, descriptor: int) -> None:
        self._open.discard(descriptor)
        with contextlib.suppress(KeyError):
            self._poll.unregister(descriptor)
        os.close(descriptor)
