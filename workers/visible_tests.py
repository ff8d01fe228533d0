"""The visible tests of a task, asked of a workspace by the farm while its agent waits."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from models.clock import Clock
from models.errors import Infrastructure
from models.schemas.snapshot import SnapshotManifest
from models.schemas.task import PublicHalf
from workers.agents.agent_shell import AgentShell, AgentWorkplace
from workers.agents.developer_tests import TestedState
from workers.checks.protected_files import restore_protected
from workers.freezing.freeze import freeze
from workers.freezing.materialise import materialise
from workers.freezing.pack_file import open_pack
from workers.freezing.snapshot_caps import SnapshotCaps, WorkspaceOverLimit
from workers.languages.language_runtime import CACHE_AT, WORK_AT
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import MEBIBYTE, Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Workspace
from workers.stage_stopped import StageStopped, stop_when

MOST_OUTPUT = MEBIBYTE
WALL, CPU = 4.0, 2.0
"""Times the seconds that a task allows for its build."""
FREE_S = 60.0
OVER_LIMIT = TestedState("", green=False, output="the workspace is over its limit")


class VisibleTests:
    """Runs the developer test command on copies of the workspace, in which the task's own test
    files are back where they were. Meanwhile the clock of `shell` stands still: for FREE_S, and
    beyond that no longer than the agent worked, since tests can be made to hang."""

    def __init__(
        self,
        workplace: AgentWorkplace,
        public: PublicHalf,
        limits: Limits,
        shell: AgentShell,
        clock: Clock,
    ) -> None:
        runtime = workplace.runtime
        self._workplace = workplace
        self._public = public
        self._cancelled = shell.cancelled
        self._shell = shell
        self._caps = SnapshotCaps(total_bytes=limits.disk_bytes, file_bytes=limits.disk_bytes)
        # Building is most of it. Processor time is the same on a machine that others keep busy.
        built_s = public.manifest.limits.build_wall_s * runtime.definition.limit_factor
        self._limits = replace(
            limits, wall_s=WALL * built_s, cpu_s=CPU * built_s, output_bytes=MOST_OUTPUT
        )
        self._asked: dict[str, TestedState] = {}
        self._clock = clock
        self.spent_s = 0.0

    @property
    def free_s(self) -> float:
        """Seconds of asking that the agent's clock still stands still for."""
        return FREE_S + self._shell.used_s - self.spent_s

    def state(self) -> str:
        """The name of what the workspace holds now; empty where it is over its limit."""
        with self._standing_still(), open_pack() as pack:
            manifest = self._frozen(pack)
            return "" if manifest is None else manifest.snapshot_id()

    def ask(self) -> TestedState:
        """The present state; one whose tests came to an end by themselves is not tested again.

        Raises Infrastructure where the farm failed, StageStopped when the stage is to end.
        """
        with self._standing_still(), open_pack() as pack:
            manifest = self._frozen(pack)
            if manifest is None:
                return OVER_LIMIT
            state = manifest.snapshot_id()
            if state not in self._asked:
                with TemporaryDirectory(prefix="gradefarm-tested-") as name:
                    sources = Path(name, "work")
                    pack.seek(0)
                    materialise(manifest, pack, sources, stop_when(self._cancelled))
                    tested = self._test(state, sources)
                if not tested.by_force:
                    self._asked[state] = tested
                return tested
            return self._asked[state]

    @contextmanager
    def _standing_still(self) -> Generator[None]:
        began, free_s = self._clock.monotonic(), max(0.0, self.free_s)
        try:
            yield
        finally:
            took_s = self._clock.monotonic() - began
            self.spent_s += took_s
            self._shell.excuse(min(took_s, free_s))

    def _frozen(self, pack: IO[bytes]) -> SnapshotManifest | None:
        folder = self._workplace.workspace.merged
        try:
            return freeze(folder, self._caps, pack, checkpoint=stop_when(self._cancelled))
        except WorkspaceOverLimit:
            return None

    def _test(self, state: str, sources: Path) -> TestedState:
        restore_protected(self._public.starter, sources, self._public.manifest.protected)
        sources.chmod(0o755)
        sandbox, cache = self._workplace.sandbox, self._workplace.runtime.cache
        with sandbox.fresh_workspace(sources) as workspace:
            if cache is None:
                outcome = self._run(workspace, ())
            else:
                with sandbox.fresh_workspace(cache) as copy:
                    outcome = self._run(workspace, (copy.mount(CACHE_AT),))
        ended = outcome.ending is Ending.exited
        green = ended and outcome.exit_code == 0
        return TestedState(state, green, _said(outcome), by_force=not ended)

    def _run(self, workspace: Workspace, cache: tuple[Mount, ...]) -> SandboxOutcome:
        runtime = self._workplace.runtime
        command = runtime.fill(runtime.definition.test)
        request = SandboxRequest(
            argv=command.argv,
            stdin=b"",
            env=command.env,
            mounts=(*runtime.mounts, workspace.mount(WORK_AT), *cache),
            workdir=WORK_AT,
            limits=self._limits,
            cancelled=self._cancelled,
        )
        outcome = self._workplace.sandbox.run(request)
        if outcome.ending is Ending.cancelled:
            raise StageStopped("the agent stage was stopped from outside.")
        if outcome.ending is Ending.infrastructure:
            detail = "; ".join(outcome.notes)
            raise Infrastructure(outcome.infrastructure or "unknown", f"the sandbox: {detail}")
        return outcome


def _said(outcome: SandboxOutcome) -> str:
    """What was printed, and how it ended where that is not told by an exit code."""
    text = (outcome.stdout + outcome.stderr).decode("utf-8", "replace")
    ended = f"exit code {outcome.exit_code}"
    if outcome.ending is not Ending.exited:
        ended = f"ended by force: {outcome.ending.value}"
    return f"{text.rstrip()}\n[{ended}]".lstrip()
