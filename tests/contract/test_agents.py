"""What every agent keeps to, whichever it is."""

from collections.abc import Iterator

import pytest
from pydantic import JsonValue

from models.clock import SystemClock
from models.schemas.agents import AGENT_SETTINGS
from models.schemas.campaign import CampaignLimits
from models.verdicts import StopReason
from tasks_catalog.file_tree import read_files
from tests.contract.agent_bench import LANGUAGE, ROOT, TASK, Ran, Workplace, agent_workplace
from tests.fakes.model_server import by_turn
from tests.fakes.model_wires import Reply
from tests.fakes.running_gateway import CHAT
from workers.agents.agent_shell import AgentShell, AgentWorkplace, agent_limits
from workers.tree_copy import lay_over
from workers.visible_tests import VisibleTests

pytestmark = pytest.mark.real

AGENTS: dict[str, dict[str, JsonValue]] = {
    "idle": {},
    "reference": {},
    "subject": {"subject": "reference"},
    "stochastic": {"solve_probability": 0.5, "fail_with": "mixed"},
    "scripted": {"actions": ["echo one > note.txt", "false", "rm -rf tests", "mkdir -p a/b"]},
    "command": {"argv": ["sh", "-c", "cp {ticket_file} copy.md; echo done"]},
    "chat": {"model": CHAT},
    "preset": {"preset": "codex", "model": CHAT, "program": "/bin/true"},
    "replay": {"recordings": []},
}
TALK = (
    Reply("```write note.txt\none\n```"),
    Reply("```edit note.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```"),
    Reply("I am lost."),
    Reply("```shell\ncat note.txt; ls nowhere\n```"),
    Reply("```done\n```"),
)


@pytest.fixture(scope="module")
def workplace() -> Iterator[Workplace]:
    with agent_workplace() as place:
        place.server.script = by_turn(*TALK)
        recorded = place.record("chat", place.run("chat", AGENTS["chat"]))
        AGENTS["replay"] = {"recordings": [recorded]}
        yield place


def test_the_suite_knows_every_agent() -> None:
    assert set(AGENTS) == set(AGENT_SETTINGS)


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_an_agent_stops_and_says_why(workplace: Workplace, agent: str) -> None:
    ending = workplace.run(agent, AGENTS[agent]).ending
    assert ending.stop_reason in StopReason
    assert [step.number for step in ending.steps] == list(range(1, len(ending.steps) + 1))


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_two_runs_of_an_agent_start_from_the_same_ground(workplace: Workplace, agent: str) -> None:
    first, second = workplace.run(agent, AGENTS[agent]), workplace.run(agent, AGENTS[agent])
    assert first.left == second.left
    assert _story(first) == _story(second)


def _story(ran: Ran) -> list[tuple[str, str, int | None]]:
    """What was done, without outputs, in which there may be times."""
    return [(one.kind, one.text, one.exit_code) for one in ran.ending.steps]


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
    ending = workplace.run("scripted", {"actions": actions}).ending
    assert ending.steps[1].output.strip() == "0"


def test_a_script_goes_on_after_a_failing_command(workplace: Workplace) -> None:
    ending = workplace.run("scripted", {"actions": ["exit 3", "echo after"]}).ending
    assert [step.exit_code for step in ending.steps] == [3, 0]
    assert ending.steps[1].output == "after\n"
    assert ending.stop_reason is StopReason.DONE


def test_the_wall_clock_is_one_budget_for_all_commands(workplace: Workplace) -> None:
    actions = ["sleep 0.7", "sleep 5", "echo never"]
    ending = workplace.run("scripted", {"actions": actions}, agent_wall_s=1.5).ending
    assert ending.stop_reason is StopReason.WALL_BUDGET
    assert len(ending.steps) == 2


def test_an_output_flood_uses_up_its_budget(workplace: Workplace) -> None:
    ending = workplace.run("command", {"argv": ["yes"]}, agent_output_mb=1).ending
    assert ending.stop_reason is StopReason.OUTPUT_BUDGET
    assert workplace.artifacts.has(ending.steps[0].output_artifact)


def test_a_command_that_fails_is_a_crashed_agent_that_left_something(workplace: Workplace) -> None:
    argv: list[JsonValue] = ["sh", "-c", "echo half > half.txt; exit 9"]
    ran = workplace.run("command", {"argv": argv})
    assert ran.ending.stop_reason is StopReason.AGENT_CRASHED
    assert ran.left != workplace.run("idle", {}).left


