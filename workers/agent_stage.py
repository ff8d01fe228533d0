"""The agent stage: a fresh workspace, the system at work, the state frozen as it was left."""

import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from models.canonical import canonical_bytes
from models.errors import Infrastructure
from models.schemas.agents import COUNTED_AGENTS
from models.schemas.attempt import AgentResult, Resources
from models.schemas.isolation_label import driver_of
from models.schemas.model_replies import ModelReplies
from models.schemas.run import RunOrder
from models.schemas.task import PublicHalf
from models.schemas.transcript import Transcript
from models.storage.elections import farm_epoch
from models.verdicts import StopReason, VoidCategory
from workers.agents.adapter import AgentAdapter, AgentContext, AgentEnding
from workers.agents.agent_shell import AgentShell, AgentWorkplace, agent_limits
from workers.agents.registry import agent_for
from workers.attempt_use import AgentWork
from workers.hands import Hands
from workers.languages.language_runtime import LanguageRuntime
from workers.model_grant import open_grant
from workers.run_recorder import RunRecorder
from workers.sandbox.unisolated import UnisolatedSandbox
from workers.snapshots import KeptSnapshot, keep_snapshot
from workers.stage_stopped import stop_when
from workers.tree_copy import lay_over
from workers.visible_tests import VisibleTests

STARTER_MB = 1_024


@dataclass(frozen=True)
class _Stage:
    """One agent stage: what it is given, before its system is."""

    hands: Hands
    order: RunOrder
    public: PublicHalf
    runtime: LanguageRuntime
    cancelled: Callable[[], bool]
    recorder: RunRecorder | None

    def context(self, stack: ExitStack, adapter: AgentAdapter) -> AgentContext:
        """What the system is given, as long as `stack` is open."""
        hands, order, shell, tests = self.hands, self.order, None, None
        if adapter.needs_shell:
            workplace = stack.enter_context(_workplace(hands, self.public, self.runtime))
            limits = agent_limits(self.public.manifest.limits, order.limits, self.runtime)
            shell = AgentShell(workplace, limits, self.cancelled, hands.clock, hands.artifacts.put)
            if self.recorder is not None:
                shell.tell(self.recorder.step)
            tests = VisibleTests(workplace, self.public, limits, shell, hands.clock)
            folder = workplace.workspace.merged
        else:
            folder = stack.enter_context(_plain_folder(self.public.starter))
        return AgentContext(
            order=order,
            public=self.public,
            language=self.runtime.definition,
            folder=folder,
            shell=shell,
            sealed=lambda: hands.catalog.sealed_half(order.task, order.language),
            artifact=hands.artifacts.get,
            tests=tests,
        )


def work_on(
    hands: Hands, order: RunOrder, cancelled: Callable[[], bool], work: AgentWork
) -> AgentResult:
    """Let the system of `order` work, and keep what it left and what it did; note in `work`, also
    where this raises, whether it began and what it used.

    Raises Infrastructure, StageStopped, and other FarmErrors where the catalogue is at fault.
    """
    runtime = runtime_for(hands, order)
    refuse_other_material(hands, order)
    public = hands.catalog.public_half(order.task, order.language)
    adapter = agent_for(order.system.agent, order.system.settings)
    began = hands.clock.monotonic()
    leftovers = runtime.definition.leftovers
    with ExitStack() as stack:
        context = _Stage(hands, order, public, runtime, cancelled, work.recorder).context(
            stack, adapter
        )
        ending = _let_work(hands, adapter, context, work)
        size, checkpoint = order.limits.workspace_mb, stop_when(cancelled)
        kept = keep_snapshot(context.folder, size, hands.artifacts, leftovers, checkpoint)
    untouched = keep_starter(hands, order, public.starter, leftovers, afresh=kept is None)
    refuse_what_changed_meanwhile(hands, order, runtime)
    if kept is None:
        # Nothing of an oversized workspace can be kept: what is graded is the starter.
        ending = replace(ending, stop_reason=StopReason.WORKSPACE_OVER_LIMIT)
    result = AgentResult(
        stop_reason=ending.stop_reason,
        snapshot=(kept or untouched).artifact,
        transcript=hands.artifacts.put(_transcript(order, ending)),
        changed=kept is None or kept.delivery != untouched.delivery,
        resources=_resources(hands.clock.monotonic() - began, context.shell),
        toolchain=runtime.identity,
        isolation=hands.plan.isolation,
        cost_microusd=ending.cost_microusd,
        tokens=ending.tokens,
        replies=_replies(order, ending),
    )
    if work.recorder is None:
        return result
    return result.model_copy(update={"record": work.recorder.close_stage(result, ending.steps)})


