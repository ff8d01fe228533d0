"""`gradefarm gateway`: what the README shows of it, in a process of its own."""

import json
import re
import signal
from collections.abc import Generator
from pathlib import Path

import httpx
import psutil
import pytest

from models.schemas.model_call import GrantRequest
from models.settings import read_settings
from scheduler.cli.gateway_findings import gateway_findings
from tests.acceptance.farm_process import FarmHome, farm_home
from tests.fakes.model_server import model_server
from workers.gateway_access import GatewayAccess, gateway_access

pytestmark = [pytest.mark.real, pytest.mark.slow]

README = Path(__file__).resolve().parents[2] / "README.md"
LISTENS = "the gateway listens on"


@pytest.fixture
def farm(tmp_path: Path) -> Generator[FarmHome]:
    with farm_home(tmp_path) as home:
        home.home.mkdir(parents=True, exist_ok=True)
        yield home


def readme_file() -> str:
    """The gateway's file as the README shows it."""
    blocks = README.read_text().split("```")[1::2]
    return next(b.removeprefix("toml\n") for b in blocks if b.startswith("toml\n[providers"))


def access_of(farm: FarmHome) -> GatewayAccess:
    access = gateway_access(read_settings(farm.environment))
    assert access is not None
    return access


def test_the_readmes_file_serves_and_a_killed_gateway_goes_on(farm: FarmHome) -> None:
    with model_server(keys=("readme-key",)) as server:
        text = readme_file().replace("https://api.openai.com", server.url)
        (farm.home / "gateway.toml").write_text(text)
        (farm.home / "openai.key").write_text("readme-key\n")
        checked = farm.run("gateway", "--check")
        assert checked.returncode == 0, checked.stderr
        assert "gpt-5: openai" in checked.stdout
        request = GrantRequest(run_id=1, token=1, models=("gpt-5",), tokens=100_000)
        access = access_of(farm)
        words = ("--record", str(farm.home / "answers"), "--metrics-port", "0")
        with farm.started("gateway", *words, until=LISTENS) as one:
            files = psutil.Process(one.process.pid).rlimit(psutil.RLIMIT_NOFILE)
            assert files[0] == files[1], "each connection needs some"
            grant = access.open(request)
            head = {"authorization": f"Bearer {grant.key}"}
            body = {"model": "gpt-5", "messages": [{"role": "user", "content": "hello"}]}
            with access.http() as client:
                said = client.post("/openai/v1/chat/completions", json=body, headers=head)
            assert said.json()["choices"][0]["message"]["content"].startswith(
                "reply 0 of gpt-5-2025"
            )
            port = one.found(r'"port": (\d+)')[1]
            figures = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text
            assert 'gradefarm_gateway_calls_total{model="gpt-5",stop="stop"} 1.0' in figures
            spent = access.report(grant)
            assert spent.usage.output > 0
            told = f'tokens_total{{kind="output",model="gpt-5"}} {float(spent.usage.output)}'
            assert told in figures
            assert one.stop(signal.SIGKILL) == -signal.SIGKILL
    access.close_connections()
    # The provider is gone, too.
    with farm.started("gateway", "--replay", str(farm.home / "answers"), until=LISTENS) as again:
        with access.http() as client:
            same: httpx.Response = client.post(
                "/openai/v1/chat/completions", json=body, headers=head
            )
        assert same.content == said.content
        assert len(access.close(grant).calls) == 2
        told = farm.run("gateway", "--check", "--json")
        assert json.loads(told.stdout)["answers"] is True
        second = farm.run("gateway")
        assert second.returncode == 4
        assert "already" in second.stderr
        access.close_connections()
        assert again.stop(signal.SIGTERM) == 0
    assert "readme-key" not in "".join(
        path.read_text(errors="replace")
        for path in farm.home.parent.rglob("*")
        if path.is_file() and path.name != "openai.key"
    )


def test_every_fault_of_the_file_is_told_at_once(
    farm: FarmHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = readme_file().replace('"openai"\nbase_url', '"smoke"\nbase_url')
    text = text.replace("most_output_tokens = 32_000", "most_output_tokens = 0\nodd = 1")
    (farm.home / "gateway.toml").write_text(text)
    told = farm.run("gateway", "--check", "--json")
    assert told.returncode == 2
    fields = {fault["field"] for fault in json.loads(told.stderr)["error"]["faults"]}
    assert fields == {
        "providers.openai.wire",
        "models.gpt-5.most_output_tokens",
        "models.gpt-5.odd",
    }
    (farm.home / "gateway.toml").write_text(readme_file())
    told = farm.run("gateway", "--check")
    assert told.returncode == 2
    assert re.search(r"providers\.openai\.key_file: holds no key", told.stderr)
    for name, value in farm.environment.items():
        monkeypatch.setenv(name, value)
    (finding,) = gateway_findings(read_settings(farm.environment))
    assert "key_file: holds no key" in finding.text
    assert finding.remedy
