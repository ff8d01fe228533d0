"""Builds a native suite: the graded state, the sealed tests and the farm's own, in one program."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from models.canonical import digest_of
from models.errors import Infrastructure
from models.schemas.check_report import BuildResult
from models.schemas.language import BuildStep, Invocation
from models.verdicts import VoidCategory
from workers.checks.build import NOT_NEEDED, GradingBench, build_result
from workers.checks.suite_files import SealedSuite
from workers.languages.compilation import compile_sources
from workers.languages.folder_cache import make_once, make_readable, write_files
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import WARMING_WALL_S
from workers.sandbox.request import Mount

SUITE_AT = "/suite"


@contextmanager
def built_suite(
    bench: GradingBench,
    sealed: SealedSuite,
    sources: Path,
    wall_s: float,
    *,
    keeps_output: bool,
) -> Generator[tuple[BuildResult, Path | None]]:
    """The result of building the suite laid over `sources`, and within the block its folder.

    It is never remembered: the farm's own tests are others in every build. `keeps_output` is for
    trusted sources alone: a compiler quotes the sealed tests, and whatever sources include of
    them. Raises Infrastructure and StageStopped.
    """
    step = sealed.runner.build
    if step is None:
        yield NOT_NEEDED, None
        return
    runtime = replace(
        bench.runtime, mounts=suite_mounts(sealed, bench.runtime), cache=_cache(bench, sealed, step)
    )
    filled = fill_step(step, sealed, bench.runtime)
    bare = BuildStep(argv=filled.argv, env=filled.env)
    with compile_sources(
        bench.sandbox, runtime, bare, sources, wall_s, bench.cancelled
    ) as compiled:
        result = build_result(compiled.outcome, bench, keeps_output=keeps_output)
        yield result, compiled.folder


def suite_mounts(sealed: SealedSuite, runtime: LanguageRuntime) -> tuple[Mount, ...]:
    """The toolchain's folders, and the runner's files."""
    return (*runtime.mounts, Mount(sealed.runner_files, SUITE_AT, "ro"))


def fill_step(
    step: BuildStep | Invocation, sealed: SealedSuite, runtime: LanguageRuntime
) -> Invocation:
    """A step of the runner with all that stands for something else filled in."""
    own = {"suite": SUITE_AT, "entry": sealed.suite.entries[0], **sealed.suite.parameters}

    def fill(text: str) -> str:
        for name, value in own.items():
            text = text.replace("{" + name + "}", value)
        return runtime.fill_text(text)

    return Invocation(
        argv=tuple(fill(word) for word in step.argv),
        env={name: fill(text) for name, text in step.env.items()},
    )


def _cache(bench: GradingBench, sealed: SealedSuite, step: BuildStep) -> Path | None:
    """The language's compile cache, with what suites need beyond it where they need more."""
    cache = bench.runtime.cache
    if cache is None or not step.warm_files:
        return cache
    key = digest_of(step.model_dump(mode="json")).removeprefix("sha256:")[:16]
    folder = cache.with_name(f"{cache.name}-suite-{key}")
    return make_once(folder, lambda draft: _warm(bench, sealed, step, draft), bench.cancelled)


def _warm(bench: GradingBench, sealed: SealedSuite, step: BuildStep, draft: Path) -> None:
    filled = fill_step(step, sealed, bench.runtime)
    with TemporaryDirectory(prefix="gradefarm-warm-") as name:
        write_files(Path(name), step.warm_files)
        with compile_sources(
            bench.sandbox,
            bench.runtime,
            BuildStep(argv=filled.argv, env=filled.env),
            Path(name),
            WARMING_WALL_S,
            bench.cancelled,
        ) as done:
            if not build_result(done.outcome, bench).ok:
                raise Infrastructure(
                    VoidCategory.TOOLCHAIN_MISSING,
                    f"{bench.runtime.identity} can't build the suite that warms its cache.",
                    remedy="Look into the runner of native suites beside its definition.",
                )
            shutil.copytree(done.cache, draft, dirs_exist_ok=True, symlinks=True)
            make_readable(draft)
