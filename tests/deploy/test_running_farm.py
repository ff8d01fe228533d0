"""What deploy/ writes down, done: a farm of parts as compose starts them, asked like a person."""

import json
import re
import shlex
import urllib.request
from collections.abc import Generator

import pytest

from tests.acceptance.farm_process import wait_for
from tests.deploy.metric_names import asked_metrics
from tests.deploy.running_farm import RunningFarm, running_farm
from tests.deploy.test_documents import RUNBOOK, blocks

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

CAMPAIGN = """
name = "deployed"
tasks = ["circuit-breaker"]
languages = ["python"]
repeats = 2

[[systems]]
name = "solver"
agent = "reference"

[[systems]]
name = "dabbler"
agent = "scripted"
settings = { actions = ["echo tried >> notes.txt"] }

[[systems]]
name = "talker"
agent = "chat"
settings = { model = "gpt-5", wire = "openai-chat", turns = 2 }
"""


@pytest.fixture(scope="module")
def farm(postgresql_url: str) -> Generator[RunningFarm]:
    """All parts, well by their own health checks, with a campaign that has ended."""
    with running_farm(postgresql_url) as running:
        running.await_health()
        file = running.root / "deployed.toml"
        file.write_text(CAMPAIGN)
        started = running.run("campaign", "start", str(file), "--unproven", "--json")
        assert started.returncode == 0, started.stderr
        wait_for(lambda: _state(running) == "finished", 400)
        yield running


def _state(farm: RunningFarm) -> str:
    shown = farm.run("campaign", "status", "--json")
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)["campaign"]["state"]


def test_a_campaign_runs_through_the_farm_that_compose_describes(farm: RunningFarm) -> None:
    """Under the agent's own database role, store and half, with the broker's own access list."""
    listed = json.loads(farm.run("runs", "list", "--json").stdout)
    verdicts = sorted((run["system"], run["verdict"]) for run in listed["runs"])
    expected = {"dabbler": "failed", "solver": "passed", "talker": "failed"}
    assert verdicts == [pair for pair in expected.items() for _ in range(2)]


def test_every_run_of_an_agent_worker_leaves_a_record_though_each_role_has_its_own_key_alone(
    farm: RunningFarm,
) -> None:

    def closed() -> int:
        checked = farm.run("log", "check", "--json")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        return json.loads(checked.stdout)["findings"]["closed"]

    # Leaves are given their places a moment later. What a grader works out of the sealed half, it
    # holds no recorder's key for.
    wait_for(lambda: closed() == 4, 60)
    again = farm.run("log", "begin", "--json", service="migrate")
    assert json.loads(again.stdout)["begun"] is False
    talked = json.loads(farm.run("runs", "list", "--json").stdout)["runs"]
    run = next(str(one["id"]) for one in talked if one["system"] == "talker")
    record, trust = farm.root / "run.tar", farm.root / "trust.json"
    assert farm.run("record", "export", run, "-o", str(record)).returncode == 0
    assert farm.run("keys", "trust", "-o", str(trust)).returncode == 0
    verified = farm.run("record", "verify", str(record), "--trust", str(trust))
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert '"model.call"' in farm.run("record", "show", run, "--json").stdout


def test_every_command_of_the_runbook_shows_something_in_a_farm_at_work(farm: RunningFarm) -> None:
    for command in blocks(RUNBOOK):
        words = shlex.split(command)[1:]
        if words == ["doctor"]:
            continue  # Its exit code is about this machine; the README's test runs it.
        service = "gateway" if words[0] == "gateway" else "scheduler"
        done = farm.run(*words, service=service)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip(), f"{command} printed nothing"


def _figures(port: int) -> set[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    typed = re.findall(r"^# TYPE (gradefarm_\w+) (\w+)$", text, re.MULTILINE)
    return {
        name if name.endswith("_total") or kind != "counter" else f"{name}_total"
        for name, kind in typed
    }


def test_every_metric_that_alerts_and_dashboard_ask_for_is_there(farm: RunningFarm) -> None:
    served = set()
    for part in farm.parts:
        if part.target in {"scheduler", "agent", "grade", "gateway"}:
            served |= _figures(part.metrics_port)
    assert asked_metrics() <= served, asked_metrics() - served


def test_labels_that_expressions_match_are_the_ones_that_are_served(farm: RunningFarm) -> None:
    scheduler = next(part for part in farm.parts if part.target == "scheduler")

    def is_served(line: str) -> bool:
        address = f"http://127.0.0.1:{scheduler.port}/metrics"
        with urllib.request.urlopen(address, timeout=60) as answer:
            return re.search(f"^{line}", answer.read().decode(), re.MULTILINE) is not None

    for state in ("alive", "resting", "drained", "quarantined"):
        assert is_served(rf'gradefarm_workers{{[^}}]*state="{state}"'), state
    # Queues are told of while something may be done in them: many runs, which are not waited for.
    many = farm.root / "many.toml"
    many.write_text(CAMPAIGN.replace("repeats = 2", "repeats = 500"))
    begun = farm.run("campaign", "start", str(many), "--unproven", "--json")
    assert begun.returncode == 0, begun.stderr
    for kind in ("agent", "grade"):
        wait_for(lambda kind=kind: is_served(rf'gradefarm_queue_waiting{{queue="{kind}\.'), 180)
    assert farm.run("campaign", "cancel", json.loads(begun.stdout)["id"]).returncode == 0
    assert _state(farm) == "cancelled"


def test_one_scheduler_is_in_office_and_the_other_takes_over(farm: RunningFarm) -> None:
    both = [part for part in farm.parts if part.target == "scheduler"]

    def in_office(port: int) -> bool:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            return "gradefarm_scheduler_in_office 1.0" in answer.read().decode()

    (holder,) = [part for part in both if in_office(part.port)]
    (waits,) = [part for part in both if part is not holder]
    holder.process.terminate()
    assert holder.process.wait(timeout=180) == 0, holder.log.read_text()
    wait_for(lambda: in_office(waits.port), 180)


def test_flower_and_the_api_ask_who_one_is(farm: RunningFarm) -> None:
    for part in farm.parts:
        path = {"flower": "/workers", "api": "/api/campaigns"}.get(part.target)
        if path is None:
            continue
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{part.port}{path}", timeout=60)
        assert refused.value.code == 401, part.name


def test_sigterm_ends_every_part_in_order(farm: RunningFarm) -> None:
    """The last test of this file: nothing is left of the farm."""
    codes = farm.stop()
    assert set(codes.values()) == {0}, codes
