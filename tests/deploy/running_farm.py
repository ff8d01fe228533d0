"""A farm of parts: processes with the command, the role and the secrets that compose gives."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from models.errors import FarmError
from scheduler.embedded_farm.broker import find_broker_binary
from tests.acceptance.farm_process import wait_for
from tests.conftest import miss
from tests.deploy.deploy_files import (
    DEPLOY,
    ROOT,
    image_environment,
    last,
    read_yaml,
    run_tool,
    tool,
)
from tests.fakes.model_server import by_turn, model_server
from tests.fakes.model_wires import Reply

GRADEFARM = Path(sys.executable).parent / "gradefarm"
DATABASE = "deploy_farm"
TASK, LANGUAGE = "circuit-breaker", "python"
HOME = "/var/lib/gradefarm"
PORTS = {"9100": "metrics", "8600": "http", "5555": "http", "8700": "http"}
GATEWAY = "http://gateway:8700"


SAID = (Reply("```shell\necho tried >> notes.txt\n```"), Reply("```shell\ntrue\n```"))
"""What the model says, turn by turn."""


@dataclass
class Part:
    """One process of the farm, called as in compose."""

    name: str
    target: str
    home: Path
    environment: dict[str, str]
    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def metrics_port(self) -> int:
        """Where its figures are; only for those that have some."""
        return int(self.environment["GRADEFARM_METRICS_PORT"])

    def is_well(self) -> bool:
        """What its image's health check says, run as a process."""
        words = last(self.target, "HEALTHCHECK").partition("CMD ")[2]
        argv = [self._here(word) for word in _json_words(words)]
        if argv[0] == "python3":
            argv[0] = sys.executable
        done = subprocess.run(argv, check=False, capture_output=True, timeout=120)
        return done.returncode == 0

    def _here(self, word: str) -> str:
        for port in PORTS:
            word = word.replace(f"127.0.0.1:{port}", f"127.0.0.1:{self.port}")
        return word.replace(HOME, str(self.home))


def _json_words(text_of_list: str) -> list[str]:
    return json.loads(text_of_list)


