"""No secret of a farm is in any sandbox, record, log, artifact or page, whoever tells it."""

import base64
import gzip
import io
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from models.settings import current_settings, default_scratch
from models.storage.transaction import open_database
from models.tables.all_tables import METADATA
from scheduler.cli.main import main
from tests.acceptance.farm_process import READY, FarmHome, farm_home
from tests.acceptance.secret_catalog import TASK, Secrets, write_secret_catalog
from tests.acceptance.snooping_systems import (
    PROGRAM,
    REFUSED,
    SAID,
    SNOOPED,
    TellingModel,
    campaign_text,
)
from tests.acceptance.test_roles import (
    BROKER_PASSWORD,
    PASSWORDS,
    Listener,
    close_to_strangers,
    database_url,
    lock_broker,
)
from tests.chaos.servers import PostgreSqlServer, ValkeyServer
from tests.conftest import miss
from tests.fakes.model_server import model_server
from tests.fakes.running_gateway import gateway_toml
from tests.fakes.secret_search import RUN_KEY, SecretSearch, forms

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(400)]

KEY, OTHER_KEY = "provider-file-9b1f4c7e20d3a856", "provider-env-4e8d0c2b7a6f9135"
"""Of the provider whose key is in a file, and of the one whose key is in the environment."""
HOMES = {
    "the provider's key": "provider.key",
    "the gateway's token": "gateway/token",
    "Flower's password": "flower.password",
    **{f"the {role}'s key": f"keys/{role}.pem" for role in ("recorder", "grader", "log", "root")},
}
"""Where secrets live in the farm's home."""
RUNS = range(1, 9)
Surfaces = dict[str, bytes]
"""All that anybody can look at, by what it is."""


class SecretHome(FarmHome):
    """A farm with a password for everything that can have one."""

    addresses: tuple[str, str] = ("", "")

    @property
    def environment(self) -> dict[str, str]:
        tasks = str(self.home.parent / "source" / "tasks")
        return super().environment | {
            "GRADEFARM_DATABASE_URL": self.addresses[0],
            "GRADEFARM_BROKER_URL": self.addresses[1],
            "GRADEFARM_CATALOG_PUBLIC": tasks,
            "GRADEFARM_CATALOG_SEALED": tasks,
            "OTHER_PROVIDERS_KEY": OTHER_KEY,
        }


@pytest.fixture
def program() -> Generator[Path]:
    """An agent that is installed for everybody."""
    if os.geteuid() != 0:
        miss("root, to install something below /usr/local/lib")
    folder = Path(tempfile.mkdtemp(prefix="gradefarm-test-", dir="/usr/local/lib"))
    folder.chmod(0o755)
    file = folder / "snoop"
    file.write_text(PROGRAM)
    file.chmod(0o755)
    yield file
    shutil.rmtree(folder)


@dataclass
class Watched:
    """A farm whose campaign has ended, and what is seen of it."""

    home: SecretHome
    model: TellingModel
    flower: tuple[str, str, str]
    api: str
    token: str
    heard: Listener


@pytest.fixture
def watched(tmp_path: Path, program: Path) -> Generator[Watched]:
    root = Path(tempfile.mkdtemp(prefix="gradefarm-secrets-", dir="/srv"))
    root.chmod(0o755)
    postgresql, valkey = PostgreSqlServer(root), ValkeyServer(root)
    try:
        close_to_strangers(root, postgresql)
        lock_broker(valkey)
        with farm_home(tmp_path) as plain:
            home = SecretHome(plain.home)
            broker = f"redis://:{BROKER_PASSWORD}@{valkey.host}:{valkey.port}/0"
            home.addresses = (database_url(postgresql, "farm"), broker)
            listener = Listener(valkey.port)
            listener.start()
            with _campaign(home, program, listener) as watched:
                yield watched
    finally:
        valkey.stop()
        postgresql.stop()
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def _campaign(home: SecretHome, program: Path, listener: Listener) -> Iterator[Watched]:
    write_secret_catalog(home.home.parent / "source", Secrets())
    home.home.mkdir()
    journal = home.home / "gateway" / "grants"
    model = TellingModel(lambda: any('"closed"' in f.read_text() for f in _snoops(journal)))
    with model_server(model.says, keys=(KEY, OTHER_KEY), fault=lambda _, ask: model.fault(ask)) as (
        server
    ):
        toml = gateway_toml(server)
        whose, rest = toml.split("[providers.anthropic]")
        other = rest.replace('key_file = "provider.key"', 'key_env = "OTHER_PROVIDERS_KEY"')
        (home.home / "gateway.toml").write_text(f"{whose}[providers.anthropic]{other}")
        (home.home / "provider.key").write_text(KEY + "\n")
        file = home.home.parent / "snooping.toml"
        file.write_text(campaign_text(TASK, str(program)))
        with home.started("up", "--slots", "3", until=READY) as up:
            done = home.run("campaign", "start", str(file), "--unproven", "--watch", patience_s=240)
            assert done.returncode in (0, 4), done.stdout + done.stderr
            made = home.run("tokens", "create", "canary", "--role", "admin", "--json")
            shown = up.found(r"(http://127\.0\.0\.1:\d+)/ +user (\S+), password (\S+)")
            with home.started("api", "--port", "0", until="/api/docs") as api:
                yield Watched(
                    home,
                    model,
                    (shown[1], shown[2], shown[3]),
                    api.found(r"http://[^/\s]+")[0],
                    json.loads(made.stdout)["secret"],
                    listener,
                )


