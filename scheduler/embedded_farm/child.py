"""One process of the embedded farm: how it is started, stopped, and started again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scheduler.embedded_farm import tether
from scheduler.embedded_farm.process_tree import end_tree

LOG_LIMIT_BYTES = 16 * 1024 * 1024
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 5.0
STEADY_S = 5.0
"""A process that lived this long starts again at once, with its failures forgotten."""


@dataclass(frozen=True)
class ChildSpec:
    """What to run. `stop_steps` are (signal, seconds to wait); SIGKILL follows the last.

    `ready` says, without waiting, whether the process does its work. `rank` orders the stop:
    low ranks first.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path
    ready: Callable[[], bool]
    stop_steps: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 5.0),)
    rank: int = 0
    describes: str = ""


@dataclass
class Child:
    """A process of the farm and its history. Times are monotonic seconds."""

    spec: ChildSpec
    log: Path
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restarts: int = 0
    failures: int = 0
    start_again_at: float | None = None
    exits: list[int] = field(default_factory=list[int])

    @property
    def pid(self) -> int | None:
        """The process id, None while it does not run."""
        return self.process.pid if self.process else None

    def start(self, now: float) -> None:
        """Start it in a session of its own, tied to the life of this process."""
        _make_room(self.log)
        command = [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *self.spec.argv]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.spec.folder,
                env=dict(self.spec.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started_at = now
        self.start_again_at = None

    def has_ended(self) -> bool:
        """Whether the process ended since it was started; notes its exit once."""
        if self.process is None or self.process.poll() is None:
            return False
        self.exits.append(self.process.returncode)
        self.process = None
        return True

    def plan_restart(self, now: float) -> float:
        """Decide when to start again, later with each quick failure; returns the pause."""
        if now - self.started_at >= STEADY_S:
            self.failures = 0
        pause = min(FIRST_PAUSE_S * 2**self.failures, LONGEST_PAUSE_S)
        self.failures += 1
        self.restarts += 1
        self.start_again_at = now + pause
        return pause

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process itself; its children are its own business."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """SIGKILL the process and everything below it, and reap it."""
        if self.process is None:
            return
        end_tree(self.process.pid)
        self.process.wait()

    def last_words(self, lines: int = 15) -> str:
        """The end of the log, for a message about why it does not start."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8192))
            tail = log.read().decode(errors="replace")
        return "\n".join(tail.splitlines()[-lines:])


def _make_room(log: Path) -> None:
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
