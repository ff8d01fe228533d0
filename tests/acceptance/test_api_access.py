"""Who may do what over HTTP: every operation of the description, with every kind of caller."""

import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Generator
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest

from models.schemas.api_token import NewToken, TokenRole
from models.storage.api_tokens import create_token, list_tokens, revoke_token
from scheduler.api.roles import needed_role
from tests.acceptance.api_server import SPEC, ApiServer, api_home, api_server
from tests.acceptance.farm_process import wait_for
from tests.conftest import miss

VALUES = {
    "campaign": "never-1",
    "run": "4711",
    "digest": "sha256:" + "0" * 64,
    "name": "never",
    "task": "adder",
    "language": "alpha",
    "report": "ctrf",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[ApiServer]:
    with api_server(tmp_path_factory.mktemp("access")) as started:
        yield started


def operations(server: ApiServer) -> list[tuple[str, str, str]]:
    """Method, path and role of every operation; a new one is in here without being named."""
    described = server.client(TokenRole.READ).get("/api/openapi.json").json()
    return [
        (method.upper(), re.sub(r"\{(\w+)\}", lambda m: VALUES.get(m[1], "x"), path), one[ROLE])
        for path, operations in described["paths"].items()
        for method, one in operations.items()
    ]


ROLE = "x-gradefarm-role"


def test_every_operation_asks_for_exactly_its_role(server: ApiServer) -> None:
    found = operations(server)
    assert len(found) > 30
    assert {role for _, _, role in found} == {*TokenRole, "anybody"}
    callers = [None, *TokenRole]
    for caller in callers:
        with server.client(caller) as client:
            for method, path, role in found:
                answer = client.request(method, path, json={} if method != "GET" else None)
                where = f"{method} {path} ({role}) by {caller}: {answer.status_code} {answer.text}"
                if role == "anybody":
                    assert answer.status_code == 200, where
                elif caller is None:
                    assert answer.status_code == 401, where
                    assert answer.headers["www-authenticate"].startswith("Bearer"), where
                elif not caller.allows(TokenRole(role)):
                    assert answer.status_code == 403, where
                else:
                    assert answer.status_code not in (401, 403), where
                    assert answer.status_code < 500, where


def spellings(path: str) -> set[str]:
    """A path written otherwise; whoever routes it may take some of them for the same."""
    last = path.rindex("/")
    ends = {path + end for end in ("%0A", "%0D", "%00", "%7F", "/", "//", "%2F", "/%0A", "%0A/")}
    inner = {path[:last] + slash + path[last + 1 :] for slash in ("//", "%2F", "%0A/", "/%0A")}
    return ends | inner | {path.replace("/api/", "/api//"), path.replace("/api/", "/api%2F")}


def test_no_spelling_of_a_path_asks_for_less_than_the_path(server: ApiServer) -> None:
    for method, path, role in operations(server):
        if role == "anybody":
            continue
        for spelt in spellings(path) - {path}:
            needed = needed_role(method, unquote(spelt))
            assert needed is not None, (method, spelt)
            assert needed.allows(TokenRole(role)), (method, spelt, needed)
    lesser = TokenRole.SCHEDULE
    with server.client(lesser) as client:
        for method, path, role in operations(server):
            if role == "anybody" or lesser.allows(TokenRole(role)):
                continue
            for spelt in spellings(path):
                body = {"name": "evil", "role": "admin"} if method == "POST" else None
                answer = client.request(method, spelt, json=body)
                expected = 404 if re.search("%0|%7F", spelt) else 403
                assert answer.status_code == expected, (method, spelt, answer.text)
                assert answer.headers["content-type"] == "application/problem+json"


def test_what_is_not_described_is_closed_too(server: ApiServer) -> None:
    with server.client() as client:
        for path in ("/api/docs", "/api/openapi.json", "/api/nowhere", "/", "/api/tokens/"):
            assert client.get(path).status_code == 401, path
    with server.client(TokenRole.READ) as client:
        page = client.get("/api/docs")
        assert page.status_code == 200
        assert "<script" not in page.text
        assert client.get("/api/campaigns/no/where").status_code == 404
        assert client.get("/nowhere").status_code == 403
        refused = client.options("/api/campaigns")
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")


def test_expired_and_revoked_tokens_open_nothing(server: ApiServer) -> None:
    now = time.time()
    with server.database.transaction() as session:
        short = NewToken(name="short", role=TokenRole.ADMIN, days=1)
        expired = create_token(session, short, now - 86_401).secret
        wanted = NewToken(name="gone", role=TokenRole.ADMIN)
        gone = create_token(session, wanted, now).secret
    with server.client() as client:
        as_gone = {"Authorization": f"Bearer {gone}"}
        assert client.get("/api/farm", headers=as_gone).status_code == 200
        with server.database.transaction() as session:
            revoke_token(session, "gone", now)
        for header in (
            as_gone,
            {"Authorization": f"Bearer {expired}"},
            {"Authorization": gone},
            {"Authorization": f"Basic {gone}"},
            {"Authorization": "Bearer"},
            {"Authorization": "Bearer " + "x" * 5_000},
            {"Authorization": b"Bearer \xff\xfe"},
            {"Cookie": f"token={gone}"},
        ):
            answer = client.get("/api/farm", headers=header)  # type: ignore[arg-type]
            assert answer.status_code == 401, header
            assert answer.headers["content-type"] == "application/problem+json"


def test_tokens_are_made_and_revoked_over_http_and_never_logged(server: ApiServer) -> None:
    with server.client(TokenRole.ADMIN) as client:
        made = client.post("/api/tokens", json={"name": "robot", "role": "read", "days": 2})
        assert made.status_code == 201
        secret = made.json()["secret"]
        assert client.post("/api/tokens", json={"name": "robot", "role": "read"}).status_code == 409
        as_robot = {"Authorization": f"bearer {secret}"}
        assert client.get("/api/farm", headers=as_robot).json()["role"] == "read"
        assert client.delete("/api/tokens/robot").json()["revoked_at"]
        assert client.get("/api/farm", headers=as_robot).status_code == 401
        listed = client.get("/api/tokens").text
    logged = [one for one in server.events("changed") if "robot" in one.values()]
    told = [(one["action"], one["by"]) for one in logged]
    assert told == [("create_token", "the-admin"), ("revoke_token", "the-admin")]
    failed = server.events("login_failed")
    assert failed
    assert {one["address"] for one in failed} == {"127.0.0.1"}
    for each in (secret, *server.secrets.values()):
        assert each not in server.started.text
        assert each not in listed


def test_a_use_is_noted_without_a_request_waiting_for_it(server: ApiServer) -> None:
    with server.client(TokenRole.READ) as client:
        client.get("/api/farm")

    def noted() -> float | None:
        with server.database.read() as session:
            return next(x for x in list_tokens(session) if x.name == "the-read").last_used_at

    wait_for(noted, 20)


def test_a_request_with_a_token_may_use_any_name_of_the_server(server: ApiServer) -> None:
    with server.client(TokenRole.READ) as client:
        assert client.get("/api/farm", headers={"Host": "farm.example"}).status_code == 200


def test_every_fault_of_a_campaign_is_named_with_its_place_and_remedy(server: ApiServer) -> None:
    wrong = SPEC | {
        "tasks": ["addr"],
        "repeats": 0,
        "extra": 1,
        "systems": [{"name": "a", "agent": "comand"}, {"agent": "idle"}],
    }
    with server.client(TokenRole.SCHEDULE) as client:
        answer = client.post("/api/campaigns", json={"spec": wrong})
        assert answer.status_code == 400
        problem = answer.json()
        found = {fault["field"]: fault["remedy"] for fault in problem["faults"]}
        assert set(found) == {
            "#/spec/tasks/0",
            "#/spec/repeats",
            "#/spec/extra",
            "#/spec/systems/0/agent",
            "#/spec/systems/1/name",
        }
        assert found["#/spec/systems/0/agent"] == "did you mean 'command'?"
        assert all(found.values())
        assert (problem["type"], problem["exit_code"]) == ("urn:gradefarm:problem:invalid-input", 2)
        shape = client.post("/api/campaigns", json={"spec": [], "unproven": "maybe", "odd": 1})
        assert shape.status_code == 422
        fields = [fault["field"] for fault in shape.json()["faults"]]
        assert fields == ["#/spec", "#/unproven", "#/odd"]
        assert client.post("/api/campaigns", content=b"{").status_code == 422
        sent_as_json = {"Content-Type": "application/json"}
        assert client.post("/api/gates", content=b"\xff", headers=sent_as_json).status_code == 422
        half = client.post("/api/campaigns", content=b'{"spec": {"name": "\\ud800"}}')
        assert half.status_code in (400, 422)
        assert client.post("/api/campaigns", json={"spec": SPEC}).status_code == 409


def test_what_is_too_large_or_too_slow_is_turned_away(server: ApiServer) -> None:
    with server.client(TokenRole.SCHEDULE) as client:
        large = b'{"spec": "' + b"x" * (5 << 20) + b'"}'
        answer = client.post("/api/campaigns", content=large)
        assert (answer.status_code, answer.json()["status"]) == (413, 413)
        pieces = (large[at : at + 65_536] for at in range(0, len(large), 65_536))
        chunks = client.post("/api/campaigns", content=pieces)
        assert chunks.status_code == 413
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=40) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        began = time.monotonic()
        assert slow.recv(1_000) == b""
        assert 5 < time.monotonic() - began < 30