def _snoops(journal: Path) -> Iterator[Path]:
    return (one for one in journal.glob("*.jsonl") if "snoop/" in one.read_text())


def test_no_secret_leaves_its_place(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    search = SecretSearch(secrets_of(watched))
    commands = cli(watched.home, monkeypatch, capsys)
    surfaces = {
        **files_below(watched.home),
        **rows(watched.home),
        **commands,
        **api_pages(watched),
        **flower_pages(watched),
        "what the broker was told": watched.heard.stop(),
    }
    # What was planted happened, and is seen where people look; a dead key opens nothing.
    runs = json.loads(commands["runs list --json"])["runs"]
    assert Counter((run["system"], run["void_category"] or "") for run in runs) == {
        ("talker", ""): 2,
        ("snoop", ""): 2,
        ("locked-out", "gateway"): 2,
        ("shell", ""): 2,
    }
    assert watched.model.worth == ["401"]
    for mark in (SNOOPED, SAID, REFUSED):
        seen = {name.split()[0] for name, data in surfaces.items() if mark.encode() in data}
        assert {"artifact", "record", "runs", "api"} <= seen, mark
    # Each secret is found where it lives, and nowhere else.
    leaks = {name: found for name, data in surfaces.items() if (found := search.found(data))}
    for name, place in HOMES.items():
        assert leaks.pop(f"file {place}") == {name}
    assert leaks.pop("printed by up") == {"Flower's password"}
    assert leaks == {}


@pytest.mark.parametrize("name", ["the key", RUN_KEY])
def test_the_search_finds_what_is_planted(name: str) -> None:
    secret = "canary-9b1f4c7e20d3a856-x" if name == "the key" else "gfk-" + "Aa0_-" * 8 + "abc"
    search = SecretSearch({"the key": secret} if name == "the key" else {})
    wrapped: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "zlib": zlib.compress,
        "base64 of zlib, as records are kept": lambda data: base64.b64encode(zlib.compress(data)),
        "a member of a compressed archive": _archive,
    }
    around = b"before " * 99, b" after" * 99
    plain = {f"{form!r}": form for form in (forms(secret) if name == "the key" else ())}
    for what, planted in {**plain, "itself": secret.encode()}.items():
        whole = around[0] + planted + around[1]
        assert search.found(whole) == {name}, what
        for how, wrap in wrapped.items():
            assert search.found(b'\x00"' + wrap(whole) + b"\n") == {name}, (what, how)
    assert search.found(around[0] + secret[:-1].encode() + around[1]) == set()


def _archive(data: bytes) -> bytes:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w:gz") as archive:
        about = tarfile.TarInfo("file")
        about.size = len(data)
        archive.addfile(about, io.BytesIO(data))
    return kept.getvalue()


def secrets_of(watched: Watched) -> dict[str, str]:
    """Every secret that the farm has, by name."""
    home = watched.home.home
    found = {
        "the provider's key": KEY,
        "the other provider's key": OTHER_KEY,
        "the database's password": PASSWORDS["farm"],
        "the broker's password": BROKER_PASSWORD,
        "the token of the API": watched.token,
    }
    for name, place in HOMES.items():
        text = (home / place).read_text().strip()
        found[name] = "".join(text.splitlines()[1:-1]) if "PRIVATE" in text else text
    return found | {f"key {n} of a run": key for n, key in enumerate(watched.model.keys)}