def test_a_command_gets_the_ticket_on_its_standard_input(workplace: Workplace) -> None:
    ending = workplace.run("command", {"argv": ["head", "-c", "40"], "ticket": "stdin"}).ending
    ticket = workplace.catalog.public_half(TASK, LANGUAGE).ticket
    assert ending.steps[0].output == ticket[:40]


def test_neither_the_sealed_half_nor_the_network_is_there_for_a_command(
    workplace: Workplace,
) -> None:
    actions: list[JsonValue] = [
        f"ls {ROOT} /root 2>&1; wc -l < /proc/net/route",
        "find / -path /proc -prune -o -path /usr -prune -o -name 'hidden_checks*' -print 2>&1",
    ]
    ending = workplace.run("scripted", {"actions": actions}).ending
    assert ending.steps[0].output.count("No such file") == 2
    assert ending.steps[0].output.endswith("\n1\n")
    assert "hidden_checks" not in ending.steps[1].output


def test_the_stages_of_an_agent_do_not_depend_on_the_repeats_before(workplace: Workplace) -> None:
    alone = workplace.run("stochastic", AGENTS["stochastic"], repeat=7).left
    for repeat in range(1, 4):
        workplace.run("stochastic", AGENTS["stochastic"], repeat=repeat)
    assert workplace.run("stochastic", AGENTS["stochastic"], repeat=7).left == alone


def test_the_farm_asks_the_visible_tests_of_what_is_there_with_their_own_files(
    workplace: Workplace,
) -> None:
    public = workplace.catalog.public_half(TASK, LANGUAGE)
    with workplace.sandbox.fresh_workspace(public.starter) as workspace:
        place = AgentWorkplace(workplace.sandbox, workspace, None, workplace.runtime)
        caps = agent_limits(public.manifest.limits, CampaignLimits(), workplace.runtime)
        clock = SystemClock()
        began_s = clock.monotonic()
        shell = AgentShell(place, caps, lambda: False, clock, workplace.artifacts.put)
        tests = VisibleTests(place, public, caps, shell, clock)
        began, untouched = tests.state(), tests.ask()
        cheat = "echo 'exit 0' > run_tests.sh; rm -r tests; echo boom > breakerguard/breaker.py"
        shell.run(("sh", "-c", cheat), shown="cheat")
        cheated = tests.ask()
        lay_over(workplace.catalog.sealed_half(TASK, LANGUAGE).reference, workspace.merged)
        solved, again = tests.ask(), tests.ask()
        assert not (workspace.merged / "tests").exists()
        assert shell.used_s <= clock.monotonic() - began_s - tests.spent_s
    # The starter of this task is green: its visible tests say little.
    assert (untouched.green, cheated.green, solved.green) == (True, False, True)
    assert untouched.state == began != solved.state
    assert "boom" in cheated.output
    assert again is solved


def test_visible_tests_that_a_limit_ended_are_asked_again(workplace: Workplace) -> None:
    public = workplace.catalog.public_half(TASK, LANGUAGE)
    limits = public.manifest.limits.model_copy(update={"build_wall_s": 0.02})
    hurried = public.model_copy(
        update={"manifest": public.manifest.model_copy(update={"limits": limits})}
    )
    with workplace.sandbox.fresh_workspace(public.starter) as workspace:
        place = AgentWorkplace(workplace.sandbox, workspace, None, workplace.runtime)
        caps = agent_limits(public.manifest.limits, CampaignLimits(), workplace.runtime)
        shell = AgentShell(place, caps, lambda: False, SystemClock(), workplace.artifacts.put)
        tests = VisibleTests(place, hurried, caps, shell, SystemClock())
        first, again = tests.ask(), tests.ask()
    assert (first.green, first.by_force) == (False, True)
    assert "ended by force" in first.output
    assert again is not first


def test_tests_that_hang_are_free_for_a_while_only(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.visible_tests.FREE_S", 0.0)
    public = workplace.catalog.public_half(TASK, LANGUAGE)
    with workplace.sandbox.fresh_workspace(public.starter) as workspace:
        place = AgentWorkplace(workplace.sandbox, workspace, None, workplace.runtime)
        caps = agent_limits(public.manifest.limits, CampaignLimits(), workplace.runtime)
        clock = SystemClock()
        began = clock.monotonic()
        shell = AgentShell(place, caps, lambda: False, clock, workplace.artifacts.put)
        tests = VisibleTests(place, public, caps, shell, clock)
        tests.ask()
        passed = clock.monotonic() - began
    assert tests.spent_s > 0
    assert shell.used_s > passed - tests.spent_s, "more than the time outside of the tests"
    assert tests.free_s <= shell.used_s
