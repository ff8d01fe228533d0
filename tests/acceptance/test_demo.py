"""`gradefarm demo`: from nothing to a board, resumable, and nothing left behind."""

import json
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.acceptance.farm_process import FarmHome, farm_home, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow]

SMALL = ("demo", "--repeats", "2", "--languages", "python")
ONE_VARIANT = ("--task", "circuit-breaker", "--language", "python")


@pytest.fixture
def farm(tmp_path: Path) -> Generator[FarmHome]:
    with farm_home(tmp_path) as home:
        yield home


@pytest.mark.timeout(280)
def test_the_demo_ends_with_the_board_and_leaves_nothing_running(farm: FarmHome) -> None:
    shown = farm.run(*SMALL, patience_s=240)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "BOARD" in shown.stdout
    assert "first graded run after" in shown.stdout
    assert str(farm.home) in shown.stdout
    assert farm.processes() == []

    board = json.loads(farm.run("board", "--json").stdout)
    assert board["unproven"] is False
    passed = {
        system["name"]: (system["cells"][0]["passed"], system["cells"][0]["n"])
        for system in board["systems"]
    }
    assert passed["reference"] == (2, 2)
    assert passed["idle"] == (0, 2)
    gates = json.loads(farm.run("gate", "show", *ONE_VARIANT, "--json").stdout)
    assert [gate["green"] for gate in gates] == [True]

    again = farm.run(*SMALL)
    assert again.returncode == 0
    assert "is finished already" in again.stdout
    assert "BOARD" in again.stdout

    run = json.loads(farm.run("runs", "list", "--system", "idle", "--json").stdout)["runs"][0]
    checks = json.loads(farm.run("runs", "checks", str(run["id"]), "--json").stdout)
    assert len(checks["checks"]) == 12
    assert farm.run("runs", "transcript", str(run["id"])).returncode == 0
    assert farm.run("runs", "show", str(run["id"])).returncode == 0


@pytest.mark.timeout(280)
def test_an_interrupted_demo_goes_on_where_it_was(farm: FarmHome) -> None:
    with farm.started(*SMALL, until="3/4") as demo:
        assert demo.stop(signal.SIGINT) == 130
        assert farm.processes() == []
    again = farm.run(*SMALL, patience_s=240)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "going on with campaign demo-" in again.stdout
    assert "all green already" in again.stdout
    listed = json.loads(farm.run("campaign", "list", "--json").stdout)
    kinds = [one["campaign"]["kind"] for one in listed]
    assert kinds.count("evaluation") == 1
    assert kinds.count("gate") == 1


def test_a_demo_interrupted_while_it_starts_leaves_nothing(farm: FarmHome) -> None:
    with farm.started(*SMALL, until="1/4") as demo:
        assert demo.stop(signal.SIGTERM) == 130
        wait_for(lambda: farm.processes() == [], patience_s=5)
