"""A real farm, watched: look, metrics and logs agree, and Flower keeps strangers out."""

import json
import os
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from scheduler.embedded_farm.flower import FlowerLogin
from tests.acceptance.farm_process import READY, FarmHome, farm_home, wait_for

pytestmark = [pytest.mark.real, pytest.mark.slow]

CAMPAIGN = """
name = "watched"
tasks = ["circuit-breaker"]
languages = ["python"]
repeats = 1

[[systems]]
name = "sleepy"
agent = "scripted"
settings = { actions = ["sleep 30"] }
"""


class WatchedHome(FarmHome):
    """A farm whose leases end soon."""

    @property
    def environment(self) -> dict[str, str]:
        short = {"GRADEFARM_LEASE_S": "6", "GRADEFARM_BEAT_S": "2", "GRADEFARM_LOG": "json"}
        return super().environment | short


@pytest.fixture
def farm(tmp_path: Path) -> Generator[WatchedHome]:
    with farm_home(tmp_path) as home:
        yield WatchedHome(home.home)


def answer(url: str, login: FlowerLogin | None = None, method: str = "GET") -> int:
    headers = {"Authorization": login.header} if login else {}
    request = urllib.request.Request(url, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as told:
            return int(told.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def metrics_of(port: int) -> dict[str, float]:
    """Every sample of a process, summed over its labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as told:
        families = list(text_string_to_metric_families(told.read().decode()))
    sums: dict[str, float] = {}
    for family in families:
        for sample in family.samples:
            sums[sample.name] = sums.get(sample.name, 0.0) + sample.value
    return sums


def events(farm: FarmHome, process: str) -> list[dict[str, Any]]:
    lines = (farm.home / "logs" / f"{process}.log").read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def port_of(farm: FarmHome, process: str) -> int:
    [served] = [one for one in events(farm, process) if one["event"] == "metrics_served"]
    return int(served["port"])


def look(farm: FarmHome) -> dict[str, Any]:
    told = farm.run("campaign", "activity", "--json")
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def test_a_lost_run_is_seen_in_the_look_in_metrics_and_in_both_logs(farm: WatchedHome) -> None:
    campaign = farm.home.parent / "watched.toml"
    campaign.write_text(CAMPAIGN)
    with farm.started("up", "--slots", "1", "--no-flower", "--metrics-port", "0", until=READY):
        started = farm.run("campaign", "start", str(campaign), "--unproven", "--json")
        assert started.returncode == 0, started.stderr
        wait_for(lambda: look(farm)["slowest"], patience_s=60)
        seen = look(farm)
        [run] = seen["slowest"]
        [worker] = [one for one in seen["workers"] if one["name"] == run["worker"]]
        assert [one["run_id"] for one in worker["busy"]] == [run["run_id"]]
        children = [p for p in farm.processes() if is_pool_child(p, "agent")]
        assert children
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
        wait_for(lambda: look(farm)["voids"], patience_s=60)
        [void] = look(farm)["voids"]
        assert (void["category"], void["newest_run"]) == ("worker_lost", run["run_id"])
        wait_for(lambda: look(farm)["progress"]["failed"] == 1, patience_s=90)
        time.sleep(6)  # scrapes are kept for five seconds
        told = metrics_of(port_of(farm, "scheduler"))
        assert told["gradefarm_lease_expiries_total"] == void["attempts"]
        assert told["gradefarm_void_attempts_total"] == void["attempts"]
        assert told["gradefarm_runs_ended_total"] == 1
        assert told["gradefarm_scheduler_in_office"] == 1
        assert told["gradefarm_scheduler_tick_seconds_count"] > 0
        hands = metrics_of(port_of(farm, "agent-worker"))
        assert hands["gradefarm_worker_stages_total"] == 1
        lost = [one for one in events(farm, "scheduler") if one["event"] == "lease_expired"]
        assert [one["run"] for one in lost] == [run["run_id"]]
        queued = [one for one in events(farm, "scheduler") if one["event"] == "queued"]
        assert sum(run["run_id"] in one["runs"] for one in queued) >= 3
        shown = farm.run("metrics").stdout
        assert "gradefarm_lease_expiries_total 1.0" in shown


def is_pool_child(process: psutil.Process, role: str) -> bool:
    """Whether a process was forked by the worker of a role."""
    parent = process.parent()
    if parent is None or process.cmdline() != parent.cmdline():
        return False
    words = process.cmdline()
    return "--role" in words and words[words.index("--role") + 1] == role


def test_flower_outside_loopback_asks_for_a_login_and_changes_nothing(farm: WatchedHome) -> None:
    address = own_address()
    with (
        farm.started("up", "--slots", "1", "--no-flower", until=READY),
        farm.started("flower", "--address", address, "--port", "0", until="Flower") as flower,
    ):
        shown = flower.found(r"Flower on (http://\S+)/ for (\S+); password: (\S+)")
        kept = Path(shown[3])
        assert kept.stat().st_mode & 0o777 == 0o600
        url, login = shown[1], FlowerLogin(shown[2], kept.read_text().strip())
        wait_for(lambda: answer(f"{url}/healthcheck") == 200, patience_s=90)
        assert re.match(rf"http://{re.escape(address)}:\d+", url)
        assert answer(f"{url}/workers") == 401
        assert answer(f"{url}/workers", FlowerLogin("farm", "guessed")) == 401
        assert answer(f"{url}/workers", login) == 200
        assert answer(f"{url}/api/workers") == 401
        assert answer(f"{url}/api/task/async-apply/agent.run", method="POST") in (401, 403)
        assert answer(f"{url}/api/task/async-apply/agent.run", login, "POST") == 403
        assert login.password not in " ".join(psutil.Process(flower.process.pid).cmdline())


def own_address() -> str:
    """An address of this machine that others could reach."""
    for addresses in psutil.net_if_addrs().values():
        for one in addresses:
            if one.family is socket.AF_INET and not one.address.startswith("127."):
                return one.address
    pytest.skip("this machine has no address but loopback")
