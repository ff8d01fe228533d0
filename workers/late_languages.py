"""Languages that a worker takes up while it is at work, once they have been warmed and proved."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from pydantic import ValidationError

from models.clock import SystemClock
from models.schemas.base import Schema
from workers.languages.language_runtime import LanguageRuntime
from workers.worker_log import log_event

COMMAND = (sys.executable, "-m", "workers.warming_process")
MOST_STARTS = 3
"""A process that dies without an answer was killed, or ran out of something: a matter of luck."""
CHUNK = 65_536


class WarmingAnswer(Schema):
    """One line of the warming process; `problem` is empty for a language that is proved."""

    language: str
    problem: str
    remedy: str


class LateLanguages:
    """A process that warms `cold` languages in the background, and what is heard of it.

    It is polled and never waited for, from the worker's own event loop: a thread would not go
    well with a pool that forks.
    """

    def __init__(
        self, cold: Mapping[str, LanguageRuntime], command: Sequence[str] = COMMAND
    ) -> None:
        self._cold = dict(cold)
        self._command = tuple(command)
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._heard = b""

    @property
    def warming(self) -> tuple[str, ...]:
        """The languages that are still on their way."""
        return tuple(self._cold)

    def start(self) -> None:
        """Begin, where there is anything to warm. Call it from the thread that outlives all."""
        if not self._cold:
            return
        command = [*self._command, str(os.getpid()), *self._cold]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self._starts += 1
        assert self._process.stdout is not None, "asked for"
        os.set_blocking(self._process.stdout.fileno(), False)

    def poll(self, take_up: Callable[[LanguageRuntime], None]) -> bool:
        """Hand over each language that has become ready; whether `warming` has changed.

        What can't be warmed is logged, and not on its way any more.
        """
        if self._process is None:
            return False
        before = len(self._cold)
        # Asked before reading: then all that it ever said can be read.
        has_ended = self._process.poll() is not None
        for line in self._lines(self._process):
            self._hear(line, take_up)
        if has_ended:
            self._end(self._process)
        return before != len(self._cold)

    def _lines(self, process: "subprocess.Popen[bytes]") -> list[bytes]:
        assert process.stdout is not None, "asked for at the start"
        try:
            self._heard += os.read(process.stdout.fileno(), CHUNK)
        except BlockingIOError:
            return []
        *lines, self._heard = self._heard.split(b"\n")
        return lines

    def _hear(self, line: bytes, take_up: Callable[[LanguageRuntime], None]) -> None:
        try:
            answer = WarmingAnswer.model_validate_json(line)
        except ValidationError:
            return
        runtime = self._cold.pop(answer.language, None)
        if runtime is None:
            return
        if answer.problem:
            self._complain(answer.language, f"{answer.problem} {answer.remedy}".strip())
        else:
            take_up(runtime)

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        """The process is gone. What it had still to do is begun again; after the last try it
        can't be served."""
        self._process, self._heard = None, b""
        if process.stdout is not None:
            process.stdout.close()
        if self._starts < MOST_STARTS:
            self.start()
            return
        for language in self._cold:
            self._complain(language, f"the warming process ended with {process.returncode}")
        self._cold.clear()

    def _complain(self, language: str, problem: str) -> None:
        log_event("language_unready", SystemClock().now(), language=language, problem=problem)
