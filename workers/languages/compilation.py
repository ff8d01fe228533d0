"""Turns sources into a program inside a sandbox, as the language's definition says."""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from models.schemas.language import BuildStep
from workers.languages.language_runtime import BUILD_AT, CACHE_AT, WORK_AT, LanguageRuntime
from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.request import MEBIBYTE, Limits, Mount, SandboxRequest, never_cancelled
from workers.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Compilation:
    """How the compiler ended, and the folder it wrote: untrusted, and gone after the context."""

    outcome: SandboxOutcome
    folder: Path
    cache: Path


def compiler_limits(wall_s: float) -> Limits:
    """Limits for a compiler: generous in all but time, since compilers are hungry."""
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s * 8,
        memory_bytes=2_048 * MEBIBYTE,
        processes=512,
        output_bytes=4 * MEBIBYTE,
        disk_bytes=2_048 * MEBIBYTE,
        files=100_000,
    )


@contextmanager
def compile_sources(
    sandbox: Sandbox,
    runtime: LanguageRuntime,
    step: BuildStep,
    sources: Path,
    wall_s: float,
    cancelled: Callable[[], bool] = never_cancelled,
) -> Generator[Compilation]:
    """Run the build step over `sources`, which it sees read-only.

    The warmed cache, where there is one, is seen through a copy that is thrown away.
    """
    with ExitStack() as stack:
        empty = Path(stack.enter_context(TemporaryDirectory(prefix="gradefarm-empty-")))
        empty.chmod(0o755)
        built = stack.enter_context(sandbox.fresh_workspace(empty))
        cache = stack.enter_context(sandbox.fresh_workspace(runtime.cache or empty))
        command = runtime.fill(step)
        request = SandboxRequest(
            argv=command.argv,
            stdin=b"",
            env=command.env,
            mounts=(
                *runtime.mounts,
                Mount(sources, WORK_AT, "ro"),
                built.mount(BUILD_AT),
                cache.mount(CACHE_AT),
            ),
            workdir=WORK_AT,
            limits=compiler_limits(wall_s),
            cancelled=cancelled,
        )
        yield Compilation(sandbox.run(request), built.merged, cache.merged)
