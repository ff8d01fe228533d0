"""Every command on a farm elsewhere, over TLS, says what it says on the farm's own machine."""

import contextlib
import json
import re
import signal
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import scheduler.remote_farm
from models.interchange.source_file import SourceFile
from models.migrations.upgrade import upgrade_database
from models.schemas.attempt import GradeResult
from models.schemas.campaign import CampaignSpec, CampaignState
from models.schemas.check_report import CheckEvidence
from models.schemas.run import RunOrder, Stage
from models.schemas.run_filter import RunFilter
from models.schemas.transcript import Transcript
from models.settings import current_settings, read_settings
from models.storage.campaign_states import change_campaign
from models.storage.gates import save_decision
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.runs import list_runs
from models.verdicts import StopReason, Verdict
from scheduler.cli.main import command_tree, main
from scheduler.cli.server_choice import why_local
from scheduler.farm_access.local_farm import LocalFarm
from tests.acceptance.farm_process import GRADEFARM, FarmHome, Started, farm_home, wait_for
from tests.fakes.campaigns import TERMS, agent_result, campaign_spec, grade_result
from tests.unit.scheduler.gate_samples import (
    PASSED,
    decision,
    row,
    small_catalog,
    survived,
)

pytestmark = [pytest.mark.slow]

CODEX = Path(__file__).parents[1] / "golden" / "interchange" / "codex.jsonl"
OLD = "sha256:" + "1" * 64
SPEC = """
name = "nightly"
tasks = ["adder"]
languages = ["alpha"]
repeats = 2
systems = [{ name = "idle", agent = "idle" }]
"""


class SmallHome(FarmHome):
    """A farm over the catalogue of `small_package`."""

    @property
    def environment(self) -> dict[str, str]:
        root = self.home.parent
        return super().environment | {
            "HOME": str(root),
            "GRADEFARM_CATALOG_PUBLIC": str(root / "tasks"),
            "GRADEFARM_CATALOG_SEALED": str(root / "tasks"),
            "GRADEFARM_LANGUAGES": str(root / "languages"),
        }


@dataclass
class Answer:
    """What a command printed and how it ended."""

    code: object
    out: str
    err: str