@dataclass
class RunningFarm:
    """The parts, and what a person has who types commands in the scheduler's container."""

    root: Path
    shared: dict[str, str]
    compose: dict[str, dict[str, object]]
    gateway: str = GATEWAY
    parts: list[Part] = field(default_factory=list)

    def environment_of(self, service: str) -> dict[str, str]:
        """What compose and its image set for a service, with places of this machine."""
        one = self.compose[service]
        target = str(one["build"]["target"])  # type: ignore[index]
        given = {**image_environment(target), **dict(one.get("environment", {}))}  # type: ignore[call-overload]
        places = {
            "/run/secrets": str(self._secrets_of(service)),
            "/etc/gradefarm/gateway.toml": str(self.root / "gateway.toml"),
            GATEWAY: self.gateway,
            "/var/lib/gradefarm-artifacts": str(self.root / "artifacts"),
            "/var/lib/gradefarm-agent-artifacts": str(self.root / "agent-artifacts"),
            "/srv/catalog": str(self.root / "halves"),
        }
        for name, value in given.items():
            for there, here in places.items():
                value = str(value).replace(there, here)  # noqa: PLW2901
            given[name] = value
        home = self.root / f"home-{service}"
        given |= {"PATH": os.environ["PATH"], "HOME": str(self.root), **self.shared}
        return given | {"GRADEFARM_HOME": str(home), "GRADEFARM_SCRATCH": f"{home}-scratch"}

    def _secrets_of(self, service: str) -> Path:
        """A folder with what the service is given, and nothing else."""
        folder = self.root / f"secrets-{service}"
        folder.mkdir(exist_ok=True)
        for name in cast("list[str]", self.compose[service].get("secrets", [])):
            if not (folder / name).exists():
                shutil.copy(self.root / "secrets" / name, folder)
        return folder

    def run(self, *words: str, service: str = "scheduler") -> subprocess.CompletedProcess[str]:
        """A command, typed in the container of a service."""
        return subprocess.run(
            [str(GRADEFARM), *words],
            env=self.environment_of(service),
            cwd=self.root,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def start(self, service: str, number: int = 1) -> Part:
        """Start a service by the command of its image or of compose."""
        one = self.compose[service]
        target = str(one["build"]["target"])  # type: ignore[index]
        words = list(one.get("command") or _json_words(last(target, "CMD")))  # type: ignore[call-overload]
        name = f"{service}-{number}"
        environment = self.environment_of(service)
        home = self.root / f"home-{name}"
        port = free_port()
        environment |= {"GRADEFARM_HOME": str(home), "GRADEFARM_SCRATCH": f"{home}-scratch"}
        if environment.get("GRADEFARM_METRICS_PORT"):
            has_door = any(word in PORTS for word in words)
            environment["GRADEFARM_METRICS_PORT"] = str(free_port() if has_door else port)
        here = [str(port) if word in PORTS else str(word) for word in words]
        if service in {"agent", "grade"}:
            here += ["--name", name]
        log = self.root / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(GRADEFARM), *here],
                env=environment,
                cwd=self.root,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        part = Part(name, target, home, environment, port, process, log)
        self.parts.append(part)
        return part

    def await_health(self, patience_s: float = 400) -> None:
        """Until every part's own health check is content."""
        for part in self.parts:
            give_up = time.monotonic() + patience_s
            while not part.is_well():
                assert part.process.poll() is None, f"{part.name} ended:\n{part.log.read_text()}"
                assert time.monotonic() < give_up, f"{part.name}:\n{part.log.read_text()}"
                time.sleep(0.3)

    def stop(self) -> dict[str, int]:
        """SIGTERM, as Docker and the kubelet send it; the exit code of every part."""
        for part in self.parts:
            if part.process.poll() is None:
                part.process.send_signal(signal.SIGTERM)
        return {part.name: part.process.wait(timeout=180) for part in self.parts}


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _point_at(secrets: Path, url: str, broker_port: int) -> None:
    """Let the drawn addresses lead to the servers of this test instead of to containers."""
    place = make_url(url)
    server = f"{place.host or 'localhost'}"
    more = "?" + "&".join(f"{k}={v}" for k, v in place.query.items()) if place.query else ""
    if place.query.get("host"):
        server = ""
    at = f"{server}{':' + str(place.port) if place.port else ''}"
    for path in secrets.glob("*database_url"):
        path.chmod(0o600)
        path.write_text(
            path.read_text().strip().replace("@database/farm", f"@{at}/{DATABASE}") + more
        )
    broker = secrets / "broker_url"
    broker.chmod(0o600)
    broker.write_text(broker.read_text().replace("@broker:6379", f"@127.0.0.1:{broker_port}"))