def _let_work(
    hands: Hands, adapter: AgentAdapter, context: AgentContext, work: AgentWork
) -> AgentEnding:
    try:
        if (needs := adapter.model_needs) is None:
            return adapter.run(context)
        with hands.database.read() as session:
            farm = farm_epoch(session)
        own_network = driver_of(hands.plan.isolation) != UnisolatedSandbox.name
        with open_grant(
            hands.gateway, context.order, needs, work, farm=farm, own_network=own_network
        ) as grant:
            assert context.shell is not None, "whoever asks a model has a shell"
            return grant.settle(adapter.run(replace(context, model=grant.access)), context.shell)
    finally:
        work.begun = work.begun or (context.shell is not None and context.shell.begun)


def _resources(wall_s: float, shell: AgentShell | None) -> Resources:
    return Resources(
        wall_s=round(wall_s, 4),
        cpu_s=0.0 if shell is None else round(shell.cpu_s, 4),
        peak_memory_bytes=None if shell is None else shell.peak_memory_bytes,
    )


def runtime_for(hands: Hands, order: RunOrder) -> LanguageRuntime:
    """The language of `order`, ready on this machine. Raises Infrastructure where it isn't."""
    runtime = hands.plan.runtime(order.language)
    if runtime is None:
        raise Infrastructure(
            VoidCategory.TOOLCHAIN_MISSING,
            f"{hands.plan.name} has no toolchain for {order.language}.",
            remedy="Restart the worker after installing it; `gradefarm worker --probe` tells more.",
        )
    runtime.refuse_other_tool()
    return runtime


def refuse_other_material(hands: Hands, order: RunOrder) -> None:
    """Raises Infrastructure where this machine's catalogue is not the one that was planned for.

    What can be compared is: the public half everywhere, and the whole universe, which decides
    what sealed agents do and how all are graded, wherever the sealed half is held.
    """
    catalog, variant = hands.catalog, (order.task, order.language)
    whole = catalog.variant(*variant) if catalog.holds_sealed(order.task) else None
    if whole is not None and whole.universe == order.universe:
        return
    held = catalog.public_digest(*variant) if whole is None else whole.public_digest
    planned, what = order.public_digest, "the public half"
    if held == planned:
        if whole is None:
            return
        held, planned, what = whole.universe, order.universe, "the universe"
    raise Infrastructure(
        VoidCategory.MANIFEST_MISMATCH,
        f"{order.task}/{order.language}: planned with {what} {planned[:19]}, "
        f"but {hands.plan.name} holds {held[:19]}.",
        remedy="Give every worker the same catalogue, or start a new campaign.",
    )


def refuse_what_changed_meanwhile(hands: Hands, order: RunOrder, runtime: LanguageRuntime) -> None:
    """Raises Infrastructure where tools or catalogue were exchanged while a stage used them."""
    runtime.refuse_other_tool()
    refuse_other_material(hands, order)


@contextmanager
def _workplace(
    hands: Hands, public: PublicHalf, runtime: LanguageRuntime
) -> Generator[AgentWorkplace]:
    with ExitStack() as stack:
        workspace = stack.enter_context(hands.sandbox.fresh_workspace(public.starter))
        cache = None
        if runtime.cache is not None:
            cache = stack.enter_context(hands.sandbox.fresh_workspace(runtime.cache))
        yield AgentWorkplace(hands.sandbox, workspace, cache, runtime)


@contextmanager
def _plain_folder(starter: Path) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="gradefarm-subject-") as name:
        lay_over(starter, Path(name))
        yield Path(name)


def keep_starter(
    hands: Hands,
    order: RunOrder,
    starter: Path,
    leftovers: tuple[str, ...],
    *,
    afresh: bool = False,
) -> KeptSnapshot:
    """Keep the untouched starter as a snapshot; done once for each.

    `afresh` where it is what is graded: it may have been pruned while nothing named it.
    """
    kept = hands.starters.get(order.public_digest)
    if kept is None or afresh:
        kept = keep_snapshot(starter, STARTER_MB, hands.artifacts, leftovers)
        if kept is None:
            raise Infrastructure(
                VoidCategory.GRADER,
                f"{starter} is larger than {STARTER_MB} MiB.",
                remedy="Make the starter smaller.",
            )
        hands.starters[order.public_digest] = kept
    return kept


def _replies(order: RunOrder, ending: AgentEnding) -> ModelReplies | None:
    told_by = COUNTED_AGENTS.get(order.system.agent)
    if told_by is None:
        return None
    return ModelReplies(
        told_by=told_by,
        fates=None if ending.fates is None else dict(ending.fates),
        measured=ending.measured,
        first_solved_turn=ending.first_solved_turn,
        noticed=ending.stop_reason in (StopReason.DONE, StopReason.DONE_GATE),
    )


def _transcript(order: RunOrder, ending: AgentEnding) -> bytes:
    transcript = Transcript(
        run_id=order.run_id,
        attempt_number=order.attempt_number,
        system=order.system.name,
        agent=order.system.agent,
        task=order.task,
        language=order.language,
        repeat=order.repeat,
        steps=ending.steps,
        stop_reason=ending.stop_reason,
        fates=None if ending.fates is None else dict(ending.fates),
        first_solved_turn=ending.first_solved_turn,
        measured=ending.measured,
    )
    return canonical_bytes(transcript.model_dump(mode="json"))
