"""A gateway of the farm's own code in a thread of a test, before a local model server."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx
import uvicorn
from prometheus_client import CollectorRegistry

from models.clock import SystemClock
from models.schemas.model_call import Grant, GrantReport, GrantRequest
from models.settings import Settings, read_settings
from tests.fakes.model_server import KEY
from workers.gateway_access import GatewayAccess, gateway_access
from workers.gateway_command import listener_of
from workers.model_gateway.connection_watch import HEAD_S, watched_connection
from workers.model_gateway.gateway_opening import Recordings, open_gateway
from workers.model_gateway.gateway_server import Gateway, build_gateway

ENDS_S = 120.0
"""A gateway that has not ended by then never will."""
CHAT, CLAUDE = "small-chat", "small-claude"
"""Models of `gateway_toml`: one of each kind of provider."""
PATHS = {
    "openai-chat": "/openai/v1/chat/completions",
    "openai-responses": "/openai/v1/responses",
    "anthropic": "/anthropic/v1/messages",
}


class HasUrl(Protocol):
    """A server that is to be had at a root."""

    @property
    def url(self) -> str: ...


def gateway_toml(server: HasUrl, *, provider: str = "", model: str = "", prices: str = "") -> str:
    """A gateway's file for a local model server; `provider` and `model` are more lines of each."""
    return f"""
[providers.open]
wire = "openai"
base_url = "{server.url}/v1"
key_file = "provider.key"
first_pause_s = 0.01
{provider}

[providers.anthropic]
wire = "anthropic"
base_url = "{server.url}"
key_file = "provider.key"
first_pause_s = 0.01
{provider}

[models.{CHAT}]
provider = "open"
most_output_tokens = 1000
{model}

[models.{CLAUDE}]
provider = "anthropic"
most_output_tokens = 1000
{model}

[[prices]]
model = "{CHAT}"
valid_from = 2026-01-01
input = 1_250_000
cache_read = 125_000
output = 10_000_000
{prices}

[[prices]]
model = "{CLAUDE}"
valid_from = 2026-01-01
input = 3_000_000
cache_read = 300_000
cache_write = 3_750_000
output = 15_000_000
{prices}
"""


@dataclass
class RunningGateway:
    """A gateway that serves; `access` is a worker's way to it."""

    settings: Settings
    access: GatewayAccess
    opened: Gateway

    def grant(self, run_id: int = 1, token: int = 1, **limits: object) -> Grant:
        """A grant for both models."""
        asked = {"models": (CHAT, CLAUDE), "label": f"system/task/python/r{run_id}", **limits}
        return self.access.open(
            GrantRequest.model_validate({"run_id": run_id, "token": token, **asked})
        )

    def ask(self, grant: Grant, wire: str, **body: object) -> httpx.Response:
        """One call, not streamed unless the body says so; `grant` is whose key is shown."""
        with self.access.http() as client:
            return client.post(PATHS[wire], json=call_body(wire, **body), headers=key_of(grant))

    def close(self, grant: Grant) -> GrantReport:
        return self.access.close(grant)


def key_of(grant: Grant) -> dict[str, str]:
    return {"authorization": f"Bearer {grant.key}"}


def call_body(wire: str, **body: object) -> dict[str, object]:
    """A small request in that format."""
    said = [{"role": "user", "content": "say something"}]
    if wire == "openai-chat":
        return {"model": CHAT, "messages": said, **body}
    if wire == "openai-responses":
        return {"model": CHAT, "input": "say something", **body}
    return {"model": CLAUDE, "messages": said, "max_tokens": 100, **body}


def gateway_settings(home: Path, toml: str, key: str = KEY) -> Settings:
    """The settings of a farm in `home` whose gateway has that file."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "gateway.toml").write_text(toml)
    (home / "provider.key").write_text(key + "\n")
    return read_settings({"GRADEFARM_HOME": str(home)})


@contextmanager
def running_gateway(
    home: Path,
    toml: str,
    *,
    recordings: Recordings | None = None,
    key: str = KEY,
    host: str = "",
    connections: int = 500,
    head_s: float = HEAD_S,
    grace_s: int | None = None,
) -> Generator[RunningGateway]:
    """A gateway that listens below `home`, or on any port of `host`; gone after the block, and
    `grace_s` for what is under way."""
    settings = gateway_settings(home, toml, key)
    opened = open_gateway(settings, recordings or Recordings(), SystemClock(), CollectorRegistry())
    with listener_of(settings, host, 0) as listener:
        if listener.family != socket.AF_UNIX:
            address = "http://{}:{}".format(*listener.getsockname()[:2])
            settings = settings.model_copy(update={"gateway_url": address})
        config = uvicorn.Config(
            build_gateway(opened),
            http=watched_connection(connections, head_s),
            ws="none",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=grace_s,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        access = gateway_access(settings)
        assert access is not None
        while not server.started:
            assert thread.is_alive()
        try:
            yield RunningGateway(settings, access, opened)
        finally:
            access.close_connections()
            server.should_exit = True
            thread.join(ENDS_S)
            assert not thread.is_alive(), "the gateway does not end: a call is still under way"
