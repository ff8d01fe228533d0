"""Makes languages ready on this machine, and says of those that can't be what is missing."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from models.canonical import digest_of
from models.errors import Infrastructure
from models.schemas.language import BuildStep, LanguageDefinition
from workers.languages.compilation import compile_sources
from workers.languages.folder_cache import make_once, make_readable, write_files
from workers.languages.language_runtime import (
    BUILD_AT,
    WORK_AT,
    LanguageRuntime,
    matching_folders,
    toolchain_mounts,
)
from workers.languages.mypy_folder import MYPY_AT, make_mypy_folder, mypy_place
from workers.languages.tool_location import MISSING, locate_toolchain
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Sandbox

WARMING_WALL_S = 900.0
PROBE_WALL_S = 60.0
PROBE_ANSWER = b"ready"


@dataclass(frozen=True, slots=True)
class ProvingGround:
    """Where languages are proved: the sandbox, the folder of what is made once, and the PATH on
    which tools are looked for."""

    sandbox: Sandbox
    scratch: Path
    search_path: str


@dataclass(frozen=True, slots=True)
class Unready:
    """A language that this machine can't serve: why, and what to do about it."""

    language: str
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Survey:
    """The languages of a machine by id: proved ones, those with tools that are still to be proved,
    in the order in which they are soonest ready, and those that can't be served."""

    ready: dict[str, LanguageRuntime]
    cold: dict[str, LanguageRuntime]
    unready: tuple[Unready, ...]


def survey_languages(
    definitions: Iterable[LanguageDefinition], ground: ProvingGround, *, leave_compiled: bool
) -> Survey:
    """Look at every definition, and prove what can be proved at once.

    Languages whose folders must be made first stay cold: that is a matter of a minute for some
    compilers. With `leave_compiled` all that have a compiler do: a second or two for each.
    """
    ready: dict[str, LanguageRuntime] = {}
    cold: dict[str, LanguageRuntime] = {}
    unready: list[Unready] = []
    for definition in definitions:
        try:
            runtime = bind_language(definition, ground.scratch, ground.search_path)
            if not runtime.is_warm or (leave_compiled and definition.build is not None):
                cold[definition.id] = runtime
                continue
            prove_language(runtime, ground.sandbox)
            ready[definition.id] = runtime
        except Infrastructure as error:
            unready.append(Unready(definition.id, error.message, error.remedy))
    soonest = sorted(cold.items(), key=lambda one: (not one[1].is_warm, one[1].cache is not None))
    return Survey(ready, dict(soonest), tuple(unready))


def prepare_language(
    definition: LanguageDefinition, sandbox: Sandbox, scratch: Path, search_path: str
) -> LanguageRuntime:
    """Find the tools, make what is made once, and prove it all with a program in the sandbox.

    Raises Infrastructure: toolchain_missing where the machine lacks something, or the
    category of a sandbox that could not run the proof.
    """
    runtime = bind_language(definition, scratch, search_path)
    warm_language(runtime, sandbox)
    prove_language(runtime, sandbox)
    return runtime


def bind_language(
    definition: LanguageDefinition, scratch: Path, search_path: str
) -> LanguageRuntime:
    """Find the tools, and say where the folders are that are made once; makes nothing.

    Raises Infrastructure (toolchain_missing) where the machine lacks something.
    """
    found = locate_toolchain(definition.id, definition.toolchain, search_path)
    tool, identity = found.tool, f"{definition.id} {found.versions}"
    bare = LanguageRuntime(
        definition,
        tool.path,
        tool.version,
        identity,
        mounts=(),
        stamp=tool.stamp,
        companions=found.companions,
    )
    patterns = [bare.fill_text(text) for text in definition.toolchain.mounts]
    runtime = replace(bare, mounts=toolchain_mounts(matching_folders(patterns)))
    for extra in definition.toolchain.extras:
        runtime = _with_extra(runtime, extra, scratch)
    if definition.build is not None and definition.build.warm_files:
        runtime = replace(runtime, cache=_cache_place(runtime, definition.build, scratch))
    return runtime


