"""One machine with a sandbox, Python, and a gateway before a local model server, for agents."""

import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import JsonValue

from models.clock import SystemClock
from models.errors import FarmError
from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from models.schemas.task import SealedHalf
from models.schemas.transcript import Transcript
from models.storage.artifacts import FolderArtifacts
from tasks_catalog.catalog import Catalog
from tests.conftest import miss
from tests.fakes.frozen_trees import freeze_tree
from tests.fakes.model_server import ModelServer, model_server
from tests.fakes.running_gateway import RunningGateway, gateway_toml, running_gateway
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import AgentShell, AgentWorkplace, agent_limits
from workers.agents.registry import agent_for
from workers.attempt_use import AgentWork
from workers.freezing.snapshot_caps import SnapshotCaps
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import prepare_language
from workers.model_grant import open_grant
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox
from workers.tree_copy import lay_over
from workers.visible_tests import VisibleTests

ROOT = Path(__file__).resolve().parents[2] / "tasks_catalog"
TASK, LANGUAGE = "circuit-breaker", "python"
DROPPED = """
drop = ["metadata", "context_management", "output_config", "client_metadata", "prompt_cache_key"]
"""
"""What command-line agents say of themselves, which no gateway lets through."""


@dataclass
class Ran:
    """What an agent answered, the snapshot of what it left, and what its worker knew of its use."""

    ending: AgentEnding
    left: str
    files: dict[str, bytes]
    work: AgentWork


@dataclass
class Workplace:
    """One machine, for as many runs as a test wants."""

    sandbox: Sandbox
    runtime: LanguageRuntime
    catalog: Catalog
    artifacts: FolderArtifacts
    server: ModelServer
    gateway: RunningGateway
    works: list[AgentWork] = field(default_factory=list[AgentWork])
    runs: int = 0

    def run(
        self,
        agent: str,
        settings: dict[str, JsonValue],
        repeat: int = 1,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        **limits: object,
    ) -> Ran:
        """Let an agent work, the way a stage does it."""
        self.runs += 1
        order = self.order(agent, settings, repeat, CampaignLimits.model_validate(limits))
        adapter = agent_for(agent, settings)
        work = AgentWork()
        self.works.append(work)
        with ExitStack() as stack:
            context = self._context(stack, order, cancelled, shell=adapter.needs_shell)
            if (needs := adapter.model_needs) is not None:
                grant = stack.enter_context(
                    open_grant(self.gateway.access, order, needs, work, farm="bench")
                )
                assert context.shell is not None
                ran = adapter.run(replace(context, model=grant.access))
                ending = grant.settle(ran, context.shell)
            else:
                ending = adapter.run(context)
            files = {
                path.relative_to(context.folder).as_posix(): path.read_bytes()
                for path in context.folder.rglob("*")
                if path.is_file() and not path.is_symlink()
            }
            left = freeze_tree(context.folder, SnapshotCaps()).snapshot_id
        return Ran(ending, left, files, work)

    def _context(
        self, stack: ExitStack, order: RunOrder, cancelled: Callable[[], bool], *, shell: bool
    ) -> AgentContext:
        public = self.catalog.public_half(TASK, LANGUAGE)
        language, sealed = self.runtime.definition, self._sealed
        if not shell:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            lay_over(public.starter, folder)
            return AgentContext(order, public, language, folder, None, sealed, self.artifacts.get)
        workspace = stack.enter_context(self.sandbox.fresh_workspace(public.starter))
        place = AgentWorkplace(self.sandbox, workspace, None, self.runtime)
        caps = agent_limits(public.manifest.limits, order.limits, self.runtime)
        hands = AgentShell(place, caps, cancelled, SystemClock(), self.artifacts.put)
        return AgentContext(
            order=order,
            public=public,
            language=language,
            folder=workspace.merged,
            shell=hands,
            sealed=sealed,
            artifact=self.artifacts.get,
            tests=VisibleTests(place, public, caps, hands, SystemClock()),
        )

    def record(self, agent: str, ran: Ran) -> str:
        """Keep what an agent did as a transcript; its digest."""
        ending = ran.ending
        told = Transcript(
            run_id=self.runs,
            attempt_number=1,
            system="x",
            agent=agent,
            task=TASK,
            language=LANGUAGE,
            repeat=1,
            steps=ending.steps,
            stop_reason=ending.stop_reason,
            fates=None if ending.fates is None else dict(ending.fates),
            first_solved_turn=ending.first_solved_turn,
            measured=ending.measured,
        )
        return self.artifacts.put(told.model_dump_json().encode())

    def _sealed(self) -> SealedHalf:
        return self.catalog.sealed_half(TASK, LANGUAGE)

    def order(
        self, agent: str, settings: dict[str, JsonValue], repeat: int, limits: CampaignLimits
    ) -> RunOrder:
        return RunOrder(
            run_id=self.runs,
            campaign_id="c-1",
            stage=Stage.AGENT,
            token=1,
            attempt_id=1,
            attempt_number=1,
            system=SystemSpec(name="x", agent=agent, settings=settings),
            task=TASK,
            language=LANGUAGE,
            repeat=repeat,
            universe="sha256:" + "0" * 64,
            public_digest="sha256:" + "1" * 64,
            limits=limits,
        )


@contextmanager
def agent_workplace() -> Generator[Workplace]:
    """A machine that is gone afterwards."""
    scratch = Path(tempfile.mkdtemp(prefix="gradefarm-agents-", dir="/var/tmp"))
    scratch.chmod(0o755)
    kept = tempfile.tempdir
    (scratch / "tmp").mkdir()
    tempfile.tempdir = str(scratch / "tmp")
    try:
        sandbox = select_sandbox(scratch)
    except FarmError:
        miss("a sandbox (bubblewrap)")
    catalog = Catalog(ROOT / "bundled", ROOT / "bundled", ROOT / "languages")
    try:
        runtime = prepare_language(catalog.language(LANGUAGE), sandbox, scratch, "/usr/bin")
        with model_server() as server:
            toml = gateway_toml(server, provider="patience_s = 6", model=DROPPED)
            with running_gateway(scratch / "farm", toml) as gateway:
                artifacts = FolderArtifacts(scratch / "artifacts")
                yield Workplace(sandbox, runtime, catalog, artifacts, server, gateway)
    finally:
        sandbox.close()
        tempfile.tempdir = kept
        shutil.rmtree(scratch, ignore_errors=True)