@dataclass
class Served:
    """A farm with results, served over TLS; `port` stays the same over restarts."""

    home: SmallHome
    farm: LocalFarm
    finished: str
    certificate: Path
    key: Path
    port: int = 0

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @contextlib.contextmanager
    def serving(self) -> Generator[Started]:
        tls = ("--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        with self.home.started("api", "--port", str(self.port), *tls, until="/api/docs") as server:
            self.port = int(server.found(r"https://[^:]+:(\d+)/")[1])
            yield server

    def token(self, name: str, role: str) -> str:
        made = self.home.run("tokens", "create", name, "--role", role, "--json")
        assert made.returncode == 0, made.stderr
        return str(json.loads(made.stdout)["secret"])


def certificate_for(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that nobody signed but itself, and its key."""
    certificate, key = folder / "farm.pem", folder / "farm.key"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    words += ["-keyout", str(key), "-out", str(certificate), "-subj", "/CN=localhost"]
    words += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    return certificate, key


def grade(farm: LocalFarm, campaign_id: str) -> None:
    """Bring a campaign to its end: of every two runs one passes, with transcripts and reports."""
    now = farm.clock.now()
    with farm.database.read() as session:
        runs = [run.id for run in list_runs(session, RunFilter(campaign_id))]
    for number, run_id in enumerate(runs):
        with farm.database.transaction() as session:
            order = claim(session, run_id, Stage.AGENT, "w", now, TERMS)
            if order is not None:
                told = farm.artifacts.put(transcript_of(order).model_dump_json().encode())
                result = agent_result().model_copy(update={"transcript": told})
                finish_agent(session, order, result, now)
            order = claim(session, run_id, Stage.GRADE, "w", now, TERMS)
            assert order
            finish_grade(session, order, graded(farm, order, passed=number % 2 == 0), now)
    with farm.database.transaction() as session:
        running, over = (CampaignState.RUNNING,), CampaignState.FINISHED
        assert change_campaign(session, campaign_id, running, over, ended_at=now)


def transcript_of(order: RunOrder) -> Transcript:
    return Transcript(
        run_id=order.run_id,
        attempt_number=order.attempt_number,
        system=order.system.name,
        agent=order.system.agent,
        task=order.task,
        language=order.language,
        repeat=order.repeat,
        steps=(),
        stop_reason=StopReason.DONE,
    )


def graded(farm: LocalFarm, order: RunOrder, *, passed: bool) -> GradeResult:
    result = grade_result(order, Verdict.PASSED if passed else Verdict.FAILED)
    long = farm.artifacts.put(b"many words\n" * 1_000)
    evidence = CheckEvidence(ending="exited", exit_code=0, stdout_text="few words", stderr=long)
    checks = [each.model_copy(update={"evidence": evidence}) for each in result.report.checks]
    report = result.report.model_copy(update={"checks": tuple(checks)})
    stored = farm.artifacts.put(report.model_dump_json().encode())
    return result.model_copy(update={"report": report, "report_artifact": stored})


def prove(farm: LocalFarm) -> None:
    """alpha is proved, beta is red, each in the present universe, and alpha had an older one."""
    caught = row("fault:drops-sign", PASSED, PASSED, PASSED)
    kept = [decision("alpha", universe=OLD)]
    for language in ("alpha", "beta"):
        universe = farm.catalog.variant("adder", language).universe
        red = {"fault": caught, "reasons": (survived(),)} if language == "beta" else {}
        kept.append(decision(language, universe=universe, **red))  # pyright: ignore[reportArgumentType]
    with farm.database.transaction() as session:
        for number, one in enumerate(kept):
            save_decision(session, one, 1_700_000_000.0 + number)


def spec_of(name: str, **changes: Any) -> CampaignSpec:
    spec = campaign_spec(name=name, systems=2)
    update = {"tasks": ("adder",), "languages": ("alpha",), **changes}
    return spec.model_copy(update=update)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    root = tmp_path_factory.mktemp("remote")
    small_catalog(root)
    certificate, key = certificate_for(root)
    with farm_home(root) as plain:
        home = SmallHome(plain.home)
        home.home.mkdir(exist_ok=True)
        farm = LocalFarm(read_settings(home.environment))
        upgrade_database(farm.settings.database_url)
        prove(farm)
        finished = farm.steering.start(spec_of("done"), unproven=False).id
        grade(farm, finished)
        grade(farm, farm.regrades.begin(finished, again=True, unproven=False))
        farm.recordings.keep([SourceFile("codex.jsonl", CODEX.read_bytes())], None)
        (root / "spec.toml").write_text(SPEC)
        yield Served(home, farm, finished, certificate, key)
        farm.database.close()


@pytest.fixture(scope="module")
def server(served: Served) -> Generator[Served]:
    with served.serving():
        yield served


@pytest.fixture(scope="module")
def tokens(server: Served) -> dict[str, str]:
    return {role: server.token(role, role) for role in ("read", "schedule", "admin")}


Type = Callable[..., Answer]


@pytest.fixture
def typed(
    server: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Type]:
    """Types a command in this process, which spares a start for each of a hundred."""

    def type_it(*words: str, token: str = "") -> Answer:
        environment = server.home.environment | {"SSL_CERT_FILE": str(server.certificate)}
        # Set, not deleted: what `--server` sets in this process is then undone with the rest.
        told = {"GRADEFARM_SERVER": "", "GRADEFARM_TOKEN": token}
        for name, value in (environment | told).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["gradefarm", *words])
        monkeypatch.chdir(server.home.home.parent)
        current_settings.cache_clear()
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Answer(ended.value.code, shown.out, shown.err)

    yield type_it
    current_settings.cache_clear()


LOOKS: tuple[tuple[str, ...], ...] = (
    ("campaign", "new", "new.toml", "--force"),
    ("campaign", "status"),
    ("campaign", "status", "{done}", "--json"),
    ("campaign", "status", "never-1"),
    ("campaign", "watch", "{done}"),
    ("campaign", "activity", "{done}"),
    ("campaign", "list"),
    ("campaign", "list", "--limit", "1", "--json"),
    ("campaign", "budget", "{done}"),
    ("campaign", "start", "spec.toml", "--json", "--nonsense"),
    ("campaign", "start", "no-such.toml"),
    ("gate", "run", "--task", "never"),
    ("gate", "run", "--language", "alpha", "--repeats", "1"),
    ("gate", "show"),
    ("gate", "show", "--language", "beta", "--fault", "drops-sign", "--json"),
    ("gate", "matrix"),
    ("gate", "diff", "--task", "adder", "--language", "alpha"),
    ("gate", "diff", "11", "22222222"),
    ("gate", "export", "--format", "junit"),
    ("gate", "export", "--format", "stryker", "--with-sources"),
    ("regrade", "{done}"),
    ("regrade", "{done}", "--json"),
    ("board",),
    ("board", "{done}", "--json"),
    ("runs", "list", "--campaign", "{done}"),
    ("runs", "list", "--campaign", "{done}", "--limit", "2", "--after", "1", "--json"),
    ("runs", "list", "--campaign", "{done}", "--language", "cobol"),
    ("runs", "list", "--verdict", "failed", "--limit", "5000"),
    ("runs", "show", "2"),
    ("runs", "show", "9999", "--json"),
    ("runs", "transcript", "1"),
    ("runs", "transcript", "1", "--attempt", "3"),
    ("runs", "export", "1", "--format", "atif"),
    ("runs", "export", "1", "--format", "otel", "--content"),
    ("runs", "checks", "2", "--output"),
    ("runs", "checks", "2", "--json"),
    ("recordings", "list"),
    ("recordings", "list", "--limit", "1", "--json"),
    ("recordings", "show", "1"),
    ("recordings", "show", "99", "--json"),
    ("recordings", "remove", "99", "--json"),
    ("recordings", "export", "1", "--format", "atif"),
    ("workers",),
    ("workers", "list", "--json"),
    ("workers", "drain", "never"),
    ("workers", "resume", "never"),
    ("workers", "quarantine", "never", "--reason", "noise"),
    ("drain",),
    ("systems", "list"),
    ("systems", "limit", "never", "--concurrent", "3"),
    ("systems", "limit", "system-0", "--concurrent", "3"),
    ("catalog", "list"),
    ("catalog", "list", "--json"),
)
"""Asked twice, here and there, with the same result."""
STEERS: tuple[tuple[str, ...], ...] = (
    ("campaign", "pause", "{id}"),
    ("campaign", "pause", "{id}"),
    ("campaign", "resume", "{id}"),
    ("campaign", "pause", "{id}", "--now"),
    ("campaign", "status", "{id}"),
    ("campaign", "budget", "{id}", "--tokens", "5000"),
    ("campaign", "cancel", "{id}"),
    ("campaign", "cancel", "{id}"),
    ("campaign", "watch", "{id}"),
)
"""Typed one after the other about a campaign each, here and there."""


def test_no_command_is_forgotten() -> None:
    tree = set(command_tree())
    tried = {words[:2] if words[:2] in tree else words[:1] for words in (*LOOKS, *STEERS)}
    assert {words for words in tree if not why_local(words)} - tried == set()


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_what_is_asked_elsewhere_is_answered_as_here(
    server: Served, tokens: dict[str, str], typed: Type, words: tuple[str, ...]
) -> None:
    asked = [word.format(done=server.finished) for word in words]
    here = typed(*asked)
    there = typed(*asked, "--server", server.url, token=tokens["admin"])
    assert here.out + here.err
    assert there == here


def test_campaigns_are_started_and_steered_elsewhere_as_here(
    server: Served, tokens: dict[str, str], typed: Type
) -> None:
    there = ("--server", server.url)
    begun = [
        typed("campaign", "start", "spec.toml"),
        typed(*there, "campaign", "start", "spec.toml", token=tokens["schedule"]),
    ]
    ids = [re.findall(r"started (\S+):", one.out)[0] for one in begun]
    assert begun[1].out == begun[0].out.replace(ids[0], ids[1])
    for words in STEERS:
        one = typed(*(word.format(id=ids[0]) for word in words))
        other = typed(*(word.format(id=ids[1]) for word in words), *there, token=tokens["schedule"])
        assert other == Answer(
            one.code, one.out.replace(ids[0], ids[1]), one.err.replace(ids[0], ids[1])
        )
    unproved = (SPEC.replace("alpha", "beta"), SPEC.replace("alpha", "cobol"))
    for text in unproved:
        (server.home.home.parent / "other.toml").write_text(text)
        words = ("campaign", "start", "other.toml", "--json")
        assert typed(*words) == typed(*words, *there, token=tokens["schedule"])


def test_who_may_not_is_refused_and_told_what_is_missing(
    server: Served, tokens: dict[str, str], typed: Type
) -> None:
    there = ("--server", server.url)
    for token, words, said in (
        ("wrong", ("board",), "GRADEFARM_TOKEN"),
        ("", ("board",), "GRADEFARM_TOKEN"),
        (tokens["read"], ("campaign", "pause", server.finished), "role"),
        (tokens["schedule"], ("runs", "checks", "2", "--output"), "role"),
    ):
        refused = typed(*words, *there, token=token)
        assert refused.code == 4, (words, refused)
        assert said in refused.err, refused.err
    assert (refused.out, "needs the role admin" in refused.err) == ("", True)
    looks = [
        typed("runs", "checks", "2", "--json", *there, token=tokens[role]).out
        for role in ("read", "schedule", "admin")
    ]
    assert ["few words" in told for told in looks] == [False, False, True]
    assert json.loads(looks[0]).keys() == json.loads(looks[2]).keys()


def test_a_token_is_taken_from_a_file_that_nobody_else_reads(
    server: Served, tokens: dict[str, str], typed: Type
) -> None:
    kept = server.home.home.parent / ".config" / "gradefarm" / "token"
    kept.parent.mkdir(parents=True)
    kept.write_text(tokens["read"] + "\n")
    kept.chmod(0o640)
    refused = typed("board", "--server", server.url)
    assert refused.code == 4
    assert f"chmod 600 {kept}" in refused.err
    kept.chmod(0o600)
    assert typed("board", "--server", server.url) == typed("board")
    kept.unlink()


def test_what_can_not_be_done_elsewhere_says_why(server: Served, typed: Type) -> None:
    arguments = {("worker",): ("--role", "all"), ("backup",): ("x",), ("restore",): ("x",)}
    local = [words for words in command_tree() if why_local(words)]
    assert ("up",) in local
    for words in local:
        if words[0] in ("tokens", "catalog") or words in arguments:
            continue
        refused = typed(*words, "--server", server.url)
        assert refused.code == 4, (words, refused)
        assert "can't be carried out on https://localhost" in refused.err


def test_a_server_that_is_none_and_one_that_is_not_trusted_are_told_apart(
    server: Served, tokens: dict[str, str], typed: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.remote_farm.connection.TRIES", 2)
    away = typed("board", "--server", "https://localhost:9", token=tokens["read"])
    assert (away.code, "does not answer" in away.err) == (5, True)
    no_farm = typed("board", "--server", f"{server.url}/elsewhere", token=tokens["read"])
    assert (no_farm.code, "not as a gradefarm" in no_farm.err) == (2, True), no_farm
    clear = typed("board", "--server", "http://farm.example.org", token=tokens["read"])
    assert (clear.code, "can be read on the way" in clear.err) == (4, True)
    stranger = subprocess.run(
        [str(GRADEFARM), "board", "--server", server.url],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=server.home.environment | {"GRADEFARM_TOKEN": tokens["read"]},
    )
    assert (stranger.returncode, "SSL_CERT_FILE" in stranger.stderr) == (4, True), stranger.stderr


def test_every_path_of_the_client_is_in_the_description(
    server: Served, tokens: dict[str, str]
) -> None:
    request = urllib.request.Request(
        f"{server.url}/api/openapi.json", headers={"Authorization": f"Bearer {tokens['read']}"}
    )
    trusted = ssl.create_default_context(cafile=str(server.certificate))
    with urllib.request.urlopen(request, timeout=30, context=trusted) as answer:
        described = json.load(answer)["paths"]
    patterns = [
        (re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), operations)
        for path, operations in described.items()
    ]
    sent = requests_of_the_client()
    assert len(sent) > 20
    for method, path in sent:
        fitting = [known for pattern, known in patterns if pattern.fullmatch(f"/api/{path}")]
        assert any(method.lower() in known for known in fitting), (method, path)


def requests_of_the_client() -> set[tuple[str, str]]:
    """(method, path) of the requests that the sources of the client write out."""
    folder = Path(scheduler.remote_farm.__file__).parent
    text = "\n".join(path.read_text() for path in folder.glob("*.py"))
    text = re.sub(r"\{path_of\([^)]*\)\}", "campaigns/x", text)
    text = text.replace("{VERBS[duty]}", "drain")
    found = re.findall(r'Request\(\s*"(\w+)", f?"([^"]+)"', text)
    return {(method, re.sub(r"\{[^}]+\}", "x", path)) for method, path in found}


def test_watching_goes_on_over_a_restart_of_the_server(served: Served, tmp_path: Path) -> None:
    """The server is killed, stays away, comes back on the same port; the campaign ends then."""
    token = served.token("watcher", "schedule")
    watched = served.farm.steering.start(spec_of("seen"), unproven=False).id
    environment = served.home.environment | {
        "SSL_CERT_FILE": str(served.certificate),
        "GRADEFARM_TOKEN": token,
    }
    output = tmp_path / "watch.out"
    with contextlib.ExitStack() as stack:
        second = Served(served.home, served.farm, served.finished, served.certificate, served.key)
        first_server = stack.enter_context(second.serving())
        environment["GRADEFARM_SERVER"] = second.url
        watching = stack.enter_context(watch_of(watched, output, environment))
        wait_for(lambda: watched in output.read_text(), 60)
        first_server.process.kill()
        wait_for(lambda: "Trying again" in output.read_text(), 60)
        stack.enter_context(second.serving())
        wait_for(lambda: "answers again" in output.read_text(), 60)
        grade(served.farm, watched)
        assert watching.wait(60) == 0, output.read_text()
        assert f"{watched} is finished" in output.read_text()


@contextlib.contextmanager
def watch_of(
    campaign_id: str, output: Path, environment: dict[str, str]
) -> Generator[subprocess.Popen[bytes]]:
    with output.open("wb") as file:
        watching = subprocess.Popen(
            [str(GRADEFARM), "campaign", "watch", campaign_id],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    try:
        yield watching
    finally:
        if watching.poll() is None:
            watching.kill()
            watching.wait()


def test_whoever_stops_watching_a_farm_elsewhere_is_told_that_it_goes_on(
    server: Served, tokens: dict[str, str], tmp_path: Path
) -> None:
    watched = server.farm.steering.start(spec_of("left"), unproven=False).id
    output = tmp_path / "left.out"
    environment = server.home.environment | {
        "SSL_CERT_FILE": str(server.certificate),
        "GRADEFARM_TOKEN": tokens["read"],
        "GRADEFARM_SERVER": server.url,
    }
    with watch_of(watched, output, environment) as watching:
        wait_for(lambda: watched in output.read_text(), 60)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 130
    assert f"it goes on; come back with: gradefarm campaign watch {watched}" in output.read_text()
