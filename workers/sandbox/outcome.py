"""How a sandboxed program ended, decided only from what the program could not write."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Ending(StrEnum):
    """The one way a run ended. Everything but `infrastructure` is the judged program's doing."""

    exited = "exited"
    signalled = "signalled"
    wall_timeout = "wall_timeout"
    cpu_timeout = "cpu_timeout"
    memory = "memory"
    output_limit = "output_limit"
    disk_limit = "disk_limit"
    cancelled = "cancelled"
    infrastructure = "infrastructure"


@dataclass(frozen=True, slots=True)
class SandboxOutcome:
    """The result of one run.

    `exit_code` is set for `exited`, `signal` for `signalled`; both are None otherwise.
    `infrastructure` is a category of the closed void list, set only for that ending, and `notes`
    then says what went wrong on the farm's side. `stdout` and `stderr` hold what arrived before
    the end, at most the output limit. `cpu_s` covers the whole process tree. `refusal` says why the
    kernel did not execute the program at all, in its words; empty for every program that ran.
    `may_have_begun` is False only where nothing of the program can have run.
    """

    ending: Ending
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    wall_s: float
    cpu_s: float
    peak_memory_bytes: int | None
    notes: tuple[str, ...]
    infrastructure: str | None
    refusal: str = ""
    may_have_begun: bool = True