def warm_language(runtime: LanguageRuntime, sandbox: Sandbox) -> None:
    """Make what is missing of the folders that are made once. Raises Infrastructure."""
    for folder in runtime.extras:
        make_mypy_folder(folder)
    step, cache = runtime.definition.build, runtime.cache
    if step is not None and cache is not None:
        make_once(cache, lambda draft: _fill_cache(runtime, step, sandbox, draft))


def _with_extra(runtime: LanguageRuntime, extra: str, scratch: Path) -> LanguageRuntime:
    if extra != "mypy":
        raise Infrastructure(
            MISSING,
            f"{runtime.definition.id}: the farm brings no extra {extra!r}.",
            remedy="Take it out of toolchain.extras; known: mypy.",
        )
    folder, version = mypy_place(scratch, runtime.version)
    return replace(
        runtime,
        extras=(*runtime.extras, folder),
        mounts=(*runtime.mounts, Mount(folder, MYPY_AT, "ro")),
        identity=f"{runtime.identity} mypy {version}",
    )


def _cache_place(runtime: LanguageRuntime, step: BuildStep, scratch: Path) -> Path:
    key = digest_of([runtime.identity, str(runtime.tool), step.model_dump(mode="json")])
    name = f"{runtime.definition.id}-{key.removeprefix('sha256:')[:16]}"
    return scratch / "caches" / name


def _fill_cache(runtime: LanguageRuntime, step: BuildStep, sandbox: Sandbox, draft: Path) -> None:
    cold = replace(runtime, cache=None)
    with TemporaryDirectory(prefix="gradefarm-warm-") as sources:
        write_files(Path(sources), step.warm_files)
        with compile_sources(sandbox, cold, step, Path(sources), WARMING_WALL_S) as done:
            _demand_success(runtime, "warming the compile cache", done.outcome)
            shutil.copytree(done.cache, draft, dirs_exist_ok=True, symlinks=True)
            make_readable(draft)


def prove_language(runtime: LanguageRuntime, sandbox: Sandbox) -> None:
    """Build and run a program where judged code runs: nothing less proves a toolchain.

    Raises Infrastructure.
    """
    step = runtime.definition.build
    with TemporaryDirectory(prefix="gradefarm-probe-") as name:
        sources = Path(name)
        write_files(sources, runtime.definition.probe_files)
        if step is None:
            _run_probe(runtime, sandbox, (Mount(sources, WORK_AT, "ro"),))
            return
        with compile_sources(sandbox, runtime, step, sources, PROBE_WALL_S * 2) as done:
            _demand_success(runtime, "building the probe program", done.outcome)
            built = Mount(done.folder, BUILD_AT, "ro")
            _run_probe(runtime, sandbox, (Mount(sources, WORK_AT, "ro"), built))


def _run_probe(runtime: LanguageRuntime, sandbox: Sandbox, mounts: tuple[Mount, ...]) -> None:
    command = runtime.fill(runtime.definition.run)
    outcome = sandbox.run(
        SandboxRequest(
            argv=command.argv,
            stdin=b"",
            env=command.env,
            mounts=(*runtime.mounts, *mounts),
            workdir="/tmp",
            limits=Limits(PROBE_WALL_S, PROBE_WALL_S, 512 << 20, 128, 1 << 20, 64 << 20, 1_000),
        )
    )
    _demand_success(runtime, "running the probe program", outcome)
    if outcome.stdout.strip() != PROBE_ANSWER:
        raise Infrastructure(
            MISSING,
            f"{runtime.definition.id}: the probe program printed {outcome.stdout[:80]!r}.",
            remedy=runtime.definition.toolchain.remedy,
        )


def _demand_success(runtime: LanguageRuntime, action: str, outcome: SandboxOutcome) -> None:
    if outcome.ending is Ending.exited and outcome.exit_code == 0:
        return
    said = (outcome.stderr or outcome.stdout)[-300:].decode("utf-8", "replace").strip()
    notes = "; ".join(outcome.notes)
    raise Infrastructure(
        outcome.infrastructure or MISSING,
        f"{runtime.definition.id}: {action} with {runtime.tool} in the sandbox ended as "
        f"{outcome.ending} ({outcome.exit_code}): {said or notes or 'without a word'}",
        remedy=runtime.definition.toolchain.remedy
        + f" {runtime.prefix} must be readable for every user.",
    )
