"""A real API server in front of a real database, with a token of each role."""

import contextlib
import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from models.migrations.upgrade import upgrade_database
from models.schemas.api_token import NewToken, TokenRole
from models.storage.api_tokens import create_token
from models.storage.transaction import Database, open_database
from tests.acceptance.farm_process import FarmHome, Started, farm_home
from tests.unit.scheduler.gate_samples import small_catalog

SPEC: dict[str, Any] = {
    "name": "nightly",
    "tasks": ["adder"],
    "languages": ["alpha"],
    "repeats": 3,
    "systems": [{"name": "idle", "agent": "idle"}],
}


class ApiHome(FarmHome):
    """A farm over the catalogue of `small_package`."""

    database_url = ""

    @property
    def environment(self) -> dict[str, str]:
        root = self.home.parent
        chosen = {"GRADEFARM_DATABASE_URL": self.database_url} if self.database_url else {}
        return (
            super().environment
            | chosen
            | {
                "GRADEFARM_CATALOG_PUBLIC": str(root / "tasks"),
                "GRADEFARM_CATALOG_SEALED": str(root / "tasks"),
                "GRADEFARM_LANGUAGES": str(root / "languages"),
            }
        )

    @property
    def url(self) -> str:
        """Where its database is."""
        return self.database_url or f"sqlite:///{self.home / 'farm.db'}"


@contextmanager
def api_home(root: Path, database_url: str = "") -> Generator[tuple[ApiHome, Database]]:
    """A home with an upgraded database, opened."""
    small_catalog(root)
    with farm_home(root) as plain:
        home = ApiHome(plain.home)
        home.database_url = database_url
        home.home.mkdir(exist_ok=True)
        upgrade_database(home.url)
        database = open_database(home.url)
        yield home, database
        database.close()


@dataclass
class ApiServer:
    """A server that answers, its database, and clients of each role."""

    started: Started
    address: str
    database: Database
    secrets: dict[TokenRole, str]
    home: ApiHome

    def client(self, role: TokenRole | None = None) -> httpx.Client:
        """A client with the token of a role, or without one."""
        headers = {"Authorization": f"Bearer {self.secrets[role]}"} if role else {}
        return httpx.Client(base_url=self.address, headers=headers, timeout=30)

    @property
    def process(self) -> psutil.Process:
        """The process that answers."""
        return psutil.Process(self.started.process.pid)

    def events(self, name: str) -> list[dict[str, Any]]:
        """What the log has of one kind of event."""
        lines = [line for line in self.started.text.splitlines() if line.startswith("{")]
        records = []
        for line in lines:
            with contextlib.suppress(json.JSONDecodeError):
                records.append(json.loads(line))
        return [one for one in records if one.get("event") == name]


@contextmanager
def api_server(
    root: Path, *words: str, database_url: str = "", now: float | None = None
) -> Generator[ApiServer]:
    """A server on a free port in a home below `root`; words are options of `gradefarm api`."""
    import time

    with api_home(root, database_url) as (home, database):
        secrets = {}
        with database.transaction() as session:
            for role in TokenRole:
                wanted = NewToken(name=f"the-{role.value}", role=role, days=1)
                secrets[role] = create_token(session, wanted, now or time.time()).secret
        with home.started("api", "--port", "0", *words, until="/api/docs") as started:
            found = re.search(r"https?://[^/\s]+", started.text)
            assert found
            yield ApiServer(started, found.group(), database, secrets, home)


def sent_events(lines: Any, limit: int = 1_000) -> list[dict[str, str]]:
    """Server-sent events out of lines, until the stream ends or `limit` events came."""
    events: list[dict[str, str]] = []
    event: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            events.append(event)
            event = {}
            if len(events) == limit:
                break
    return events
