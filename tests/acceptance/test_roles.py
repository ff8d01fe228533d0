"""The answer key is where the agent is not: three users on three machines, and what one sees."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from models.storage.role_rights import RIGHTS, DatabaseRole
from models.tables.all_tables import METADATA
from tests.acceptance.farm_process import GRADEFARM, wait_for
from tests.acceptance.role_machine import ROOT, RoleMachine
from tests.acceptance.secret_catalog import LANGUAGES, SOLVED, TASK, Secrets, write_secret_catalog
from tests.chaos.servers import PostgreSqlServer, ValkeyServer
from tests.conftest import miss

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(600)]

PASSWORDS = {"farm": "owner-secret", "farm_agent": "agent-secret", "farm_grade": "grade-secret"}
BROKER_PASSWORD = "broker-secret"
BUNDLED = ROOT / "tasks_catalog" / "bundled"
STEAL = (
    "find / \\( -path /proc -o -path /sys -o -path /usr -o -path /work -o -path /dev \\) -prune"
    " -o -type f -size -512k -print0 2>/dev/null | xargs -0 cat > stolen.bin 2>/dev/null;"
    " cat /proc/[0-9]*/environ >> stolen.bin 2>/dev/null; env >> stolen.bin; ls -laR / 2>/dev/null"
    " | head -c 200000 >> stolen.bin; true"
)


@dataclass
class Listener:
    """Hears every command that anybody gives to the broker."""

    port: int
    heard: bytearray = field(default_factory=bytearray)

    def start(self) -> None:
        self._line = socket.create_connection(("127.0.0.1", self.port))
        self._line.sendall(f"AUTH {BROKER_PASSWORD}\r\nMONITOR\r\n".encode())
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def stop(self) -> bytes:
        self._line.shutdown(socket.SHUT_RDWR)
        self._thread.join(20)
        self._line.close()
        return bytes(self.heard)

    def _listen(self) -> None:
        while data := self._line.recv(1 << 16):
            self.heard += data


@dataclass
class SplitFarm:
    """A farm in three parts, and what a person needs to ask it."""

    root: Path
    secrets: Secrets
    postgresql: PostgreSqlServer
    valkey: ValkeyServer
    scheduler: RoleMachine
    grader: RoleMachine
    agent: RoleMachine
    person: dict[str, str]

    def ask(self, *words: str, code: int = 0) -> str:
        """One command of the person who runs the farm."""
        done = subprocess.run(
            [GRADEFARM, *words],
            env=self.person,
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )
        assert done.returncode == code, (
            f"gradefarm {words}\n{done.stdout}\n{done.stderr}\n{self.logs}"
        )
        return done.stdout

    def connect(self, role: str) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(database_url(self.postgresql, role))

    @property
    def logs(self) -> str:
        machines = (self.scheduler, self.grader, self.agent)
        return "\n".join(one.log.read_text() for one in machines if one.log.exists())


def database_url(server: PostgreSqlServer, role: str) -> str:
    return f"postgresql://{role}:{PASSWORDS[role]}@{server.host}:{server.port}/postgres"


def close_to_strangers(root: Path, server: PostgreSqlServer) -> None:
    """Passwords for everybody who comes over the network; roles for workers."""
    rules = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
    (root / "postgresql" / "pg_hba.conf").write_text(rules)
    server.start()
    own = psycopg.connect(
        host=str(root / "postgresql"), port=server.port, user="farm", dbname="postgres"
    )
    with own, own.cursor() as cursor:
        for role, password in PASSWORDS.items():
            if role != "farm":
                cursor.execute(f"CREATE ROLE {role} LOGIN")
            cursor.execute(f"ALTER ROLE {role} PASSWORD '{password}'")
    own.close()


def lock_broker(server: ValkeyServer) -> None:
    server.start()

    def locked() -> bool:
        try:
            with socket.create_connection((server.host, server.port), timeout=2) as line:
                line.sendall(f"CONFIG SET requirepass {BROKER_PASSWORD}\r\n".encode())
                return line.recv(99).startswith((b"+OK", b"-NOAUTH"))
        except OSError:
            return False

    wait_for(locked, 20)


@contextmanager
def split_farm(root: Path) -> Iterator[SplitFarm]:
    """The farm, with nothing started but database and broker."""
    known = Secrets()
    source = root / "source"
    write_secret_catalog(source, known)
    source.chmod(0o700)
    shutil.copytree(source / "languages", root / "languages")
    postgresql, valkey = PostgreSqlServer(root), ValkeyServer(root)
    try:
        close_to_strangers(root, postgresql)
        lock_broker(valkey)
        yield build_farm(root, known, postgresql, valkey)
    finally:
        valkey.stop()
        postgresql.stop()


def build_farm(
    root: Path, known: Secrets, postgresql: PostgreSqlServer, valkey: ValkeyServer
) -> SplitFarm:
    common = {
        "GRADEFARM_BROKER_URL": f"redis://:{BROKER_PASSWORD}@{valkey.host}:{valkey.port}/0",
        "GRADEFARM_CATALOG_PUBLIC": str(root / "public-half"),
        "GRADEFARM_LANGUAGES": str(root / "languages"),
    }
    stores = {
        "GRADEFARM_ARTIFACTS_URL": f"file://{root / 'grade' / 'artifacts'}",
        "GRADEFARM_AGENT_ARTIFACTS_URL": f"file://{root / 'agent-artifacts'}",
    }

    def machine(user: int, name: str, role: str, **more: str) -> RoleMachine:
        folder = root / name
        own = {
            "HOME": str(folder),
            "GRADEFARM_HOME": str(folder / "farm"),
            "GRADEFARM_SCRATCH": str(folder / "scratch"),
            "GRADEFARM_DATABASE_URL": database_url(postgresql, role),
            "PATH": "/usr/bin:/bin",
        }
        made = RoleMachine(user, folder, {**common, **own, **more})
        made.make()
        return made

    sealed = {name: str(root / name / "sealed-half") for name in ("scheduler", "grade")}
    scheduler = machine(23_001, "scheduler", "farm", GRADEFARM_CATALOG_SEALED=sealed["scheduler"])
    scheduler.environment["PATH"] = "/nonexistent"
    grader = machine(
        23_002, "grade", "farm_grade", GRADEFARM_CATALOG_SEALED=sealed["grade"], **stores
    )
    agent = machine(
        23_003,
        "agent",
        "farm_agent",
        GRADEFARM_CATALOG_SEALED="",
        GRADEFARM_AGENT_ARTIFACTS_URL=stores["GRADEFARM_AGENT_ARTIFACTS_URL"],
    )
    agent.masked = (BUNDLED,)
    (root / "agent-artifacts").mkdir()
    agent.give(root / "agent-artifacts")
    (root / "agent-artifacts").chmod(0o755)
    person = {
        **common,
        **stores,
        "HOME": str(root / "person"),
        "GRADEFARM_HOME": str(root / "person"),
        "GRADEFARM_DATABASE_URL": database_url(postgresql, "farm"),
        "GRADEFARM_CATALOG_SEALED": str(root / "source" / "tasks"),
        "PATH": os.environ["PATH"],
    }
    return SplitFarm(root, known, postgresql, valkey, scheduler, grader, agent, person)


def prepare(farm: SplitFarm) -> None:
    """What a person does before the parts are started."""
    source = {"GRADEFARM_CATALOG_PUBLIC": str(farm.root / "source" / "tasks")}
    before, farm.person = farm.person, {**farm.person, **source}
    farm.ask("db", "upgrade")
    farm.ask("db", "grant", "--agent-role", "farm_agent", "--grade-role", "farm_grade")
    farm.ask("catalog", "export", str(farm.root / "public-half"), "--half", "public")
    for machine in (farm.scheduler, farm.grader):
        half = machine.folder / "sealed-half"
        farm.ask("catalog", "export", str(half), "--half", "sealed")
        machine.give(half)
    farm.person = before


def campaign_file(folder: Path) -> Path:
    systems = {
        "thief": {"agent": "scripted", "settings": {"actions": [STEAL]}},
        "solver": {"agent": "scripted", "settings": {"actions": [_solve()]}},
        "reference": {"agent": "reference", "settings": {}},
    }
    lines = [
        'name = "roles"',
        f'tasks = ["{TASK}"]',
        "repeats = 1",
        'languages = ["python", "javascript"]',
    ]
    for name, system in systems.items():
        actions = system["settings"].get("actions")
        lines += ["", "[[systems]]", f'name = "{name}"', f'agent = "{system["agent"]}"']
        if actions:
            lines.append(f"settings = {{ actions = [{json.dumps(actions[0])}] }}")
    path = folder / "campaign.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _solve() -> str:
    """A solution of the solver's own, in whichever language it finds."""
    parts = []
    for language, file in LANGUAGES.items():
        octal = "".join(f"\\{byte:03o}" for byte in SOLVED[language].encode())
        parts.append(f"if test -e {file}; then printf '{octal}' > {file}; fi")
    return "; ".join(parts)


