"""What happens to a worker while a program runs is not held against the program."""

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import miss
from workers.sandbox.outcome import Ending
from workers.sandbox.request import Limits, SandboxRequest
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import IsolationUnavailable, select_sandbox

pytestmark = pytest.mark.real

LIMITS = Limits(
    wall_s=2.0,
    cpu_s=10.0,
    memory_bytes=64 * 2**20,
    processes=32,
    output_bytes=2**20,
    disk_bytes=32 * 2**20,
    files=1_000,
)
STANDS_STILL_S = 3.0


@pytest.fixture
def sandbox(tmp_path: Path) -> Generator[Sandbox]:
    if os.geteuid() != 0:
        miss("root, to mount a small disk")
    disk = Path("/var/tmp") / f"gradefarm-small-disk-{os.getpid()}"
    disk.mkdir(mode=0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", disk], check=True)
    try:
        with contextlib.closing(select_sandbox(disk / "scratch")) as chosen:
            yield chosen
    except IsolationUnavailable as error:
        miss(f"a sandbox ({error})")
    finally:
        subprocess.run(["umount", disk], check=False)
        disk.rmdir()


def _shell(script: str, cancelled: Callable[[], bool] = lambda: False) -> SandboxRequest:
    return SandboxRequest(
        ("/bin/sh", "-c", script), b"", {}, (), "/tmp", LIMITS, cancelled=cancelled
    )


def _stand_still_once() -> Callable[[], bool]:
    """A worker that is stopped in the middle: between two looks nothing is looked at."""
    left = [STANDS_STILL_S]

    def look() -> bool:
        if left:
            time.sleep(left.pop())
        return False

    return look


def test_a_program_that_ended_in_time_is_no_timeout_when_the_worker_stood_still(
    sandbox: Sandbox,
) -> None:
    outcome = sandbox.run(_shell("sleep 0.5; echo done", _stand_still_once()))
    assert (outcome.ending, outcome.stdout) == (Ending.exited, b"done\n")


def test_time_in_which_the_worker_stood_still_does_not_count(sandbox: Sandbox) -> None:
    outcome = sandbox.run(_shell("sleep 4; echo done", _stand_still_once()))
    assert (outcome.ending, outcome.stdout) == (Ending.exited, b"done\n")
    assert sandbox.run(_shell("sleep 4")).ending is Ending.wall_timeout


def test_a_disk_that_others_filled_is_the_farms_fault(sandbox: Sandbox, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    with sandbox.fresh_workspace(base) as workspace:
        request = replace(_shell("echo x > file"), mounts=(workspace.mount("/work"),))
        request = replace(request, workdir="/work")
        assert sandbox.run(request).ending is Ending.exited
        ballast = workspace.merged.parents[2] / "ballast"
        with ballast.open("wb") as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(2**16))
        for script in ("echo x > file", "sleep 0.5; echo x > file"):
            full = sandbox.run(replace(request, argv=("/bin/sh", "-c", script)))
            assert (full.ending, full.infrastructure) == (Ending.infrastructure, "disk_full")
        ballast.unlink()
        assert sandbox.run(request).ending is Ending.exited
