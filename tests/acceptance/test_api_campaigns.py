"""Campaigns over HTTP: started once however often it is sent, read page by page, followed live."""

import itertools
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from models.schemas.api_token import TokenRole
from models.schemas.campaign import CampaignSpec, CampaignState
from models.storage.artifacts import FolderArtifacts
from models.storage.campaign_states import change_campaign
from models.storage.plans import create_campaign
from models.storage.transaction import open_database
from scheduler.planning import plan_cells
from tests.acceptance.api_server import SPEC, ApiServer, api_server, sent_events
from tests.acceptance.farm_process import READY, farm_home, wait_for
from tests.conftest import miss
from tests.fakes.campaigns import campaign_spec, variant, write_campaign

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[ApiServer]:
    with api_server(tmp_path_factory.mktemp("campaigns")) as started:
        yield started


@pytest.fixture(scope="module")
def postgresql_server(
    tmp_path_factory: pytest.TempPathFactory, postgresql_url: str
) -> Generator[ApiServer]:
    """On a database of its own, since the tables of other tests stay where they are."""
    from sqlalchemy import text

    server = open_database(postgresql_url)
    with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("DROP DATABASE IF EXISTS api WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE api"))
        own = server.engine.url.set(database="api").set(drivername="postgresql")
        url = own.render_as_string(hide_password=False)
        with api_server(tmp_path_factory.mktemp("postgresql"), database_url=url) as started:
            yield started
        connection.execute(text("DROP DATABASE api WITH (FORCE)"))
    server.close()


@pytest.fixture(params=["sqlite_server", "postgresql_server"])
def server(request: pytest.FixtureRequest) -> ApiServer:
    return request.getfixturevalue(request.param)


def start(client: httpx.Client, key: str | None = None, **changes: Any) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"spec": SPEC | changes, "unproven": True}
    return client.post("/api/campaigns", json=body, headers=headers)


def test_a_start_that_is_sent_again_starts_nothing_twice(server: ApiServer) -> None:
    with server.client(TokenRole.SCHEDULE) as client, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: start(client, "once"), range(8)))
        assert {one.status_code for one in answers} == {201}
        [campaign] = {one.json()["id"] for one in answers}
        replayed = [one.headers.get("idempotent-replayed") for one in answers]
        assert sorted(filter(None, replayed)) == ["true"] * 7
        assert {one.headers["location"] for one in answers} == {f"/api/campaigns/{campaign}"}
        other = start(client, "once", repeats=4)
        assert (other.status_code, "once" in other.json()["detail"]) == (409, True)
        assert start(client).json()["id"] != campaign
        with server.client(TokenRole.ADMIN) as somebody:
            assert start(somebody, "once").json()["id"] != campaign
        wait_for(lambda: standing(client, campaign)["state"] == "running", 20)
        assert standing(client, campaign)["planned"] == 3


def standing(client: httpx.Client, campaign: str) -> dict[str, Any]:
    return client.get(f"/api/campaigns/{campaign}").json()["campaign"]


def test_who_may_start_campaigns_may_tighten_a_limit_and_not_loosen_it(server: ApiServer) -> None:
    def started(role: TokenRole, most: int | None) -> httpx.Response:
        limited = {"name": "capped", "agent": "scripted", "settings": {"actions": ["capped"]}}
        limit = {} if most is None else {"max_concurrent": most}
        spec = SPEC | {"name": "capped", "systems": [limited | limit]}
        with server.client(role) as client:
            return client.post("/api/campaigns", json={"spec": spec, "unproven": True})

    schedule = TokenRole.SCHEDULE
    assert [started(schedule, most).status_code for most in (4, 2, 2, None)] == [201] * 4
    refused = started(schedule, 3)
    assert refused.status_code == 403
    assert "capped-" in refused.json()["detail"], "who set the limit is not told"
    assert started(TokenRole.ADMIN, 3).status_code == 201