@pytest.fixture
def farm() -> Iterator[SplitFarm]:
    if os.geteuid() != 0:
        miss("root, which can be three users")
    root = Path(tempfile.mkdtemp(prefix="gradefarm-roles-", dir="/srv"))
    root.chmod(0o755)
    try:
        with split_farm(root) as farm:
            prepare(farm)
            try:
                yield farm
            finally:
                for machine in (farm.agent, farm.grader, farm.scheduler):
                    machine.stop()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def test_no_secret_reaches_an_agent_worker_while_a_whole_campaign_is_proved_run_and_graded(
    farm: SplitFarm,
) -> None:
    listener = Listener(farm.valkey.port)
    listener.start()
    try:
        farm.scheduler.start("scheduler", until="in office")
        farm.grader.start("worker", "--role", "grade", "--concurrency", "2", until="ready")
        farm.agent.start("worker", "--role", "agent", "--concurrency", "1", until="ready")
        farm.ask("gate", "run", "--task", TASK)
        farm.ask("campaign", "start", str(campaign_file(farm.root / "source")), "--watch")
        runs = json.loads(farm.ask("runs", "list", "--json"))["runs"]
    finally:
        heard = listener.stop()
    verdicts = {(run["system"], run["language"]): run["verdict"] for run in runs}
    expected = {"thief": "failed", "solver": "passed", "reference": "passed"}
    assert verdicts == {
        (system, language): verdict
        for system, verdict in expected.items()
        for language in LANGUAGES
    }
    assert_agent_reaches_nothing(farm)
    assert_nothing_leaked(farm, heard)
    assert_scheduler_is_bare(farm)


