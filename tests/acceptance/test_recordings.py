"""Recordings from elsewhere come in, are looked at and go out, and count nowhere."""

import json
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from models.migrations.upgrade import upgrade_database
from models.settings import current_settings, read_settings
from scheduler.cli.main import main
from scheduler.farm_access.local_farm import LocalFarm
from tests.acceptance.farm_process import farm_home
from tests.acceptance.test_remote_cli import Answer, SmallHome, grade, prove, spec_of
from tests.unit.scheduler.gate_samples import small_catalog

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "interchange"
FILES = (
    "claude-code.jsonl",
    "claude-code-stream.jsonl",
    "codex.jsonl",
    "codex-exec.jsonl",
    "atif-v1.8.json",
    "mini-swe-agent.traj.json",
    "inspect.json",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Generator[SmallHome]:
    """A farm with a finished campaign, no process of which runs."""
    root = tmp_path_factory.mktemp("recordings")
    small_catalog(root)
    with farm_home(root) as plain:
        home = SmallHome(plain.home)
        home.home.mkdir(exist_ok=True)
        farm = LocalFarm(read_settings(home.environment))
        upgrade_database(farm.settings.database_url)
        prove(farm)
        grade(farm, farm.steering.start(spec_of("done"), unproven=False).id)
        farm.database.close()
        yield home


@dataclass(frozen=True)
class Typed:
    """Types commands about the farm, in this process: there are many."""

    home: SmallHome
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str) -> Answer:
        # Set, not deleted: what `--server` sets in this process is then undone with the rest.
        for name, value in (self.home.environment | {"GRADEFARM_SERVER": ""}).items():
            self.monkeypatch.setenv(name, value)
        self.monkeypatch.setattr(sys, "argv", ["gradefarm", *words])
        current_settings.cache_clear()
        self.capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        shown = self.capsys.readouterr()
        return Answer(ended.value.code, shown.out, shown.err)

    def told(self, *words: str) -> Any:
        """What a command that must go well says in JSON."""
        done = self.run(*words)
        assert done.code == 0, done
        return json.loads(done.out)

    def all_that_counts(self) -> list[object]:
        """Everything that figures are made of or shown in, but for what goes by the minute."""
        figures = self.run("metrics").out.splitlines()
        systems = self.told("systems", "list", "--json")
        return [
            self.told("board", "--json"),
            [one | {"starts_last_minute": 0} for one in systems],
            self.told("campaign", "list", "--json"),
            self.told("runs", "list", "--limit", "1000", "--json"),
            [line for line in figures if "runs" in line or "cost" in line],
        ]


