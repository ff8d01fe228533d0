"""Settings are checked by name, choices are decided by the plan alone, tickets go where said."""

import pytest

from models.errors import InvalidInput
from models.schemas.agents import (
    AGENT_SETTINGS,
    CommandSettings,
    StochasticSettings,
    validate_settings,
)
from models.schemas.campaign import CampaignLimits, SystemSpec
from models.schemas.run import RunOrder, Stage
from models.verdicts import StopReason
from workers.agents.command import TICKET_PATH, command_line, stop_reason
from workers.agents.model_needs import ModelNeeds
from workers.agents.registry import agent_for
from workers.agents.stochastic import choose_subject
from workers.sandbox.outcome import Ending, SandboxOutcome

FAULTS = ("late", "early", "never")


def order(repeat: int = 1, attempt: int = 1) -> RunOrder:
    return RunOrder(
        run_id=repeat,
        campaign_id="c-1",
        stage=Stage.AGENT,
        token=attempt,
        attempt_id=attempt,
        attempt_number=attempt,
        system=SystemSpec(name="dice", agent="stochastic"),
        task="circuit-breaker",
        language="python",
        repeat=repeat,
        universe="sha256:" + "0" * 64,
        public_digest="sha256:" + "1" * 64,
        limits=CampaignLimits(),
    )


def choices(settings: StochasticSettings, runs: int = 1_000) -> list[str]:
    return [choose_subject(settings, order(n), FAULTS) for n in range(1, runs + 1)]


def test_every_agent_that_may_be_named_can_be_made() -> None:
    samples: dict[str, dict[str, object]] = {
        "subject": {"subject": "fault:late"},
        "stochastic": {"solve_probability": 0.5},
        "scripted": {"actions": ["true"]},
        "command": {"argv": ["true"]},
        "chat": {"model": "small"},
        "preset": {"preset": "codex", "model": "small"},
        "replay": {"recordings": ["sha256:" + "0" * 64]},
    }
    for name in AGENT_SETTINGS:
        agent = agent_for(name, samples.get(name, {}))
        assert agent.needs_shell in (True, False)
        assert (agent.model_needs is not None) == (name in ("chat", "preset"))


@pytest.mark.parametrize(
    ("agent", "settings", "named"),
    [
        ("nobody", {}, "nobody"),
        ("idle", {"speed": 1}, "settings.speed"),
        ("stochastic", {"solve_probability": 1.5}, "settings.solve_probability"),
        ("subject", {"subject": "fault:"}, "settings.subject"),
        ("subject", {"subject": "answer"}, "settings.subject"),
        ("scripted", {"actions": []}, "settings.actions"),
        ("command", {"argv": ["x"], "ticket": "mail"}, "settings.ticket"),
        ("chat", {"model": ""}, "settings.model"),
        ("replay", {"recordings": ["sha256:abc"]}, "settings.recordings"),
    ],
)
def test_wrong_settings_are_refused_with_the_field_that_is_wrong(
    agent: str, settings: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        validate_settings(agent, settings)


def test_a_stochastic_choice_is_the_same_on_every_retry() -> None:
    settings = StochasticSettings(solve_probability=0.5, fail_with="mixed")
    first = [choose_subject(settings, order(n, attempt=1), FAULTS) for n in range(1, 100)]
    second = [choose_subject(settings, order(n, attempt=2), FAULTS) for n in range(1, 100)]
    assert first == second


def test_a_stochastic_agent_solves_about_as_often_as_it_says() -> None:
    for probability in (0.0, 0.3, 0.8, 1.0):
        solved = choices(StochasticSettings(solve_probability=probability)).count("reference")
        assert abs(solved - 1_000 * probability) < 60


def test_another_seed_is_another_sequence() -> None:
    one = choices(StochasticSettings(solve_probability=0.5, seed=1), 50)
    other = choices(StochasticSettings(solve_probability=0.5, seed=2), 50)
    assert one != other


def test_a_stochastic_agent_fails_with_what_its_settings_name() -> None:
    assert set(choices(StochasticSettings(solve_probability=0, fail_with="starter"))) == {"starter"}
    faults = set(choices(StochasticSettings(solve_probability=0, fail_with="fault")))
    assert faults == {f"fault:{name}" for name in FAULTS}
    mixed = choices(StochasticSettings(solve_probability=0, fail_with="mixed"))
    assert 400 < mixed.count("starter") < 600


def test_the_ticket_goes_where_the_settings_say() -> None:
    assert command_line(CommandSettings(argv=("a", "-p")), "do it") == ("a", "-p", "do it")
    placed = CommandSettings(argv=("a", "--task={ticket}", "-v"))
    assert command_line(placed, "do it") == ("a", "--task=do it", "-v")
    by_file = CommandSettings(argv=("a", "{ticket_file}"))
    assert command_line(by_file, "do it") == ("a", TICKET_PATH)
    assert command_line(CommandSettings(argv=("a",), ticket="stdin"), "do it") == ("a",)


@pytest.mark.parametrize(
    ("ending", "code", "reason"),
    [
        (Ending.exited, 0, StopReason.DONE),
        (Ending.exited, 3, StopReason.AGENT_CRASHED),
        (Ending.signalled, None, StopReason.AGENT_CRASHED),
        (Ending.wall_timeout, None, StopReason.WALL_BUDGET),
        (Ending.cpu_timeout, None, StopReason.CPU_BUDGET),
        (Ending.memory, None, StopReason.MEMORY_BUDGET),
        (Ending.output_limit, None, StopReason.OUTPUT_BUDGET),
        (Ending.disk_limit, None, StopReason.DISK_BUDGET),
    ],
)
def test_a_command_that_ends_by_a_budget_is_told_from_one_that_crashes(
    ending: Ending, code: int | None, reason: StopReason
) -> None:
    outcome = SandboxOutcome(ending, code, None, b"", b"", 1.0, 1.0, None, (), None)
    assert stop_reason(outcome) is reason


def test_a_run_may_use_the_lower_one_of_its_systems_and_its_campaigns_limits() -> None:
    limits = CampaignLimits.model_validate({"agent_cost_usd": "0.5", "agent_tokens": 1_000})
    needs = ModelNeeds(("m",), cost_microusd=200_000, tokens=5_000)
    assert needs.within(limits) == ModelNeeds(("m",), cost_microusd=200_000, tokens=1_000)
    assert needs.within(CampaignLimits()) == needs
    assert ModelNeeds(("m",)).within(limits) == ModelNeeds(("m",), 500_000, 1_000)
