"""From inside a sandbox the gateway can be reached, and nothing else."""

import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import Infrastructure
from tests.conftest import miss
from tests.fakes.model_server import model_server
from tests.fakes.model_wires import Reply
from tests.fakes.running_gateway import CHAT, RunningGateway, gateway_toml, running_gateway
from workers.gateway_access import GatewayAccess
from workers.sandbox.canaries import quiet_request
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import SandboxRequest
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import IsolationUnavailable, select_sandbox
from workers.sandbox_door import PORT, GatewayDoor

pytestmark = pytest.mark.real

PROGRAM = """
import json, os, socket, sys, urllib.error, urllib.request

told = json.loads(sys.argv[1])
out = {}

def ask(url, key, body=None):
    data = None if body is None else json.dumps(body).encode()
    head = {"authorization": "Bearer " + key, "content-type": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, head), timeout=60) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()

def reach(family, address):
    try:
        with socket.socket(family) as made:
            made.settimeout(3)
            made.connect(address)
        return True
    except OSError:
        return False

body = {"model": told["model"], "messages": [{"role": "user", "content": "hello"}]}
out["model"] = ask(told["url"] + "/chat/completions", told["key"], body)
out["grants"] = ask(told["origin"] + "/grants", told["key"], {"run_id": 1})[0]
out["provider"] = reach(socket.AF_INET, ("127.0.0.1", told["provider"]))
out["host"] = [reach(socket.AF_INET, (one, told["provider"])) for one in told["addresses"]]
out["socket"] = reach(socket.AF_UNIX, told["socket"])
out["other_port"] = reach(socket.AF_INET, ("127.0.0.1", 8701))
print(json.dumps(out))
"""


@pytest.fixture
def sandbox() -> Generator[Sandbox]:
    # Outside pytest's own folders, which no other user may enter.
    with tempfile.TemporaryDirectory(prefix="gradefarm-door-", dir="/var/tmp") as name:
        scratch = Path(name)
        scratch.chmod(0o755)
        try:
            opened = select_sandbox(scratch / "scratch")
        except IsolationUnavailable as error:
            miss(f"a sandbox ({error})")
        yield opened
        opened.close()


def request(*argv: str, wall_s: float = 60.0) -> SandboxRequest:
    quiet = replace(quiet_request("true"), argv=argv)
    return replace(quiet, limits=replace(quiet.limits, wall_s=wall_s, cpu_s=60.0))


def addresses() -> list[str]:
    import psutil

    found = [one.address for many in psutil.net_if_addrs().values() for one in many]
    return [one for one in found if one.count(".") == 3 and not one.startswith("127.")]


def run_through(
    gateway: RunningGateway,
    sandbox: Sandbox,
    asked: SandboxRequest,
    *,
    provider: int = 1,
    waited: Callable[[], float] | None = None,
) -> SandboxOutcome:
    grant = gateway.grant()

    def told_by_gateway() -> float:
        return gateway.access.report(grant).waited_ms / 1_000

    told = {
        "model": CHAT,
        "key": grant.key,
        "provider": provider,
        "addresses": addresses(),
        "socket": gateway.access.socket_path,
    }
    with GatewayDoor(gateway.access, waited or told_by_gateway, own_network=True) as door:
        told |= {"url": door.openai_url, "origin": door.origin}
        argv = tuple(word.replace("TOLD", json.dumps(told)) for word in asked.argv)
        outcome = sandbox.run(replace(asked, argv=argv, door=door))
    gateway.close(grant)
    return outcome


def test_only_the_gateway_can_be_reached_from_inside(sandbox: Sandbox, tmp_path: Path) -> None:
    with (
        model_server() as server,
        running_gateway(tmp_path / "farm", gateway_toml(server)) as gateway,
    ):
        outcome = run_through(
            gateway, sandbox, request("python3", "-c", PROGRAM, "TOLD"), provider=server.port
        )
        assert outcome.exit_code == 0, outcome
        seen = json.loads(outcome.stdout)
        assert seen["model"][0] == 200
        assert "reply 0 of" in seen["model"][1]
        assert seen["grants"] == 401
        assert not any([seen["provider"], *seen["host"], seen["socket"], seen["other_port"]]), seen


def test_the_wall_clock_stands_still_while_a_provider_is_waited_for(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Told by a gateway that says so: what it measures itself has its own tests."""
    asked: list[int] = []

    def an_hour_later() -> float:
        asked.append(1)
        return 3_600.0 if len(asked) > 1 else 0.0

    with (
        model_server() as server,
        running_gateway(tmp_path / "farm", gateway_toml(server)) as gateway,
    ):
        outcome = run_through(
            gateway, sandbox, request("sleep", "2", wall_s=0.3), waited=an_hour_later
        )
        assert outcome.ending is Ending.exited, outcome
        # Waiting is excused, working is not.
        outcome = run_through(
            gateway, sandbox, request("sleep", "30", wall_s=0.3), waited=lambda: 7.0
        )
        assert outcome.ending is Ending.wall_timeout


def test_without_a_door_there_is_no_way_out(sandbox: Sandbox) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 8700), 3)"
    outcome = sandbox.run(request("python3", "-c", code))
    assert outcome.exit_code == 1
    assert b"ConnectionRefusedError" in outcome.stderr


def test_a_reply_streams_through_the_door_as_it_comes(sandbox: Sandbox, tmp_path: Path) -> None:
    code = """
import json, sys, urllib.request
told = json.loads(sys.argv[1])
body = {"model": told["model"], "stream": True, "messages": [{"role": "user", "content": "x"}]}
head = {"authorization": "Bearer " + told["key"], "content-type": "application/json"}
ask = urllib.request.Request(told["url"] + "/chat/completions", json.dumps(body).encode(), head)
got = urllib.request.urlopen(ask, timeout=60)
first = got.readline()
open("/tmp/first", "wb").write(first)
print(first.decode() + got.read().decode()[-20:])
"""
    with (
        model_server(lambda _ask: Reply(text="a b c d", pause_s=0.05)) as server,
        running_gateway(tmp_path / "farm", gateway_toml(server)) as gateway,
    ):
        outcome = run_through(gateway, sandbox, request("python3", "-c", code, "TOLD"))
        assert outcome.exit_code == 0, outcome.stderr
        assert outcome.stdout.rstrip().endswith(b"[DONE]")


def test_a_gateway_that_is_started_anew_is_waited_for_and_one_that_stays_away_voids(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Knocking counts for no clock of the program."""
    access = GatewayAccess(f"unix://{tmp_path}/gateway.sock", "token")
    ask = (
        "curl",
        "-s",
        "-o",
        "/dev/null",
        "-w",
        "%{http_code}",
        f"http://127.0.0.1:{PORT}/healthz",
    )

    def serve() -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            time.sleep(1)
            listener.bind(f"{tmp_path}/gateway.sock")
            listener.listen()
            connection, _ = listener.accept()
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            connection.close()

    server = threading.Thread(target=serve)
    server.start()
    with GatewayDoor(access, lambda: 0.0, own_network=True) as door:
        outcome = sandbox.run(replace(request(*ask), door=door))
        waited = door.paused_s()
    server.join()
    assert (outcome.stdout, waited >= 0.5) == (b"200", True)
    Path(f"{tmp_path}/gateway.sock").unlink()
    monkeypatch.setattr("workers.sandbox_door.RESTART_S", 1.0)
    with (
        pytest.raises(Infrastructure, match="did not reach the gateway"),
        GatewayDoor(access, lambda: 0.0, own_network=True) as door,
    ):
        sandbox.run(replace(request(*ask), door=door))
