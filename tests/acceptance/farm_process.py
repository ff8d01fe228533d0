"""A farm in a process of its own, started and watched the way a person does it."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

import tasks_catalog
from models.settings import broker_socket, default_scratch

GRADEFARM = Path(sys.executable).parent / "gradefarm"
LANGUAGES = Path(tasks_catalog.__file__).parent / "languages"
QUICK_LANGUAGES = ("javascript", "python")
READY = "the farm is ready"


@dataclass
class FarmHome:
    """A home for farms of one test."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every command on this farm."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return kept | {
            "GRADEFARM_HOME": str(self.home),
            "GRADEFARM_LANGUAGES": str(self.languages),
            "GRADEFARM_FLOWER_PORT": "0",
        }

    @property
    def languages(self) -> Path:
        """Languages without a compiler whose cache every new home would have to fill first."""
        folder = self.home.parent / "languages"
        if not folder.exists():
            folder.mkdir()
            for name in QUICK_LANGUAGES:
                shutil.copy(LANGUAGES / f"{name}.toml", folder)
        return folder

    def run(self, *words: str, patience_s: float = 120) -> subprocess.CompletedProcess[str]:
        """One command, to its end."""
        return subprocess.run(
            [str(GRADEFARM), *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=patience_s,
            env=self.environment,
        )

    @contextmanager
    def started(self, *words: str, until: str) -> Generator["Started"]:
        """A command that goes on; the block begins when its output says `until`."""
        output = self.home.parent / f"{words[0]}-{time.monotonic_ns()}.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [str(GRADEFARM), *words],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment,
            )
        started = Started(process, output)
        try:
            wait_for(lambda: until in started.text or process.poll() is not None, 120)
            assert until in started.text, started.text
            yield started
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def processes(self) -> list[psutil.Process]:
        """Every living process of a farm in this home, sandboxes by their ancestors."""
        found: dict[int, psutil.Process] = {}
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                if process.environ().get("GRADEFARM_HOME") == str(self.home):
                    for one in (process, *process.children(recursive=True)):
                        found[one.pid] = one
        return [process for process in found.values() if is_alive(process)]

    def broker_is_gone(self) -> bool:
        """Whether nobody answers on the broker's socket any more."""
        return not broker_socket(self.home).exists()


@dataclass
class Started:
    """A running command with what it has printed so far."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def text(self) -> str:
        """All output so far."""
        return self.output.read_text()

    def found(self, pattern: str) -> re.Match[str]:
        """The first match in the output."""
        match = re.search(pattern, self.text)
        assert match, self.text
        return match

    def stop(self, number: signal.Signals, patience_s: float = 40) -> int:
        """Send a signal and wait for the end; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=patience_s)


@contextmanager
def farm_home(folder: Path) -> Generator[FarmHome]:
    """A home below `folder`; afterwards nothing of it is left, on the disk or alive."""
    farm = FarmHome(folder / "farm")
    try:
        yield farm
    finally:
        for process in farm.processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        shutil.rmtree(default_scratch(farm.home), ignore_errors=True)


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still does something."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(fact: Callable[[], object], patience_s: float) -> None:
    """Wait until `fact()` is true; fails when it does not become true in time."""
    give_up = time.monotonic() + patience_s
    while not fact():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.05)