def test_what_has_to_be_planned_is_planned_behind_the_answer(server: ApiServer) -> None:
    paused = write_planning(server)
    with server.client(TokenRole.SCHEDULE) as client:
        assert client.post(f"/api/campaigns/{paused}/resume").json()["state"] == "planning"
        wait_for(lambda: standing(client, paused)["state"] == "running", 20)
        client.post(f"/api/campaigns/{paused}/cancel")
        body = {"campaign": paused, "again": True, "unproven": True}
        answer = client.post("/api/regrades", json=body)
        regrade = answer.json()
        assert (answer.status_code, regrade["state"], regrade["planned"]) == (201, "planning", 0)
        assert answer.headers["location"] == f"/api/campaigns/{regrade['id']}"
        wait_for(lambda: standing(client, regrade["id"])["planned"] == 3, 20)


def write_planning(server: ApiServer) -> str:
    """A paused campaign of which no run is planned."""
    spec = CampaignSpec.model_validate(SPEC)
    cells = plan_cells(spec, [variant("adder", "alpha")])
    with server.database.transaction() as session:
        campaign = create_campaign(session, spec, cells, unproven=True, now=time.time())
        planning = (CampaignState.PLANNING,)
        assert change_campaign(session, campaign, planning, CampaignState.PAUSED)
    return campaign


def test_steering_is_kept_with_the_campaign(server: ApiServer) -> None:
    with server.client(TokenRole.SCHEDULE) as client:
        campaign = start(client).json()["id"]
        wait_for(lambda: standing(client, campaign)["state"] == "running", 20)
        paused = client.post(f"/api/campaigns/{campaign}/pause?now=true").json()
        assert (paused["campaign"]["state"], paused["interrupted"]) == ("paused", 0)
        assert client.post(f"/api/campaigns/{campaign}/resume").json()["state"] == "running"
        assert client.post(f"/api/campaigns/{campaign}/cancel").json()["state"] == "cancelled"
        again = client.post(f"/api/campaigns/{campaign}/cancel")
        assert (again.status_code, again.json()["exit_code"]) == (409, 4)
        changes = client.get(f"/api/campaigns/{campaign}/changes").json()
        assert [one["action"] for one in changes] == ["start", "pause now", "resume", "cancel"]
        assert {one["actor"] for one in changes} == {"the-schedule"}
        newest = client.get("/api/campaigns/newest?state=cancelled").json()
        assert newest["progress"]["cancelled"] == 3
        events = client.get(f"/api/campaigns/{campaign}/events").iter_lines()
        assert [one["event"] for one in sent_events(events)] == ["progress", "end"]


def pages(client: httpx.Client, path: str, **asked: Any) -> Iterator[list[dict[str, Any]]]:
    """Every page of a list."""
    cursor: dict[str, Any] = {}
    while True:
        page = client.get(path, params=asked | cursor).raise_for_status().json()
        yield page["items"]
        if page["next"] is None:
            return
        cursor = {"cursor": page["next"]}


def test_no_run_is_skipped_or_told_twice_while_others_are_inserted(server: ApiServer) -> None:
    spec = campaign_spec(name="paged", repeats=60)
    with server.client(TokenRole.READ) as client:
        campaign = write_campaign(server.database, spec)
        seen: list[int] = []
        for page in pages(client, "/api/runs", campaign=campaign, limit=7):
            seen += [one["id"] for one in page]
            if len(seen) % 21 == 0:
                write_campaign(server.database, campaign_spec(name="beside", repeats=5))
        assert len(seen) == len(set(seen)) == 120
        assert seen == sorted(seen)
        some = [
            one for page in pages(client, "/api/runs", system="system-1", limit=50) for one in page
        ]
        assert {one["system"] for one in some} == {"system-1"}
        assert not list(itertools.chain(*pages(client, "/api/runs", verdict="passed")))
        assert not list(itertools.chain(*pages(client, "/api/runs", state="void")))
        behind = client.get("/api/runs", params={"campaign": campaign, "after": seen[-2]}).json()
        assert [one["id"] for one in behind["items"]] == seen[-1:]
        ids: list[str] = []
        for page in pages(client, "/api/campaigns", limit=2, kind="evaluation"):
            ids += [one["campaign"]["id"] for one in page]
            write_campaign(server.database, campaign_spec(name="newer", repeats=1))
            if len(ids) > 8:
                break
        numbers = [int(one.rsplit("-", 1)[1]) for one in ids]
        assert numbers == sorted(set(numbers), reverse=True)
        for cursor in ("cnVuczpvbmU", "x", "Y2FtcGFpZ25zOjE", "\x00", "runs:1"):
            answer = client.get("/api/runs", params={"cursor": cursor})
            assert answer.status_code == 400, cursor
            assert answer.json()["faults"][0]["field"] == "query.cursor"
        for odd in ("campaign=%00", "system=%00%00", "task=%F0%9F%98%80", "language=%25"):
            assert client.get(f"/api/runs?{odd}").status_code in (200, 400, 404), odd