def test_nobody_reads_from_elsewhere_without_tls_and_a_token(tmp_path: Path) -> None:
    with api_home(tmp_path) as (home, database):
        bare = home.run("api", "--host", "0.0.0.0")
        assert (bare.returncode, "--tls-cert" in bare.stderr) == (4, True)
        tokenless = home.run("api", "--host", "0.0.0.0", "--behind-proxy")
        assert (tokenless.returncode, "tokens create" in tokenless.stderr) == (4, True)
        made = home.run("tokens", "create", "laptop", "--role", "read")
        secret = made.stdout.splitlines()[0]
        assert (made.stdout + made.stderr).count(secret) == 1
        cert, key = self_signed(tmp_path)
        words = ("--host", "0.0.0.0", "--tls-cert", str(cert), "--tls-key", str(key))
        with home.started("api", "--port", "0", *words, until="/api/docs") as started:
            port = started.found(r"https://0\.0\.0\.0:(\d+)/")[1]
            trusted = ssl.create_default_context(cafile=str(cert))
            with httpx.Client(base_url=f"https://localhost:{port}", verify=trusted) as client:
                assert client.get("/healthz").status_code == 200
                assert client.get("/api/farm").status_code == 401
                sent = client.get("/api/farm", headers={"Authorization": f"Bearer {secret}"})
                assert sent.json()["role"] == "read"
        with database.transaction() as session:
            revoke_token(session, "laptop", time.time())
        again = home.run("api", "--host", "0.0.0.0", "--behind-proxy")
        assert again.returncode == 4


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost with its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    if shutil.which("openssl") is None:
        miss("openssl, to make a certificate")
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    words += f" -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout {key} -out {cert}"
    made = subprocess.run(["openssl", *words.split()], check=False, capture_output=True)
    assert made.returncode == 0, made.stderr
    return cert, key