def assert_agent_reaches_nothing(farm: SplitFarm) -> None:
    """By permissions on one disk, and because its machine has no sealed half at all."""
    for place in (farm.grader.folder, farm.scheduler.folder, farm.root / "source"):
        listed = farm.agent.run("ls", str(place))
        assert "Permission denied" in listed.stderr, listed
    for inner in ("sealed-half", "artifacts"):
        assert farm.agent.run("ls", str(farm.grader.folder / inner)).returncode != 0
    assert farm.agent.run("ls", str(BUNDLED)).stdout == ""
    for statement in ("SELECT * FROM check_reports", "SELECT document FROM gate_decisions"):
        with (
            farm.connect("farm_agent") as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(statement)


def assert_nothing_leaked(farm: SplitFarm, heard: bytes) -> None:
    """Not into the broker, nor rows, environments and files that an agent worker can read."""
    assert b"agent.python" in heard
    assert b"grade.python" in heard
    assert [one for one in farm.secrets.all if one.encode() in heard] == []
    rows = readable_rows(farm)
    assert "scripted" in rows
    assert [one for one in farm.secrets.all if one in rows] == []
    environments = farm.agent.environments()
    assert b"farm_agent" in environments
    foreign = [*farm.secrets.all, "grade-secret", "owner-secret", "sealed-half", "grade/artifacts"]
    assert [one for one in foreign if one.encode() in environments] == []
    places = [str(farm.root), "/tmp", "/var/tmp", "/home", "/dev/shm"]
    search = ["grep", "-rlaF", "--devices=skip", "-f", "-"]
    marks = "\n".join(farm.secrets.all)
    found = farm.agent.run(*search, *places, stdin=marks)
    assert found.stdout == "", found.stdout
    # The search finds what is there: the starter, and what the thief left of it.
    starter = farm.agent.run(*search, str(farm.root), stdin="console.log(0)")
    assert "public-half/adding/public/javascript/main.js" in starter.stdout
    assert "agent-artifacts" in starter.stdout
    by_grader = farm.grader.run(*search, str(farm.grader.folder), stdin=marks)
    assert "sealed-half" in by_grader.stdout
    assert "artifacts" in by_grader.stdout


def readable_rows(farm: SplitFarm) -> str:
    """Everything that the agent's password can select, whatever role_rights.py says."""
    shown: list[str] = []
    with farm.connect("farm_agent") as connection:
        for name, table in METADATA.tables.items():
            columns = [
                column.name
                for column in table.columns
                if connection.execute(
                    "SELECT has_column_privilege(%s, %s, 'SELECT')", (name, column.name)
                ).fetchone()
                == (True,)
            ]
            assert bool(columns) is bool(RIGHTS[DatabaseRole.AGENT][name].read), name
            if columns:
                rows = connection.execute(f"SELECT {', '.join(columns)} FROM {name}").fetchall()
                shown.append(f"{name}: {rows}")
    return "\n".join(shown)


def assert_scheduler_is_bare(farm: SplitFarm) -> None:
    """It ran without a compiler in reach, and knows no key of a model or a store."""
    told = dict(
        word.split("=", 1) for word in farm.scheduler.environments().decode().split("\0") if word
    )
    assert told["PATH"] == "/nonexistent"
    assert set(told) == set(farm.scheduler.environment)
    assert not [name for name in told if "KEY" in name or "TOKEN" in name or "ARTIFACTS" in name]
