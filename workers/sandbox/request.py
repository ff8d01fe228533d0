"""What a caller asks of a sandbox: one program, its input, its view of files and its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workers.sandbox.door import Door

MountMode = Literal["ro", "rw", "overlay"]

MEBIBYTE = 1 << 20


def never_cancelled() -> bool:
    """The `cancelled` of a request that nobody can withdraw."""
    return False


@dataclass(frozen=True, slots=True)
class Mount:
    """One host path in the sandbox's view.

    `overlay` is a writable view whose changes are thrown away when the program ends. A `rw` or
    `overlay` source must come from a workspace of the same sandbox (`Workspace.merged`): other
    trees belong to another user and could not be written.
    """

    source: Path
    target: str
    mode: MountMode


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps for one run of one process tree; every one of them is enforced from outside.

    `wall_s` and `cpu_s` are seconds, `processes` counts processes and threads, `output_bytes` is
    the sum of stdout and stderr, `disk_bytes` and `files` cap what the writable mounts hold, and
    also what the program puts into its temporary directory, its home and its shared memory.
    """

    wall_s: float
    cpu_s: float
    memory_bytes: int
    processes: int
    output_bytes: int
    disk_bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """One program to run. `argv[0]` is looked up on the sandbox's PATH.

    `env` is added to the sandbox's own few variables and wins over them; nothing is inherited.
    `workdir` is a path inside. `cancelled` is polled about ten times a second. `door` is the only
    way out of it; None is none.
    """

    argv: tuple[str, ...]
    stdin: bytes
    env: Mapping[str, str]
    mounts: tuple[Mount, ...]
    workdir: str
    limits: Limits
    cancelled: Callable[[], bool] = never_cancelled
    door: Door | None = None
