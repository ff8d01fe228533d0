"""Sandboxes to attack: in this process, and in a helper process under another user.

Run as a script, it is that helper: it reads pickled questions from stdin and answers on stdout.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox

PYTHON = "/usr/bin/python3"
NOBODY = 65534
LIMITS = Limits(
    wall_s=4.0,
    cpu_s=3.0,
    memory_bytes=192 * 2**20,
    processes=24,
    output_bytes=2**18,
    disk_bytes=32 * 2**20,
    files=2000,
)


@dataclass(frozen=True)
class Attacked:
    """How an attack ended and which processes were still there afterwards."""

    outcome: SandboxOutcome
    survivors: list[str]


class Subject(Protocol):
    def attack(self, source: str, mode: str = "rw", **limits: float) -> Attacked: ...

    def run(self, request: SandboxRequest) -> SandboxOutcome: ...


class LocalSubject:
    """A sandbox with a workspace that holds one file, `kept.txt`."""

    def __init__(self, scratch: Path) -> None:
        scratch.chmod(0o755)
        self._base = scratch / "base"
        self._base.mkdir()
        (self._base / "kept.txt").write_text("kept\n")
        self.sandbox: Sandbox = select_sandbox(scratch / "scratch")

    def attack(self, source: str, mode: str = "rw", **limits: float) -> Attacked:
        marker = f"attack-{os.getpid()}-{id(source)}"
        with self.sandbox.fresh_workspace(self._base) as workspace:
            request = SandboxRequest(
                argv=(PYTHON, "-I", "-S", "-c", source, marker),
                stdin=b"",
                env={},
                mounts=(Mount(workspace.merged, "/work", mode),),  # type: ignore[arg-type]
                workdir="/work",
                limits=replace(LIMITS, **limits),
            )
            outcome = self.sandbox.run(request)
        return Attacked(outcome, survivors(marker))

    def run(self, request: SandboxRequest) -> SandboxOutcome:
        return self.sandbox.run(request)


class RemoteSubject:
    """The same in a helper process that has no rights at all."""

    def __init__(self, scratch: Path, interpreter: str) -> None:
        os.chown(scratch, NOBODY, NOBODY)
        root = str(Path(__file__).parents[2])
        packages = os.pathsep.join([root, *(path for path in sys.path if path)])
        self._process = subprocess.Popen(
            [interpreter, "-B", "-m", "tests.contract.sandbox_subjects", str(scratch)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            env={"PYTHONPATH": packages, "PATH": os.defpath, "GRADEFARM_SECRET": "open sesame"},
            cwd="/",
        )

    def attack(self, source: str, mode: str = "rw", **limits: float) -> Attacked:
        return self._ask("attack", source, mode, **limits)

    def run(self, request: SandboxRequest) -> SandboxOutcome:
        return self._ask("run", request)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=20)

    def _ask(self, *question: Any, **keywords: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        _send(self._process.stdin, (question, keywords))
        return _receive(self._process.stdout)


def survivors(marker: str) -> list[str]:
    """Command lines of processes that carry the marker, and of every process of a sandbox."""
    found: list[str] = []
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            line = (
                (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
            if marker in line:
                found.append(line)
    return found


def local_subject() -> Generator[LocalSubject]:
    os.environ["GRADEFARM_SECRET"] = "open sesame"
    folder = Path(tempfile.mkdtemp(prefix="sandbox-attacks-"))
    subject = LocalSubject(folder)
    yield subject
    subject.sandbox.close()
    shutil.rmtree(folder)
    del os.environ["GRADEFARM_SECRET"]


def remote_subject() -> Generator[RemoteSubject]:
    folder = Path(tempfile.mkdtemp(prefix="sandbox-attacks-"))
    subject = RemoteSubject(folder, public_interpreter() or sys.executable)
    yield subject
    subject.close()
    shutil.rmtree(folder)


def public_interpreter() -> str | None:
    """A Python of at least 3.11 that any user may run; None if this machine has none."""
    for candidate in (sys.executable, PYTHON):
        trial = [candidate, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        with contextlib.suppress(OSError):
            ended = subprocess.run(
                trial, user=NOBODY, group=NOBODY, extra_groups=[], check=False, env={}
            )
            if ended.returncode == 0:
                return candidate
    return None


def _send(stream: BinaryIO, thing: Any) -> None:
    data = pickle.dumps(thing)
    stream.write(struct.pack("=I", len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> Any:
    head = stream.read(4)
    if len(head) < 4:
        raise EOFError
    return pickle.loads(stream.read(struct.unpack("=I", head)[0]))


def serve(scratch: Path) -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    subject = LocalSubject(scratch)
    try:
        while True:
            (name, *arguments), keywords = _receive(sys.stdin.buffer)
            _send(answers, getattr(subject, name)(*arguments, **keywords))
    except EOFError:
        subject.sandbox.close()


if __name__ == "__main__":
    # Pickled things must name this module and not `__main__`.
    importlib.import_module("tests.contract.sandbox_subjects").serve(Path(sys.argv[1]))
