"""A sandboxed shell on one workspace, with one budget for everything that runs in it."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pydantic import JsonValue

from models.canonical import with_canonical_form
from models.clock import Clock
from models.errors import Infrastructure
from models.schemas.campaign import CampaignLimits
from models.schemas.task import TaskLimits
from models.schemas.transcript import StepKind, TranscriptStep
from models.verdicts import StopReason
from workers.languages.language_runtime import CACHE_AT, WORK_AT, LanguageRuntime
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.sandbox.door import Door
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import MEBIBYTE, Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Sandbox, Workspace
from workers.stage_stopped import StageStopped

SHELL = ("/bin/sh", "-c")
SHOWN_OUTPUT = 4_000
MOST_FILES = 20_000
CACHE_MB = 1_024

STOPPED_BY: dict[Ending, StopReason] = {
    Ending.wall_timeout: StopReason.WALL_BUDGET,
    Ending.cpu_timeout: StopReason.CPU_BUDGET,
    Ending.memory: StopReason.MEMORY_BUDGET,
    Ending.output_limit: StopReason.OUTPUT_BUDGET,
    Ending.disk_limit: StopReason.DISK_BUDGET,
}
"""The budget that each forced ending used up."""

KEYS_OF_RUNS = SecretsFilter()


@dataclass(frozen=True, slots=True)
class AgentWorkplace:
    """Where an agent's programs run: the sandbox, its workspaces, the language's tools."""

    sandbox: Sandbox
    workspace: Workspace
    cache: Workspace | None
    runtime: LanguageRuntime

    def mounts(self) -> tuple[Mount, ...]:
        """The workspace at /work, the tools, and a compile cache of its own."""
        cache = () if self.cache is None else (self.cache.mount(CACHE_AT),)
        return (*self.runtime.mounts, self.workspace.mount(WORK_AT), *cache)


def agent_limits(task: TaskLimits, campaign: CampaignLimits, runtime: LanguageRuntime) -> Limits:
    """The campaign's limits where it sets any, else the task's; time times the language's factor.

    The processor may be used by several processes at once, so its limit is a multiple. A compile
    cache needs room beside the workspace, which is held to its own limit when it is frozen.
    """
    wall_s = (campaign.agent_wall_s or task.agent_wall_s) * runtime.definition.limit_factor
    cache_mb, cache_files = (0, 0) if runtime.cache is None else (CACHE_MB, MOST_FILES)
    return Limits(
        wall_s=wall_s,
        cpu_s=wall_s * 8,
        memory_bytes=(campaign.agent_memory_mb or task.memory_mb) * MEBIBYTE,
        processes=campaign.agent_processes,
        output_bytes=campaign.agent_output_mb * MEBIBYTE,
        disk_bytes=(campaign.workspace_mb + cache_mb) * MEBIBYTE,
        files=MOST_FILES + cache_files,
    )


class AgentShell:
    """Runs programs one after the other. The wall clock and the output are budgets for all of
    them together, and start with the first. Keeps the transcript: every step in one order."""

    def __init__(
        self,
        workplace: AgentWorkplace,
        limits: Limits,
        cancelled: Callable[[], bool],
        clock: Clock,
        store: Callable[[bytes], str],
    ) -> None:
        self._workplace = workplace
        self._limits = limits
        self.cancelled = cancelled
        self._clock = clock
        self._store = store
        self._began = clock.monotonic()
        self._excused_s = 0.0
        self._printed = 0
        self._door: Door | None = None
        self._steps: list[TranscriptStep] = []
        self._listener: Callable[[TranscriptStep, float], None] | None = None
        self.begun = False
        """Whether anything of the agent may have run."""
        self.cpu_s = 0.0
        self.peak_memory_bytes: int | None = None

    @property
    def steps(self) -> tuple[TranscriptStep, ...]:
        """Every step so far, in order."""
        return tuple(self._steps)

    @property
    def at(self) -> float:
        """The seconds since the stage began, as steps tell them."""
        return self._clock.monotonic() - self._began

    @property
    def used_s(self) -> float:
        """What is used of the wall clock's budget."""
        return self.at - self._excused_s

    @property
    def left_s(self) -> float:
        """What is left of the wall clock's budget; not above 0 where it is used up."""
        return self._limits.wall_s - self.used_s

    @property
    def left_output(self) -> int:
        """How many bytes may still be printed."""
        return self._limits.output_bytes - self._printed

    def lower_wall(self, wall_s: float) -> None:
        """Let everything together take no longer than `wall_s` from the beginning."""
        self._limits = replace(self._limits, wall_s=min(self._limits.wall_s, wall_s))

    def excuse(self, seconds: float) -> None:
        """The clock stood still for so long: what passed was not the agent's doing."""
        self._excused_s += seconds

    @contextmanager
    def way_out(self, door: Door) -> Generator[None]:
        """Programs that are run within the block have `door`, all others none."""
        self._door = door
        try:
            yield
        finally:
            self._door = None

    def tell(self, listener: Callable[[TranscriptStep, float], None]) -> None:
        """Let `listener` hear of every step as it is noted, and how many seconds ago it was."""
        self._listener = listener

    def refuse_stopped(self) -> None:
        """Raises StageStopped when the stage is to end at once."""
        if self.cancelled():
            raise StageStopped("the agent stage was stopped from outside.")

    def note(
        self,
        kind: StepKind,
        text: str,
        *,
        output: bytes = b"",
        exit_code: int | None = None,
        data: dict[str, JsonValue] | None = None,
        at: float | None = None,
    ) -> None:
        """Add a step to the transcript that no program of the sandbox was run for; without `at`,
        it is now."""
        self._note(kind, text, self.at if at is None else at, output, exit_code, data or {})

    def run(
        self,
        argv: tuple[str, ...],
        *,
        shown: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        mounts: tuple[Mount, ...] = (),
        most_s: float | None = None,
    ) -> SandboxOutcome:
        """Run one program in the workspace, for `most_s` at most, and note it as `shown`.

        An exhausted budget is an outcome like any other. Raises Infrastructure where the farm
        failed, StageStopped when the stage is to end at once.
        """
        at = self.at
        outcome = self._execute(self._request(argv, stdin, env or {}, mounts, most_s))
        data: dict[str, JsonValue] = {
            "ending": str(outcome.ending),
            "wall_s": round(outcome.wall_s, 3),
        }
        if argv != (*SHELL, shown):
            data["argv"] = list(argv)
        output = outcome.stdout + outcome.stderr
        self._note("command", shown, at, output, outcome.exit_code, data)
        return outcome

    def quietly(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", most_s: float | None = None
    ) -> SandboxOutcome:
        """Run one program that is part of a step which the caller notes. Raises as `run`."""
        return self._execute(self._request(argv, stdin, {}, (), most_s))

    def _execute(self, request: SandboxRequest) -> SandboxOutcome:
        before, self.begun = self.begun, True
        outcome = self._workplace.sandbox.run(request)
        if request.door is not None:
            self.excuse(request.door.paused_s())
        self.begun = before or outcome.may_have_begun
        if outcome.ending is Ending.cancelled:
            raise StageStopped("the agent stage was stopped from outside.")
        if outcome.ending is Ending.infrastructure:
            detail = "; ".join(outcome.notes)
            raise Infrastructure(outcome.infrastructure or "unknown", f"the sandbox: {detail}")
        self._printed += len(outcome.stdout) + len(outcome.stderr)
        self.cpu_s += outcome.cpu_s
        peaks = [p for p in (self.peak_memory_bytes, outcome.peak_memory_bytes) if p is not None]
        self.peak_memory_bytes = max(peaks, default=None)
        # A program may print the key of its run; it is no part of what anybody looks at.
        return replace(
            outcome,
            stdout=KEYS_OF_RUNS.clean(outcome.stdout),
            stderr=KEYS_OF_RUNS.clean(outcome.stderr),
        )

    def _request(
        self,
        argv: tuple[str, ...],
        stdin: bytes,
        env: Mapping[str, str],
        mounts: tuple[Mount, ...],
        most_s: float | None,
    ) -> SandboxRequest:
        runtime = self._workplace.runtime
        left_s = self.left_s if most_s is None else min(self.left_s, most_s)
        return SandboxRequest(
            argv=argv,
            stdin=stdin,
            env={**runtime.fill(runtime.definition.test).env, **env},
            mounts=(*self._workplace.mounts(), *mounts),
            workdir=WORK_AT,
            limits=replace(
                self._limits,
                wall_s=max(0.01, left_s),
                output_bytes=max(1, self.left_output),
            ),
            cancelled=self.cancelled,
            door=self._door,
        )

    def _note(
        self,
        kind: StepKind,
        text: str,
        at: float,
        output: bytes,
        exit_code: int | None,
        data: dict[str, JsonValue],
    ) -> None:
        # Programs and models write what no JSON can hold: their transcript is kept all the same.
        if long := len(output) > SHOWN_OUTPUT:
            data = {**data, "output_bytes": len(output)}
        step = TranscriptStep(
            number=len(self._steps) + 1,
            at=round(at, 3),
            kind=kind,
            text=with_canonical_form(text),
            exit_code=exit_code,
            output=output[:SHOWN_OUTPUT].decode("utf-8", "replace"),
            output_artifact=self._store(output) if long else "",
            data=with_canonical_form(data),
        )
        self._steps.append(step)
        if self._listener is not None:
            self._listener(step, self.at - at)
