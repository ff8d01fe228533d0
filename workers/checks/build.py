"""Builds a graded state once for each content, and remembers the result, good or bad."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from models.canonical import digest_of
from models.clock import SystemClock
from models.errors import Infrastructure
from models.schemas.check_report import BuildResult
from models.schemas.language import BuildStep
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.evidence import evidence_of
from workers.checks.outcome import build_outcome
from workers.freezing.freeze import freeze
from workers.freezing.materialise import materialise
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit
from workers.languages.compilation import compile_sources
from workers.languages.folder_cache import make_once
from workers.languages.language_runtime import LanguageRuntime
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.sandbox import Sandbox
from workers.stage_stopped import StageStopped

RESULT_FILE = "result.json"
PROGRAM_FOLDER = "program"
KEPT_BUILDS = 128
SAFE_AGE_S = 4 * 3_600.0
"""A build that was used within this time is never removed: checks may still run from it."""

MOST_BUILT = SnapshotCaps(total_bytes=512 << 20, file_bytes=512 << 20)

NOT_NEEDED = BuildResult(needed=False, ok=True)


@dataclass(frozen=True, slots=True)
class GradingBench:
    """What grading works with. `store` keeps bytes and returns their digest; `builds` is the
    folder of remembered builds; `cancelled` is polled while programs run."""

    sandbox: Sandbox
    runtime: LanguageRuntime
    store: Callable[[bytes], str]
    builds: Path
    cancelled: Callable[[], bool]


def build_once(
    bench: GradingBench, sources: Path, content: str, wall_s: float
) -> tuple[BuildResult, Path | None]:
    """The result of building `sources`, and the folder with the program where there is one.

    `content` names what is in `sources`: equal content, toolchain, step and limit are built
    only once on a machine. Raises Infrastructure and StageStopped, which are never remembered.
    """
    step = bench.runtime.definition.build
    if step is None:
        return NOT_NEEDED, None
    folder = bench.builds / _key(bench.runtime, step, content, wall_s)
    cached = folder.is_dir()
    make_once(folder, lambda draft: _build(bench, step, sources, wall_s, draft))
    folder.touch()
    if not cached:
        _forget_old(bench.builds)
    result = BuildResult.model_validate_json((folder / RESULT_FILE).read_bytes())
    program = folder / PROGRAM_FOLDER if result.ok else None
    return result.model_copy(update={"cached": cached}), program


def _key(runtime: LanguageRuntime, step: BuildStep, content: str, wall_s: float) -> str:
    parts = [runtime.identity, str(runtime.tool), step.model_dump(mode="json"), content]
    return digest_of([*parts, str(wall_s)]).removeprefix("sha256:")


def _build(bench: GradingBench, step: BuildStep, sources: Path, wall_s: float, draft: Path) -> None:
    with compile_sources(
        bench.sandbox, bench.runtime, step, sources, wall_s, bench.cancelled
    ) as compiled:
        result = _result(compiled.outcome, bench)
        if result.ok and not _take_out(compiled.folder, draft / PROGRAM_FOLDER):
            result = result.model_copy(update={"ok": False, "outcome": CheckOutcome.BUILD_FAILED})
    (draft / RESULT_FILE).write_text(result.model_dump_json(), encoding="utf-8")


def _take_out(built: Path, target: Path) -> bool:
    """Copy what a build wrote as carefully as a workspace; false where it is too large."""
    try:
        frozen = freeze(built, MOST_BUILT)
    except WorkspaceOverLimit:
        return False
    materialise(frozen.manifest, frozen.pack, target)
    return True


def _result(outcome: SandboxOutcome, bench: GradingBench) -> BuildResult:
    if outcome.ending is Ending.cancelled:
        raise StageStopped("the build was stopped from outside.")
    decided = build_outcome(outcome.ending, outcome.exit_code, outcome.infrastructure)
    if isinstance(decided, VoidCategory):
        raise Infrastructure(decided, f"the build could not run: {'; '.join(outcome.notes)}")
    return BuildResult(
        needed=True,
        ok=decided is CheckOutcome.PASSED,
        outcome=decided,
        evidence=evidence_of(outcome, "", bench.store),
    )


def _forget_old(builds: Path) -> None:
    """Remove what was not used for long, beyond the newest builds."""
    dated = sorted(_dated(builds), reverse=True)
    for used_at, folder in dated[KEPT_BUILDS:]:
        if used_at < SystemClock().now() - SAFE_AGE_S:
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_name(folder.name + ".lock").unlink(missing_ok=True)


def _dated(builds: Path) -> Iterator[tuple[float, Path]]:
    for path in builds.iterdir():
        if path.is_dir() and not path.name.startswith("."):
            yield path.stat().st_mtime, path