@pytest.fixture
def farm(
    home: SmallHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generator[Typed]:
    yield Typed(home, monkeypatch, capsys)
    current_settings.cache_clear()


def test_recordings_come_in_once_and_count_nowhere(farm: Typed) -> None:
    before = farm.all_that_counts()
    paths = [str(GOLDEN / name) for name in FILES]
    first = farm.told("recordings", "import", *paths, "--json")
    again = farm.told("recordings", "import", *paths, "--json")
    assert again == first
    # The session of Claude Code is there as a transcript and as a stream: two recordings.
    assert [one["format"] for one in first["recordings"]] == [
        "claude-code",
        "claude-code-stream",
        "codex",
        "codex-exec",
        "atif",
        "mini-swe-agent",
        "inspect",
    ]
    listed = farm.told("recordings", "list", "--json")["recordings"]
    assert listed == first["recordings"][::-1]
    assert farm.all_that_counts() == before


def test_only_the_commands_about_recordings_can_read_the_table() -> None:
    """What makes figures can't even name it."""
    readers = {
        path.relative_to(ROOT).as_posix()
        for package in ("models", "scheduler", "workers", "tasks_catalog")
        for path in (ROOT / package).rglob("*.py")
        if "models.tables.recordings" in path.read_text()
        or "models.storage.recordings" in path.read_text()
    }
    assert readers == {
        "models/storage/recordings.py",
        "models/tables/all_tables.py",
        "scheduler/farm_access/local_recordings.py",
    }


def test_a_recording_is_shown_with_its_files_and_goes_out(farm: Typed, tmp_path: Path) -> None:
    path = GOLDEN / "atif-v1.8.json"
    (kept,) = farm.told("recordings", "import", str(path), "--json")["recordings"]
    number = str(kept["id"])
    shown = farm.run("recordings", "show", number).out
    assert f"recording {number}  some-agent 3.1  (atif)" in shown
    assert "1490: read 600, from the cache 700, to the cache 100, written 70" in shown
    whole = farm.told("recordings", "show", number, "--json")
    (source,) = whole["sources"]
    assert (source["name"], source["size"]) == (path.name, path.stat().st_size)
    artifact = farm.home.home / "artifacts" / source["digest"][7:9] / source["digest"][7:]
    assert artifact.read_bytes() == path.read_bytes()
    out = tmp_path / "out.json"
    export = ("recordings", "export", number, "--format")
    done = farm.run(*export, "atif", "--output", str(out))
    assert done.out == f"wrote {out}\n"
    assert json.loads(out.read_text()) == json.loads(path.read_text())
    assert "resourceSpans" in farm.told(*export, "otel")


def test_what_was_removed_is_gone_and_may_come_again(farm: Typed) -> None:
    path = str(GOLDEN / "codex-exec.jsonl")
    (kept,) = farm.told("recordings", "import", path, "--json")["recordings"]
    number = str(kept["id"])
    elsewhere = farm.run("recordings", "remove", number, "--server", "http://127.0.0.1:9")
    not_all = farm.run("recordings", "remove", number, "99999")
    assert (elsewhere.code, not_all.code) == (4, 3)
    assert farm.run("recordings", "show", number).code == 0
    done = farm.run("recordings", "remove", number)
    assert (done.code, done.out) == (0, f"removed {number}\n")
    assert farm.run("recordings", "show", number).code == 3
    (again,) = farm.told("recordings", "import", path, "--json")["recordings"]
    assert again["document"] == kept["document"]


def test_a_run_goes_out_in_both_formats(farm: Typed) -> None:
    document = farm.told("runs", "export", "1", "--format", "atif")
    assert document["schema_version"] == "ATIF-v1.8"
    assert document["extra"]["gradefarm"]["origin"] == "farm"
    assert "resourceSpans" in farm.told("runs", "export", "1", "--format", "otel")


def test_sessions_of_claude_code_come_in_with_their_subagents(farm: Typed, tmp_path: Path) -> None:
    whole = (GOLDEN / "claude-code.jsonl").read_text()
    session = tmp_path / "session.jsonl"
    session.write_text(whole)
    spoken = next(json.loads(line) for line in whole.splitlines() if '"assistant"' in line)
    spoken |= {"uuid": "other", "isSidechain": True, "agentId": "helper"}
    spoken["message"]["id"] = "msg_other"
    folder = tmp_path / "session" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-helper.jsonl").write_text(json.dumps(spoken) + "\n")
    (kept,) = farm.told("recordings", "import", str(session), "--json")["recordings"]
    found = farm.told("recordings", "show", str(kept["id"]), "--json")
    assert [one["name"] for one in found["sources"]] == ["session.jsonl", "agent-helper.jsonl"]
    assert [one["kind"] for one in found["steps"] if one["data"].get("lane") == "helper"] == [
        "model_call",
        "message",
    ]


def test_bad_files_are_refused_with_everything_that_is_wrong(farm: Typed, tmp_path: Path) -> None:
    before = farm.told("recordings", "list", "--json")
    bad = tmp_path / "bad.json"
    bad.write_text('{"schema_version": "ATIF-v1.8", "agent": {"name": 3}, "steps": []}')
    good = str(GOLDEN / "codex.jsonl")
    missing = farm.run("recordings", "import", good, str(tmp_path / "never"))
    refused = farm.run("recordings", "import", good, str(bad), "--json")
    unknown = farm.run("recordings", "import", good, "--format", "latin")
    elsewhere = farm.run("recordings", "import", good, "--server", "http://127.0.0.1:9")
    codes = [one.code for one in (missing, refused, unknown, elsewhere)]
    assert codes == [2, 2, 2, 4]
    assert "never: can't be read" in missing.err
    faults = json.loads(refused.err)["error"]["faults"]
    assert [one["field"] for one in faults] == ["agent.name", "agent.version", "steps"]
    assert "choose one of: auto, claude-code" in unknown.err
    assert farm.told("recordings", "list", "--json") == before


def test_a_file_that_broke_off_is_taken_as_far_as_it_goes(farm: Typed, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes((GOLDEN / "codex.jsonl").read_bytes()[:-30])
    done = farm.run("recordings", "import", str(cut))
    assert done.code == 0
    assert "cut.jsonl: line 24 broke off and is left out" in done.out
