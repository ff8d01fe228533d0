"""`gradefarm gateway`: what the README shows of it, in a process of its own."""

import json
import re
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path

import httpx
import psutil
import pytest

from models.schemas.finding import Severity
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


@pytest.fixture
def open_folder() -> Generator[Path]:
    """One that others may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


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
        told = farm.run("gateway", "--check")
        assert "running      yes, a gateway answers" in told.stdout
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
    text += '[[prices]]\nmodel = "other"\nvalid_from = 2025-08-07\ninput = 1\noutput = 1\n'
    (farm.home / "gateway.toml").write_text(text)
    told = farm.run("gateway", "--check", "--json")
    assert told.returncode == 2
    fields = {fault["field"] for fault in json.loads(told.stderr)["error"]["faults"]}
    assert fields == {
        "providers.openai.wire",
        "providers.openai.key_file",
        "prices.1.model",
        "models.gpt-5.most_output_tokens",
        "models.gpt-5.odd",
    }
    (farm.home / "gateway.toml").write_text(readme_file())
    told = farm.run("gateway", "--check")
    assert told.returncode == 2
    assert re.search(r"providers\.openai\.key_file: can't be read \(No such file", told.stderr)
    for name, value in farm.environment.items():
        monkeypatch.setenv(name, value)
    (finding,) = gateway_findings(read_settings(farm.environment))
    assert "key_file: can't be read" in finding.text
    assert finding.remedy


def test_a_key_that_others_can_read_is_told_with_the_remedy(
    farm: FarmHome, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = open_folder / "openai.key"
    (farm.home / "gateway.toml").write_text(readme_file().replace("openai.key", str(key)))
    key.write_text("readme-key\n")
    key.chmod(0o644)
    told = farm.run("gateway", "--check")
    assert told.returncode == 0, told.stderr
    assert f"others may read it (mode 644): chmod 600 {key}" in told.stdout
    assert "running      no, nothing answers at this address" in told.stdout
    for name, value in farm.environment.items():
        monkeypatch.setenv(name, value)
    (finding,) = gateway_findings(read_settings(farm.environment))
    assert (finding.severity, "chmod 600" in finding.remedy) == (Severity.LACK, True)
    with farm.started("gateway", until=LISTENS) as one:
        assert one.found(r'"event": "key_readable".*chmod 600')
        one.stop(signal.SIGTERM)
    key.chmod(0o600)
    assert "chmod" not in farm.run("gateway", "--check").stdout
    # In a folder of its user's alone nobody else comes to it.
    key.chmod(0o644)
    open_folder.chmod(0o700)
    assert "chmod" not in farm.run("gateway", "--check").stdout