def _make_database(url: str, secrets: Path) -> None:
    """As the database's image does at its first start: an owner `farm`, then make_roles.sh."""
    admin = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    password = (secrets / "database_password").read_text().strip()
    with admin.connect() as connection:
        for role in ("farm_agent", "farm_grade", "farm"):
            connection.execute(text(f"DROP ROLE IF EXISTS {role}"))
        connection.execute(text(f"CREATE ROLE farm LOGIN SUPERUSER PASSWORD '{password}'"))
        connection.execute(text(f"CREATE DATABASE {DATABASE} OWNER farm"))
    admin.dispose()
    place = make_url(url)
    environment = {
        "PATH": str(Path(tool("psql")).parent) + ":/usr/bin:/bin",
        "SECRETS": str(secrets),
        "POSTGRES_USER": "farm",
        "POSTGRES_DB": DATABASE,
        "PGHOST": str(place.query.get("host") or place.host),
        "PGPORT": str(place.port or 5432),
        "PGPASSWORD": password,
    }
    done = subprocess.run(
        ["sh", str(DEPLOY / "compose" / "make_roles.sh")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _provider_key(secrets: Path) -> str:
    return (secrets / "provider_key").read_text().strip()


def _point_gateway_at(farm: RunningFarm, models: str) -> None:
    """Its file as compose mounts it, before a model server of this machine."""
    text = (DEPLOY / "compose" / "gateway.toml").read_text()
    here = str(farm.root / "secrets-gateway")
    text = text.replace("https://api.openai.com", models).replace("/run/secrets", here)
    (farm.root / "gateway.toml").write_text(text)


def _drop_database(url: str) -> None:
    admin = create_engine(
        make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT"
    )
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"))
        for role in ("farm_agent", "farm_grade", "farm"):
            connection.execute(text(f"DROP ROLE IF EXISTS {role}"))
    admin.dispose()


@contextmanager
def _broker(root: Path, compose: dict[str, dict[str, object]]) -> Generator[int]:
    """The broker by compose's own words, with the drawn access list."""
    port = free_port()
    try:
        binary = find_broker_binary().path
    except FarmError as error:
        miss(str(error))
    data = root / "broker"
    data.mkdir()
    words = [str(word) for word in compose["broker"]["command"]]  # type: ignore[attr-defined]
    places = {"/data": str(data), "/run/secrets": str(root / "secrets")}
    for there, here in places.items():
        words = [word.replace(there, here) if word.startswith("/") else word for word in words]
    process = subprocess.Popen(
        [str(binary), *words[1:], "--bind", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )
    try:
        wait_for(lambda: _listens(port) or process.poll() is not None, 20)
        assert process.poll() is None, "the broker refused its configuration"
        yield port
    finally:
        process.terminate()
        process.wait(timeout=20)


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def _small_catalog(folder: Path) -> None:
    """One bundled task in one language, and that language."""
    bundled = ROOT / "tasks_catalog"
    (folder / "languages").mkdir(parents=True)
    shutil.copy(bundled / "languages" / f"{LANGUAGE}.toml", folder / "languages")
    task = folder / "tasks" / TASK
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(bundled / "bundled" / TASK, task, ignore=ignore)
    manifest = (task / "task.toml").read_text()
    kept = re.sub(r"^languages = .*$", f'languages = ["{LANGUAGE}"]', manifest, flags=re.MULTILINE)
    (task / "task.toml").write_text(kept)
    for half in ("public", "sealed"):
        for entry in (task / half).iterdir():
            if entry.is_dir() and entry.name != LANGUAGE:
                shutil.rmtree(entry)


@contextmanager
def running_farm(url: str) -> Generator[RunningFarm]:
    """All services of the compose file that are the farm's own, two schedulers among them."""
    root = Path(tempfile.mkdtemp(prefix="gradefarm-deploy-", dir="/var/tmp"))
    root.chmod(0o755)
    compose = read_yaml("compose", "compose.yaml")["services"]
    secrets = root / "secrets"
    assert run_tool("sh", DEPLOY / "compose" / "make_secrets.sh", secrets).returncode == 0
    _small_catalog(root / "catalog")
    shared = {"GRADEFARM_LANGUAGES": str(root / "catalog" / "languages")}
    farm = RunningFarm(root, shared, compose)
    whole = {
        "GRADEFARM_CATALOG_PUBLIC": str(root / "catalog" / "tasks"),
        "GRADEFARM_CATALOG_SEALED": str(root / "catalog" / "tasks"),
        "GRADEFARM_HOME": str(root / "home-export"),
        **shared,
    }
    for half in ("public", "sealed"):
        done = subprocess.run(
            [str(GRADEFARM), "catalog", "export", str(root / "halves" / half), "--half", half],
            env={"PATH": os.environ["PATH"], **whole},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    try:
        with _broker(root, compose) as port:
            _make_database(url, secrets)
            _point_at(secrets, url, port)
            (words,) = compose["migrate"]["command"]
            done = subprocess.run(
                ["sh", "-ec", words.replace("gradefarm ", f"{GRADEFARM} ")],
                env=farm.environment_of("migrate"),
                cwd=root,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            # Beyond loopback the API begins only where somebody could be let in.
            made = farm.run("tokens", "create", "me", "--role", "admin")
            assert made.returncode == 0, made.stderr
            with model_server(by_turn(*SAID), keys=[_provider_key(secrets)]) as models:
                _point_gateway_at(farm, models.url)
                farm.gateway = f"http://127.0.0.1:{farm.start('gateway').port}"
                for service in ("scheduler", "agent", "grade", "api", "flower"):
                    farm.start(service)
                farm.start("scheduler", 2)
                yield farm
    finally:
        for part in farm.parts:
            if part.process.poll() is None:
                part.process.kill()
                part.process.wait()
        _drop_database(url)
        shutil.rmtree(root, ignore_errors=True)
