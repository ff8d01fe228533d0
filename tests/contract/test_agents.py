"""What every agent keeps to, whichever it is."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import JsonValue

from models.clock import SystemClock
from models.errors import FarmError
from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from models.schemas.task import SealedHalf
from models.storage.artifacts import FolderArtifacts
from models.verdicts import StopReason
from tasks_catalog.catalog import Catalog
from tasks_catalog.file_tree import read_files
from tests.conftest import miss
from tests.fakes.frozen_trees import freeze_tree
from workers.agents.adapter import AgentContext, AgentEnding
from workers.agents.agent_shell import AgentShell, AgentWorkplace, agent_limits
from workers.agents.registry import agent_for
from workers.freezing.snapshot_caps import SnapshotCaps
from workers.languages.language_runtime import LanguageRuntime
from workers.languages.preparation import prepare_language
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import select_sandbox
from workers.tree_copy import lay_over
from workers.visible_tests import VisibleTests

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2] / "tasks_catalog"
TASK, LANGUAGE = "circuit-breaker", "python"
AGENTS: dict[str, dict[str, JsonValue]] = {
    "idle": {},
    "reference": {},
    "subject": {"subject": "reference"},
    "stochastic": {"solve_probability": 0.5, "fail_with": "mixed"},
    "scripted": {"actions": ["echo one > note.txt", "false", "rm -rf tests", "mkdir -p a/b"]},
    "command": {"argv": ["sh", "-c", "cp {ticket_file} copy.md; echo done"]},
}


@dataclass
class Workplace:
    """One machine with a sandbox and Python, for as many runs as a test wants."""

    sandbox: Sandbox
    runtime: LanguageRuntime
    catalog: Catalog
    artifacts: FolderArtifacts

    def run(
        self, agent: str, settings: dict[str, JsonValue], repeat: int = 1, **limits: float
    ) -> tuple[AgentEnding, str]:
        """What the agent answered, and the snapshot of what it left."""
        order = self._order(agent, settings, repeat, CampaignLimits.model_validate(limits))
        adapter = agent_for(agent, settings)
        public = self.catalog.public_half(TASK, LANGUAGE)
        language = self.runtime.definition
        if not adapter.needs_shell:
            with tempfile.TemporaryDirectory() as name:
                lay_over(public.starter, Path(name))
                context = AgentContext(
                    order, public, language, Path(name), None, self._sealed, self.artifacts.get
                )
                return adapter.run(context), freeze_tree(Path(name), SnapshotCaps()).snapshot_id
        with self.sandbox.fresh_workspace(public.starter) as workspace:
            place = AgentWorkplace(self.sandbox, workspace, None, self.runtime)
            caps = agent_limits(public.manifest.limits, order.limits, self.runtime)
            shell = AgentShell(place, caps, lambda: False, SystemClock(), self.artifacts.put)
            tests = VisibleTests(place, public, caps, shell, lambda: False)
            context = AgentContext(
                order=order,
                public=public,
                language=language,
                folder=workspace.merged,
                shell=shell,
                sealed=self._sealed,
                artifact=self.artifacts.get,
                tests=tests,
            )
            return adapter.run(context), freeze_tree(workspace.merged, SnapshotCaps()).snapshot_id

    def _sealed(self) -> SealedHalf:
        return self.catalog.sealed_half(TASK, LANGUAGE)

    @staticmethod
    def _order(
        agent: str, settings: dict[str, JsonValue], repeat: int, limits: CampaignLimits
    ) -> RunOrder:
        return RunOrder(
            run_id=1,
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


@pytest.fixture(scope="module")
def workplace() -> Iterator[Workplace]:
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
        yield Workplace(sandbox, runtime, catalog, FolderArtifacts(scratch / "artifacts"))
    finally:
        sandbox.close()
        tempfile.tempdir = kept
        shutil.rmtree(scratch, ignore_errors=True)


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_an_agent_stops_and_says_why(workplace: Workplace, agent: str) -> None:
    ending, _ = workplace.run(agent, AGENTS[agent])
    assert ending.stop_reason in StopReason
    assert [step.number for step in ending.steps] == list(range(1, len(ending.steps) + 1))


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_two_runs_of_an_agent_start_from_the_same_ground(workplace: Workplace, agent: str) -> None:
    first, second = workplace.run(agent, AGENTS[agent]), workplace.run(agent, AGENTS[agent])
    assert first[1] == second[1]
    assert first[0].stop_reason is second[0].stop_reason


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_no_agent_touches_the_catalogue(workplace: Workplace, agent: str) -> None:
    before = read_files(ROOT / "bundled" / TASK)
    workplace.run(agent, AGENTS[agent])
    assert read_files(ROOT / "bundled" / TASK) == before


def test_what_one_command_leaves_outside_the_workspace_is_gone_for_the_next(
    workplace: Workplace,
) -> None:
    actions = [
        "echo x > /tmp/x; echo x > $HOME/y; (sleep 300 &); export LEFT=1",
        'test ! -e /tmp/x && test ! -e $HOME/y && test -z "$LEFT" && ! pgrep sleep; echo $?',
    ]
    ending, _ = workplace.run("scripted", {"actions": actions})
    assert ending.steps[1].output.strip() == "0"


def test_a_script_goes_on_after_a_failing_command(workplace: Workplace) -> None:
    ending, _ = workplace.run("scripted", {"actions": ["exit 3", "echo after"]})
    assert [step.exit_code for step in ending.steps] == [3, 0]
    assert ending.steps[1].output == "after\n"
    assert ending.stop_reason is StopReason.DONE


def test_the_wall_clock_is_one_budget_for_all_commands(workplace: Workplace) -> None:
    actions = ["sleep 0.7", "sleep 5", "echo never"]
    ending, _ = workplace.run("scripted", {"actions": actions}, agent_wall_s=1.5)
    assert ending.stop_reason is StopReason.WALL_BUDGET
    assert len(ending.steps) == 2


def test_an_output_flood_uses_up_its_budget(workplace: Workplace) -> None:
    ending, _ = workplace.run("command", {"argv": ["yes"]}, agent_output_mb=1)
    assert ending.stop_reason is StopReason.OUTPUT_BUDGET
    assert workplace.artifacts.has(ending.steps[0].output_artifact)


def test_a_command_that_fails_is_a_crashed_agent_that_left_something(workplace: Workplace) -> None:
    argv: list[JsonValue] = ["sh", "-c", "echo half > half.txt; exit 9"]
    ending, left = workplace.run("command", {"argv": argv})
    assert ending.stop_reason is StopReason.AGENT_CRASHED
    assert left != workplace.run("idle", {})[1]


def test_a_command_gets_the_ticket_on_its_standard_input(workplace: Workplace) -> None:
    ending, _ = workplace.run("command", {"argv": ["head", "-c", "40"], "ticket": "stdin"})
    ticket = workplace.catalog.public_half(TASK, LANGUAGE).ticket
    assert ending.steps[0].output == ticket[:40]


def test_neither_the_sealed_half_nor_the_network_is_there_for_a_command(
    workplace: Workplace,
) -> None:
    actions: list[JsonValue] = [
        f"ls {ROOT} /root 2>&1; wc -l < /proc/net/route",
        "find / -path /proc -prune -o -path /usr -prune -o -name 'hidden_checks*' -print 2>&1",
    ]
    ending, _ = workplace.run("scripted", {"actions": actions})
    assert ending.steps[0].output.count("No such file") == 2
    assert ending.steps[0].output.endswith("\n1\n")
    assert "hidden_checks" not in ending.steps[1].output


def test_the_stages_of_an_agent_do_not_depend_on_the_repeats_before(workplace: Workplace) -> None:
    alone = workplace.run("stochastic", AGENTS["stochastic"], repeat=7)
    for repeat in range(1, 4):
        workplace.run("stochastic", AGENTS["stochastic"], repeat=repeat)
    assert workplace.run("stochastic", AGENTS["stochastic"], repeat=7) == alone


def test_the_farm_asks_the_visible_tests_of_what_is_there_with_their_own_files(
    workplace: Workplace,
) -> None:
    public = workplace.catalog.public_half(TASK, LANGUAGE)
    with workplace.sandbox.fresh_workspace(public.starter) as workspace:
        place = AgentWorkplace(workplace.sandbox, workspace, None, workplace.runtime)
        caps = agent_limits(public.manifest.limits, CampaignLimits(), workplace.runtime)
        shell = AgentShell(place, caps, lambda: False, SystemClock(), workplace.artifacts.put)
        tests = VisibleTests(place, public, caps, shell, lambda: False)
        began, untouched = tests.state(), tests.ask()
        cheat = "echo 'exit 0' > run_tests.sh; rm -r tests; echo boom > breakerguard/breaker.py"
        shell.run(("sh", "-c", cheat), shown="cheat")
        cheated = tests.ask()
        lay_over(workplace.catalog.sealed_half(TASK, LANGUAGE).reference, workspace.merged)
        solved, again = tests.ask(), tests.ask()
        assert not (workspace.merged / "tests").exists()
        assert shell.used_s < 2
    # The starter of this task is green: its visible tests say little.
    assert (untouched.green, cheated.green, solved.green) == (True, False, True)
    assert untouched.state == began != solved.state
    assert "boom" in cheated.output
    assert again is solved