def files_below(home: SecretHome) -> Surfaces:
    """Every file of the farm, and what its commands and its sandboxes left."""
    found: Surfaces = {}
    for place in (home.home.parent, default_scratch(home.home)):
        for path in place.rglob("*"):
            if path.is_file() and not path.is_symlink():
                found[_called(path, home.home)] = path.read_bytes()
    return found


def _called(path: Path, home: Path) -> str:
    if path.suffix == ".out":
        return f"printed by {path.name.split('-')[0]}"
    if not path.is_relative_to(home):
        return f"{'record' if path.suffix == '.tar' else 'left'} {path}"
    within = path.relative_to(home)
    return f"{'artifact' if within.parts[0] == 'artifacts' else 'file'} {within}"


def rows(home: SecretHome) -> Surfaces:
    """Every row of every table."""
    database = open_database(home.addresses[0])
    try:
        with database.engine.connect() as connection:
            return {
                f"rows {name}": repr(connection.execute(select(table)).all()).encode()
                for name, table in METADATA.tables.items()
            }
    finally:
        database.close()


RUN_COMMANDS = (
    "runs show {}",
    "runs show {} --json",
    "runs transcript {}",
    "runs checks {} --output",
    "runs export {} --format atif",
    "runs export {} --format otel --content",
    "record show {}",
    "record export {} --output {}.tar",
)
COMMANDS = (
    "runs list --json",
    "campaign status snooping-1 --json",
    "campaign activity snooping-1",
    "campaign budget snooping-1",
    "board --json",
    "board",
    "doctor --json",
    "gateway --check --json",
    "workers list --json",
    "systems list --json",
    "tokens list --json",
    "keys list --json",
    "keys trust",
    "log check --json",
    "metrics",
    "db check",
    "backup backups",
)


def cli(
    home: SecretHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Surfaces:
    """What commands print, in this process: there are many. Exports and a backup are left below
    the home's folder."""
    for name, value in (home.environment | {"GRADEFARM_SERVER": ""}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home.home.parent)
    current_settings.cache_clear()
    found: Surfaces = {}
    of_runs = [one.format(run, run) for run in RUNS for one in RUN_COMMANDS]
    for words in (*COMMANDS, *of_runs):
        monkeypatch.setattr(sys, "argv", ["gradefarm", *words.split()])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        assert ended.value.code in (0, 3, 4), (words, shown)
        found[words] = (shown.out + shown.err).encode()
    current_settings.cache_clear()
    return found


def api_pages(watched: Watched) -> Surfaces:
    """Every page that can be asked for, as the administrator."""
    head = {"Authorization": f"Bearer {watched.token}"}
    known = {"run": [*map(str, RUNS)], "campaign": ["snooping-1"], "recording": ["1"]}
    # Artifacts are looked at as files; a stream of progress would not end.
    known |= {"task": [TASK], "language": ["python"], "report": ["junit"], "digest": []}
    found: Surfaces = {}
    with httpx.Client(base_url=watched.api, headers=head, timeout=30, trust_env=False) as client:
        described = client.get("/api/openapi.json")
        pages = [path for path, about in described.json()["paths"].items() if "get" in about]
        for page in ("/api/openapi.json", "/api/docs", *pages):
            for path in _filled(page, known):
                found[f"api {path}"] = client.get(path).content
    return found


def _filled(page: str, known: dict[str, list[str]]) -> list[str]:
    names = re.findall(r"\{(\w+)\}", page)
    paths = [] if page.endswith("/events") else [page]
    for name in names:
        paths = [one.replace(f"{{{name}}}", value) for one in paths for value in known[name]]
    return paths


def flower_pages(watched: Watched) -> Surfaces:
    """Every page of Flower."""
    url, user, password = watched.flower
    pages = ["/", "/workers", "/tasks", "/broker", "/metrics", "/api/workers?refresh=1"]
    pages += ["/api/tasks", "/api/task/types", "/api/queues/length"]
    found: Surfaces = {}
    with httpx.Client(base_url=url, auth=(user, password), timeout=30, trust_env=False) as client:
        for worker in client.get("/api/workers").json():
            pages.append(f"/worker/{worker}")
        for task in client.get("/api/tasks").json():
            pages += [f"/task/{task}", f"/api/task/info/{task}"]
        for page in pages:
            found[f"flower {page}"] = client.get(page).content
    return found
