"""`gradefarm up`: everything comes up, and nothing is left of it, however it ends."""

import json
import os
import shutil
import signal
import sqlite3
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from scheduler.embedded_farm.flower import FlowerLogin, flower_status
from tests.acceptance.farm_process import READY, FarmHome, Started, farm_home, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture
def farm(tmp_path: Path) -> Generator[FarmHome]:
    with farm_home(tmp_path) as home:
        yield home


def flower_of(started: Started) -> tuple[int, FlowerLogin]:
    shown = started.found(r"http://127\.0\.0\.1:(\d+)/ +user (\S+), password (\S+)")
    return int(shown[1]), FlowerLogin(shown[2], shown[3])


def test_flower_wants_the_login_that_is_shown_and_changes_nothing(farm: FarmHome) -> None:
    with farm.started("up", until=READY) as up:
        port, login = flower_of(up)
        assert flower_status(port, "/workers", login=None) == 401
        assert flower_status(port, "/workers", login=FlowerLogin("farm", "guessed")) == 401
        assert flower_status(port, "/workers", login=login) == 200
        assert flower_status(port, "/tasks", login=login) == 200
        command_lines = [" ".join(process.cmdline()) for process in farm.processes()]
        assert not any(login.password in line for line in command_lines)
        assert up.stop(signal.SIGTERM) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_everything_is_gone_when_the_farm_was_asked_to_stop(
    farm: FarmHome, number: signal.Signals
) -> None:
    with farm.started("up", until=READY) as up:
        assert len(farm.processes()) > 5
        assert up.stop(number) == 0
        assert farm.processes() == []
        assert farm.broker_is_gone()
        assert "nothing of the farm runs any more" in up.text


def test_everything_is_gone_when_the_supervisor_is_killed(farm: FarmHome) -> None:
    with farm.started("up", until=READY) as up:
        assert up.stop(signal.SIGKILL) == -signal.SIGKILL
        wait_for(lambda: farm.processes() == [], patience_s=10)
    with farm.started("up", until=READY) as again:
        assert again.stop(signal.SIGTERM) == 0


def test_a_second_farm_in_the_same_home_is_refused(farm: FarmHome) -> None:
    with farm.started("up", until=READY) as up:
        second = farm.run("up")
        assert second.returncode == 4
        assert str(up.process.pid) in second.stderr
        assert "GRADEFARM_HOME" in second.stderr
        assert up.process.poll() is None
        assert up.stop(signal.SIGTERM) == 0


GATEWAY = """
[providers.near]
wire = "openai"
base_url = "http://127.0.0.1:9/v1"
[models.small]
provider = "near"
most_output_tokens = 100
"""


def test_a_process_that_is_killed_comes_back(farm: FarmHome) -> None:
    farm.home.mkdir(parents=True, exist_ok=True)
    (farm.home / "gateway.toml").write_text(GATEWAY)
    killed = ("scheduler", "agent-worker", "broker", "flower", "gateway")
    with farm.started("up", until=READY) as up:
        for name in killed:
            os.kill(int(up.found(rf"{name} +(\d+)")[1]), signal.SIGKILL)
        for name in killed:
            wait_for(lambda name=name: f"{name} ended with -9" in up.text, patience_s=10)
        wait_for(lambda: len(living(farm)) == 6, patience_s=30)
        workers = farm.run("workers")
        assert workers.returncode == 0
        assert "agent@" in workers.stdout
        assert up.stop(signal.SIGTERM) == 0
        assert farm.processes() == []


def living(farm: FarmHome) -> set[str]:
    """Which of the six kinds of process run."""
    lines = [" ".join(process.cmdline()) for process in farm.processes()]
    signs = (
        "unixsocket",
        "main scheduler",
        "--role agent",
        "--role grade",
        " flower ",
        "main gateway",
    )
    return {sign for sign in signs for line in lines if sign in line and "tether" not in line}


def test_what_the_farm_keeps_is_closed_to_others(farm: FarmHome) -> None:
    with farm.started("up", until=READY) as up:
        assert farm.home.stat().st_mode & 0o077 == 0
        assert (farm.home / "flower.password").stat().st_mode & 0o077 == 0
        with sqlite3.connect(farm.home / "farm.db") as database:
            assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert up.stop(signal.SIGTERM) == 0


@pytest.mark.parametrize("words", [("up",), ("demo",)])
def test_a_farm_that_can_serve_nothing_ends_with_the_reason(
    farm: FarmHome, words: tuple[str, ...]
) -> None:
    (farm.home.parent / "languages").mkdir()
    told = farm.run(*words, patience_s=90)
    assert told.returncode == 5, told.stdout + told.stderr
    assert f"no language definition (*.toml) in {farm.languages}" in told.stderr
    assert "GRADEFARM_LANGUAGES" in told.stderr
    assert farm.processes() == []


def test_a_worker_without_a_broker_says_so_in_one_line_and_keeps_trying(farm: FarmHome) -> None:
    assert farm.run("db", "upgrade").returncode == 0
    with farm.started("worker", "--role", "grade", until="broker_unreachable") as worker:
        time.sleep(7)
        assert worker.process.poll() is None
        assert worker.stop(signal.SIGTERM) == 0
        (line,) = [one for one in worker.text.splitlines() if "broker" in one]
        assert "GRADEFARM_BROKER_URL" in json.loads(line)["remedy"]
        assert "Cannot connect" not in worker.text
        assert "Trying again" not in worker.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs sandboxes under other users")
@pytest.mark.parametrize("words", [("worker", "--role", "grade"), ("up",), ("doctor",)])
def test_a_scratch_folder_that_sandboxes_can_not_reach_is_named_with_its_remedy(
    farm: FarmHome, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    closed = Path(tempfile.mkdtemp(prefix="gradefarm-closed-", dir="/var/tmp"))
    scratch = closed / "in" / "scratch"
    own = farm.environment | {"GRADEFARM_SCRATCH": str(scratch)}
    monkeypatch.setattr(FarmHome, "environment", property(lambda _: own))
    try:
        told = farm.run(*words)
    finally:
        shutil.rmtree(closed)
    text = told.stdout + told.stderr
    assert told.returncode == (4 if words[0] == "worker" else 5), text
    assert f"can't enter {closed}, and the scratch folder {scratch} is below it" in text
    assert "GRADEFARM_SCRATCH" in text
    assert "Traceback" not in text


def test_the_doctor_misses_the_language_definitions(farm: FarmHome) -> None:
    (farm.home.parent / "languages").mkdir()
    told = farm.run("doctor")
    assert told.returncode == 5
    assert "FAIL  languages" in told.stdout
    assert f"no language definition (*.toml) in {farm.languages}" in told.stdout
