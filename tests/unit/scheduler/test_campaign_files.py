"""A campaign file is read whole, and every fault in it is reported at once with its place."""

from pathlib import Path

import pytest

from models.errors import InvalidInput, NotFound
from models.schemas.agents import AGENT_SETTINGS
from models.schemas.budget import Budget, Resource
from models.schemas.campaign import (
    CampaignKind,
    CampaignLimits,
    CampaignSpec,
    ScoringPolicy,
    SystemSpec,
)
from scheduler.campaign_faults import AGENTS
from scheduler.campaign_files import parse_campaign, read_campaign_file
from scheduler.campaign_remedies import WRITE
from scheduler.campaign_template import campaign_template

VARIANTS = {"circuit-breaker": ("go", "python"), "ledger": ("python",)}

GOOD = """\
name = "nightly"
tasks = ["circuit-breaker"]
languages = ["go", "python"]
repeats = 8

[[systems]]
name = "good"
agent = "reference"

[[systems]]
name = "fair"
agent = "stochastic"
settings = { solve_probability = 0.6, seed = 1 }
"""


def faults_of(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_campaign(text, "my.toml", VARIANTS)
    return [str(fault) for fault in caught.value.faults]


def test_a_campaign_file_becomes_the_campaign_it_describes() -> None:
    spec = parse_campaign(GOOD, "my.toml", VARIANTS)
    assert isinstance(spec, CampaignSpec)
    assert (spec.name, spec.repeats, spec.kind) == ("nightly", 8, CampaignKind.EVALUATION)
    assert spec.languages == ("go", "python")
    assert [system.name for system in spec.systems] == ["good", "fair"]
    assert spec.systems[1].settings == {"solve_probability": 0.6, "seed": 1}


def test_all_stands_for_every_task_and_for_every_language_of_the_tasks() -> None:
    text = GOOD.replace('["go", "python"]', '"all"')
    assert parse_campaign(text, "my.toml", VARIANTS).languages == ("go", "python")
    text = GOOD.replace('["circuit-breaker"]', '"all"').replace('["go", "python"]', '["python"]')
    assert parse_campaign(text, "my.toml", VARIANTS).tasks == ("circuit-breaker", "ledger")


def test_every_fault_is_reported_at_once_with_its_line() -> None:
    text = """\
name = "Not A Slug"
tasks = ["circuit-braker", "circuit-breaker"]
languages = ["python", "pyhton"]
repeats = 0
priorty = 2

[[systems]]
name = "a"
agent = "reference"

[[systems]]
name = "b"
agnt = "reference"

[limits]
agent_wall = 3
"""
    found = "\n".join(faults_of(text))
    for expected in (
        "name (line 1)",
        "tasks[0] (line 2): no task 'circuit-braker' -> did you mean 'circuit-breaker'?",
        "languages (line 3): task 'circuit-breaker' has no language 'pyhton'",
        "repeats (line 4)",
        "priorty (line 5): no such field -> did you mean 'priority'?",
        "systems[1].agent (line 11): missing",
        "systems[1].agnt (line 13): no such field -> did you mean 'agent'?",
        "limits.agent_wall (line 16): no such field -> did you mean 'agent_wall_s'?",
    ):
        assert expected in found


def test_a_syntax_error_names_its_line() -> None:
    assert faults_of("name = 'x'\nrepeats = = 3\n")[0].startswith("line 2, column")


def test_an_unknown_agent_and_a_wrong_setting_are_named_with_what_is_known() -> None:
    text = GOOD.replace('"reference"', '"refrence"').replace("0.6", "1.6")
    found = "\n".join(faults_of(text))
    assert "systems[0].agent (line 8): there is no agent 'refrence'" in found
    assert "systems[1].settings.solve_probability (line 13)" in found
    assert "solve_probability, seed, fail_with" in found


def test_the_agent_of_gates_is_refused_and_the_others_are_named() -> None:
    found = faults_of(GOOD.replace('"reference"', '"subject"'))
    assert found == [
        "systems[0].agent (line 8): the agent 'subject' is there for gates only -> "
        "choose from: chat, command, idle, preset, reference, replay, scripted, stochastic"
    ]


def test_doubled_systems_are_named_beside_all_other_faults() -> None:
    text = GOOD.replace("repeats = 8", "repeats = 0")
    text += '\n[[systems]]\nname = "good"\nagent = "reference"\n'
    found = "\n".join(faults_of(text))
    assert "repeats (line 4): too small (it is 0) -> write a whole number from 1" in found
    assert "systems[2].name (line 16): systems[0] has the same name: good" in found
    assert "systems[2] (line 15): systems[0] 'good' has the same agent and settings" in found


def test_a_fault_of_kind_says_what_to_write() -> None:
    text = GOOD.replace(
        'agent = "reference"', 'agent = "command"\nsettings = { argv = "my-agent --yes" }'
    ).replace('"nightly"', '"Not A Name"')
    found = "\n".join(faults_of(text))
    assert 'write a list of strings, for example argv = ["my-agent", "--yes"]' in found
    assert "name (line 1): can't be a name (it is 'Not A Name') -> write 1 to 64 of" in found
    assert "tuple" not in found
    assert "^[" not in found


def test_every_field_and_setting_says_what_it_is_written_as() -> None:
    fields = {*CampaignSpec.model_fields, *SystemSpec.model_fields, *CampaignLimits.model_fields}
    fields |= set(Budget.model_fields)
    settings = {name for agent in AGENTS for name in AGENT_SETTINGS[agent].model_fields}
    assert set(WRITE) == (fields | settings | set(ScoringPolicy.model_fields)) - {"kind"}


def test_a_budget_and_limits_of_systems_are_read_exactly() -> None:
    text = GOOD.replace('"reference"', '"reference"\nmax_concurrent = 3\nstarts_per_minute = 40')
    text += "[budget]\ncost_usd = 0.1\nwall_s = 7.5\n[limits]\nagent_cost_usd = 0.000001\n"
    spec = parse_campaign(text, "my.toml", VARIANTS)
    assert spec.budget.totals() == {Resource.COST: 100_000, Resource.WALL: 7_500}
    assert (spec.systems[0].max_concurrent, spec.systems[0].starts_per_minute) == (3, 40)
    assert spec.systems[0].id == parse_campaign(GOOD, "my.toml", VARIANTS).systems[0].id


def test_a_budget_that_no_run_could_reserve_is_told_among_all_other_faults() -> None:
    text = GOOD.replace("repeats = 8", "repeats = 0")
    text += "[limits]\nagent_wall_s = 60\n[budget]\ncost_usd = 20\ntokens = 5\nwall_s = 30\n"
    found = "\n".join(faults_of(text))
    assert "repeats (line 4)" in found
    assert "budget.cost_usd (line 17): needs the limit of one run, agent_cost_usd" in found
    assert "budget.tokens (line 18): needs the limit of one run, agent_tokens" in found
    assert "budget.wall_s (line 19): 30.0 is less than one run may use" in found
    alone = faults_of(text.replace("repeats = 0", "repeats = 8"))
    assert len(alone) == 3
    assert "-> below [limits] write for example agent_cost_usd = 0.5" in alone[0]


def test_two_systems_of_one_name_are_refused() -> None:
    doubled = GOOD.replace('"fair"', '"good"')
    assert any("the same name: good" in fault for fault in faults_of(doubled))


def test_all_faults_of_a_chat_system_are_told_at_once_with_what_to_write() -> None:
    wrong = 'agent = "chat"\nsettings = { turns = 0, wire = "grpc", nudge = 1, temperature = 3 }'
    found = "\n".join(faults_of(GOOD.replace('agent = "reference"', wrong)))
    assert "systems[0].settings.model (line 9): missing -> add it: the name of a model" in found
    assert "settings.turns (line 9): too small (it is 0) -> write a whole number from 1" in found
    assert "settings.wire (line 9): not one of the words" in found
    assert "settings.nudge (line 9): no such setting -> the agent chat takes" in found
    assert "settings.temperature (line 9): too large" in found
    odd = 'agent = "chat"\nsettings = { model = "m", wire = "anthropic", seed = 1 }'
    (one,) = faults_of(GOOD.replace('agent = "reference"', odd))
    assert "seed: the anthropic format has none" in one


def test_a_name_that_stands_twice_in_a_list_is_refused() -> None:
    doubled = GOOD.replace('["go", "python"]', '["go", "go"]')
    assert "languages (line 3): 'go' stands there twice -> name it once" in faults_of(doubled)


def test_a_person_cannot_declare_a_gate() -> None:
    assert any("no kind" in fault for fault in faults_of('kind = "gate"\n' + GOOD))


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="gradefarm campaign new"):
        read_campaign_file(tmp_path / "absent.toml", VARIANTS)


def test_a_file_that_is_not_text_is_a_fault_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="UTF-8"):
        read_campaign_file(path, VARIANTS)


def test_the_file_that_gradefarm_writes_is_one_that_it_reads() -> None:
    text = campaign_template("my-campaign", VARIANTS)
    spec = parse_campaign(text, "my.toml", VARIANTS)
    assert spec.name == "my-campaign"
    assert set(spec.tasks) == set(VARIANTS)
    commented = "\n".join(line.removeprefix("# ") for line in text.splitlines())
    assert 'agent = "command"' in commented
    chosen = commented[commented.index('name = "small-model"') :].splitlines()[:3]
    parse_campaign(GOOD + "\n".join(["[[systems]]", *chosen]), "my.toml", VARIANTS)
