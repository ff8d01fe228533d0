"""Builds a graded state once for each content, and remembers what the compiler said of it."""

import secrets
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from models.canonical import digest_of
from models.errors import Infrastructure
from models.schemas.check_report import BuildResult
from models.schemas.language import BuildStep
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.evidence import evidence_of
from workers.checks.outcome import build_outcome
from workers.checks.remembered_builds import MOST_BUILDS, keep_within_caps, note_size
from workers.freezing.careful_copy import careful_copy
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit
from workers.languages.compilation import compile_sources
from workers.languages.folder_cache import forget, hold_once
from workers.languages.language_runtime import LanguageRuntime
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.sandbox import Sandbox
from workers.stage_stopped import StageStopped, stop_when

RESULT_FILE = "result.json"
PROGRAM_FOLDER = "program"

MOST_BUILT = SnapshotCaps(total_bytes=128 << 20, file_bytes=128 << 20)
"""What a build may write: more is a failed build. No program of a task comes near."""

NOT_NEEDED = BuildResult(needed=False, ok=True)


@dataclass(frozen=True, slots=True)
class GradingBench:
    """What grading works with. `store` keeps bytes and returns their digest; `builds` is the
    folder of builds, of which `most_builds` are kept; `cancelled` is polled while programs run.

    `remembers` says whether a build may be used again, and one from earlier be used.
    """

    sandbox: Sandbox
    runtime: LanguageRuntime
    store: Callable[[bytes], str]
    builds: Path
    cancelled: Callable[[], bool]
    remembers: bool = True
    most_builds: int = MOST_BUILDS


class _BrokenOff(Exception):
    """A limit ended the build, which may only have been unlucky: its result counts once."""

    def __init__(self, result: BuildResult) -> None:
        super().__init__(result.outcome)
        self.result = result


@contextmanager
def build_once(
    bench: GradingBench, sources: Path, content: str, wall_s: float
) -> Generator[tuple[BuildResult, Path | None]]:
    """The result of building `sources`, and the folder with the program where there is one.

    The folder stays within the block. `content` names what is in `sources`: equal content,
    toolchain, step and limit are built only once on a machine, as long as the bench remembers
    and the compiler ended by itself. Raises Infrastructure and StageStopped.
    """
    step = bench.runtime.definition.build
    if step is None:
        yield NOT_NEEDED, None
        return
    key = _key(bench.runtime, step, content, wall_s)
    folder = bench.builds / (key if bench.remembers else f"once-{secrets.token_hex(16)}")
    with ExitStack() as stack:
        if not bench.remembers:
            stack.callback(forget, folder)
        make = hold_once(
            folder, lambda draft: _build(bench, step, sources, wall_s, draft), bench.cancelled
        )
        try:
            was_there = stack.enter_context(make)
        except _BrokenOff as end:
            yield end.result, None
            return
        if not was_there:
            keep_within_caps(bench.builds, most_builds=bench.most_builds)
        result = BuildResult.model_validate_json((folder / RESULT_FILE).read_bytes())
        program = folder / PROGRAM_FOLDER if result.ok else None
        yield result.model_copy(update={"cached": was_there}), program


def _key(runtime: LanguageRuntime, step: BuildStep, content: str, wall_s: float) -> str:
    parts = [runtime.identity, str(runtime.tool), step.model_dump(mode="json"), content]
    return digest_of([*parts, str(wall_s)]).removeprefix("sha256:")


def _build(bench: GradingBench, step: BuildStep, sources: Path, wall_s: float, draft: Path) -> None:
    with compile_sources(
        bench.sandbox, bench.runtime, step, sources, wall_s, bench.cancelled
    ) as compiled:
        result = build_result(compiled.outcome, bench)
        if compiled.outcome.ending is not Ending.exited:
            raise _BrokenOff(result)
        if result.ok and not _take_out(compiled.folder, draft / PROGRAM_FOLDER, bench.cancelled):
            result = result.model_copy(update={"ok": False, "outcome": CheckOutcome.BUILD_FAILED})
    (draft / RESULT_FILE).write_text(result.model_dump_json(), encoding="utf-8")
    note_size(draft)


def _take_out(built: Path, target: Path, cancelled: Callable[[], bool]) -> bool:
    """Copy what a build wrote as carefully as a workspace; false where it is too large."""
    try:
        careful_copy(built, target, MOST_BUILT, stop_when(cancelled))
    except WorkspaceOverLimit:
        return False
    return True


def build_result(
    outcome: SandboxOutcome, bench: GradingBench, *, keeps_output: bool = True
) -> BuildResult:
    """What the end of a compiler says. Raises Infrastructure; StageStopped where it was stopped."""
    if outcome.ending is Ending.cancelled:
        raise StageStopped("the build was stopped from outside.")
    decided = build_outcome(outcome.ending, outcome.exit_code, outcome.infrastructure)
    if isinstance(decided, VoidCategory):
        raise Infrastructure(decided, f"the build could not run: {'; '.join(outcome.notes)}")
    return BuildResult(
        needed=True,
        ok=decided is CheckOutcome.PASSED,
        outcome=decided,
        evidence=evidence_of(outcome, "", bench.store, keeps_output=keeps_output),
    )