def test_progress_is_sent_until_the_campaign_ends(server: ApiServer) -> None:
    campaign = write_campaign(server.database, campaign_spec(name="followed"))
    with (
        server.client(TokenRole.READ) as client,
        client.stream("GET", f"/api/campaigns/{campaign}/events") as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-cache"
        lines = stream.iter_lines()
        [first] = sent_events(lines, 1)
        assert (first["event"], first["id"]) == ("progress", "1")
        assert json.loads(first["data"])["total"] == 4
        finish(server, campaign)
        rest = sent_events(lines)
        assert [(one["event"], one["id"]) for one in rest] == [("progress", "2"), ("end", "end")]
        address = f"/api/campaigns/{campaign}/events"
        again = client.get(address, headers={"Last-Event-ID": "1"}).text.splitlines()
        assert [one["id"] for one in sent_events([*again, ""])] == ["2", "end"]
        assert client.get(address, headers={"Last-Event-ID": "end"}).status_code == 204
        assert client.get("/api/campaigns/never-1/events").status_code == 404


def finish(server: ApiServer, campaign: str) -> None:
    with server.database.transaction() as session:
        assert change_campaign(session, campaign, (CampaignState.RUNNING,), CampaignState.FINISHED)


def test_streams_whose_clients_hang_up_leave_nothing_behind(sqlite_server: ApiServer) -> None:
    server = sqlite_server
    campaign = write_campaign(server.database, campaign_spec(name="dropped"))
    with server.client(TokenRole.READ) as client:
        client.get("/api/farm")
        before = (server.process.num_fds(), server.process.num_threads())
        opened = [raw_stream(server, campaign) for _ in range(50)]
        assert all(b"event: progress" in one.recv(65_536) for one in opened)
        assert server.process.num_fds() >= before[0] + 50
        assert client.get("/api/farm").elapsed.total_seconds() < 5
        for number, one in enumerate(opened):
            if number % 2:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            one.close()
        wait_for(lambda: server.process.num_fds() <= before[0] + 2, 40)
        assert server.process.num_threads() <= before[1] + 8
        assert "Traceback" not in server.started.text


def raw_stream(server: ApiServer, campaign: str) -> socket.socket:
    """A stream whose first event is on its way, and that nobody reads on."""
    host, port = server.address.removeprefix("http://").split(":")
    opened = socket.create_connection((host, int(port)), timeout=30)
    secret = server.secrets[TokenRole.READ]
    asked = f"GET /api/campaigns/{campaign}/events HTTP/1.1\r\nHost: x\r\n"
    opened.sendall(f"{asked}Authorization: Bearer {secret}\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        head += opened.recv(1)
    return opened


def test_reading_goes_on_while_the_database_is_locked_for_writing(
    sqlite_server: ApiServer,
) -> None:
    server = sqlite_server
    campaign = write_campaign(server.database, campaign_spec(name="locked"))
    paths = (
        f"/api/campaigns/{campaign}",
        f"/api/runs?campaign={campaign}",
        "/api/workers",
        "/readyz",
    )
    with (
        server.client(TokenRole.SCHEDULE) as client,
        closing(sqlite3.connect(server.home.home / "farm.db", isolation_level=None)) as other,
        ThreadPoolExecutor(20) as pool,
    ):
        other.execute("BEGIN IMMEDIATE")
        pause = [pool.submit(client.post, f"/api/campaigns/{campaign}/pause") for _ in range(20)]
        time.sleep(0.5)
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 200
            assert answer.elapsed.total_seconds() < 5, path
        other.execute("ROLLBACK")
        ended = [one.result(timeout=60).status_code for one in pause]
    assert set(ended) <= {200, 503}
    assert ended.count(200) == 8


def test_artifacts_are_sent_as_what_they_are_and_to_admins_alone(
    sqlite_server: ApiServer,
) -> None:
    server = sqlite_server
    data = b"<script>alert(1)</script>" + os.urandom(3_000_000)
    digest = FolderArtifacts(server.home.home / "artifacts").put(data)
    with server.client(TokenRole.ADMIN) as client:
        answer = client.get(f"/api/artifacts/{digest}")
        assert answer.content == data
        assert answer.headers["etag"] == f'"{digest}"'
        assert answer.headers["content-disposition"].startswith("attachment;")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert int(answer.headers["content-length"]) == len(data)
        known = {"If-None-Match": answer.headers["etag"]}
        assert client.get(f"/api/artifacts/{digest}", headers=known).status_code == 304
        head = client.head(f"/api/artifacts/{digest}")
        assert (head.status_code, head.content) == (200, b"")
        for never in ("sha256:" + "0" * 64, "sha256:..%2F..%2Ffarm.db", "x"):
            assert client.get(f"/api/artifacts/{never}").status_code == 404, never
    with server.client(TokenRole.SCHEDULE) as client:
        assert client.get(f"/api/artifacts/{digest}").status_code == 403


@pytest.mark.real
@pytest.mark.slow
def test_a_campaign_of_a_real_farm_is_started_followed_and_read_over_http(tmp_path: Path) -> None:
    with farm_home(tmp_path) as home, home.started("up", "--slots", "2", until=READY) as up:
        made = home.run("tokens", "create", "laptop", "--role", "schedule", "--json")
        secret = json.loads(made.stdout)["secret"]
        with home.started("api", "--port", "0", until="/api/docs") as api:
            address = api.found(r"http://[^/\s]+")[0]
            headers = {"Authorization": f"Bearer {secret}"}
            with httpx.Client(base_url=address, headers=headers, timeout=120) as client:
                campaign = follow_one(client)
                read_one(client, campaign)
            as_the_readme_says(home.environment, address, secret)
            assert api.stop(signal.SIGTERM) == 0
            assert "Traceback" not in api.text
        assert up.stop(signal.SIGTERM) == 0


def follow_one(client: httpx.Client) -> str:
    spec = SPEC | {"tasks": ["circuit-breaker"], "languages": ["python"], "repeats": 2}
    started = client.post("/api/campaigns", json={"spec": spec, "unproven": True})
    campaign = started.raise_for_status().json()["id"]
    with client.stream("GET", f"/api/campaigns/{campaign}/events") as stream:
        events = sent_events(stream.iter_lines())
    assert events[-1]["event"] == "end"
    told = [json.loads(one["data"]) for one in events]
    ended = [one["passed"] + one["failed"] for one in told]
    assert ended == sorted(ended)
    assert (told[-1]["state"], told[-1]["failed"]) == ("finished", 2)
    return campaign


def read_one(client: httpx.Client, campaign: str) -> None:
    [run, _] = client.get("/api/runs", params={"campaign": campaign}).json()["items"]
    opened = client.get(f"/api/runs/{run['id']}").json()
    assert [one["stage"] for one in opened["attempts"]] == ["agent", "grade"]
    checks = client.get(f"/api/runs/{run['id']}/checks").json()["checks"]
    assert len(checks) == 12
    told = client.get(f"/api/runs/{run['id']}/transcript").json()
    assert told["run_id"] == run["id"]
    board = client.get("/api/boards", params={"campaign": campaign}).json()
    assert (board["campaign_ids"], board["unproven"]) == ([campaign], True)
    workers = client.get("/api/workers").json()
    assert workers["workers"]
    assert workers["hint"] == ""
    assert client.get("/api/gates/plan?language=python").json()["to_prove"]


def as_the_readme_says(environment: dict[str, str], address: str, secret: str) -> None:
    """The requests that the README shows, in a shell, against this server."""
    if shutil.which("curl") is None:
        miss("curl")
    readme = (ROOT / "README.md").read_text()
    section = readme[readme.index("## Over HTTP") :]
    [shown] = [block for block in section.split("```")[1::2] if 'auth="' in block][:1]
    script = shown.replace("http://127.0.0.1:8600", address).replace("curl ", "curl -sS -f -m 60 ")
    script = re.sub(r"^(curl.*)$", r"\1", script, flags=re.MULTILINE)
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        env=environment | {"GRADEFARM_TOKEN": secret},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "event: end" in done.stdout
    assert '"total"' in done.stdout
