"""Asks one question of one program: a fresh process in a fresh sandbox, answers to the outside."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from models.schemas.check import Check, CheckInput
from models.schemas.task import TaskLimits
from workers.languages.folder_cache import write_files
from workers.languages.language_runtime import BUILD_AT, WORK_AT, LanguageRuntime
from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.request import MEBIBYTE, Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Sandbox

RUN_AT = "/tmp"
"""The folder that a program runs in: its own, empty but for the check's files, and writable."""

PROCESSES = 128
OUTPUT_BYTES = 4 * MEBIBYTE
DISK_BYTES = 64 * MEBIBYTE
FILES = 10_000


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """A graded state, ready to run: its sources, and what the build made of them.

    `wall_cap_s` cuts the time of every check to less than the limits give; None leaves it.
    """

    runtime: LanguageRuntime
    sources: Path
    built: Path | None
    limits: TaskLimits
    wall_cap_s: float | None = None


def check_limits(
    task: TaskLimits, wall_factor: float, language_factor: float, wall_cap_s: float | None = None
) -> Limits:
    """A check's limits. Only time depends on the language, by its published factor.

    A program may use several processors, so processor time is capped at a multiple of it.
    """
    wall_s = task.check_wall_s * wall_factor * language_factor
    if wall_cap_s is not None:
        wall_s = min(wall_s, wall_cap_s)
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s * 4,
        memory_bytes=task.memory_mb * MEBIBYTE,
        processes=PROCESSES,
        output_bytes=OUTPUT_BYTES,
        disk_bytes=DISK_BYTES,
        files=FILES,
    )


def ask(
    sandbox: Sandbox, program: JudgedProgram, check: Check, cancelled: Callable[[], bool]
) -> SandboxOutcome:
    """Run the program on the check's input. The expectation stays outside."""
    runtime = program.runtime
    command = runtime.fill(runtime.definition.run)
    factor = runtime.definition.limit_factor
    limits = check_limits(program.limits, check.limits.wall_factor, factor, program.wall_cap_s)
    with _input_files(check.input) as files:
        return sandbox.run(
            SandboxRequest(
                argv=(*command.argv, *check.input.argv),
                stdin=check.input.stdin.encode("utf-8"),
                env=command.env,
                mounts=(*_program_mounts(program), *files),
                workdir=RUN_AT,
                limits=limits,
                cancelled=cancelled,
            )
        )


def _program_mounts(program: JudgedProgram) -> tuple[Mount, ...]:
    built = () if program.built is None else (Mount(program.built, BUILD_AT, "ro"),)
    return (*program.runtime.mounts, Mount(program.sources, WORK_AT, "ro"), *built)


@contextmanager
def _input_files(given: CheckInput) -> Generator[tuple[Mount, ...]]:
    if not given.files:
        yield ()
        return
    with TemporaryDirectory(prefix="gradefarm-input-") as name:
        folder = Path(name)
        write_files(folder, given.files)
        yield tuple(Mount(folder / file, f"{RUN_AT}/{file}", "ro") for file in given.files)
