"""The command line: fast to start, exact in its exit codes, readable for people and programs."""

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import psutil
import pytest

from models.errors import Infrastructure
from models.storage.campaign_states import note_problem
from models.storage.transaction import open_database

GRADEFARM = Path(sys.executable).parent / "gradefarm"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs gradefarm on a farm of its own, in a folder of its own."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GRADEFARM_HOME": str(tmp_path / "farm"),
        "GRADEFARM_SCRATCH": str(tmp_path / "scratch"),
    }

    def call(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(GRADEFARM), *words],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env=environment | more,
        )

    return call


def test_help_shows_every_command_and_the_exit_codes(run: Run) -> None:
    shown = run("--help")
    assert shown.returncode == 0
    for word in ("demo", "campaign", "gate", "board", "runs", "workers", "up", "scheduler"):
        assert f"\n  {word} " in shown.stdout
    for word in ("doctor", "db", "worker", "catalog"):
        assert f"\n  {word} " in shown.stdout
    assert "130  interrupted" in shown.stdout


def test_help_costs_less_than_four_tenths_of_a_second_of_processor(run: Run) -> None:
    costs: list[float] = []
    for _ in range(3):
        process = psutil.Popen([str(GRADEFARM), "--help"], stdout=subprocess.DEVNULL)
        before = os.times()
        process.wait()
        after = os.times()
        used = after.children_user + after.children_system
        costs.append(used - before.children_user - before.children_system)
    assert min(costs) < 0.4, costs


def test_help_imports_no_database_and_no_celery() -> None:
    code = (
        "import sys; from typer.main import get_command; from scheduler.cli.main import app\n"
        "get_command(app)(['--help'], standalone_mode=False)\n"
        "sys.exit(any(name in sys.modules for name in ('sqlalchemy', 'celery', 'pydantic')))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert shown.returncode == 0


def test_a_look_whether_a_worker_lives_imports_nothing_that_a_files_age_does_not_need(
    tmp_path: Path,
) -> None:
    alive = tmp_path / "worker" / "w@here.alive"
    alive.parent.mkdir()
    alive.touch()
    code = (
        "import sys; from scheduler.cli.main import run_command\n"
        "sys.argv[1:] = ['worker', '--check', 'w']\n"
        "assert run_command() == 0\n"
        "heavy = ('sqlalchemy', 'celery', 'kombu', 'workers.sandbox', 'tasks_catalog.catalog')\n"
        "sys.exit(str([name for name in heavy if name in sys.modules] or ''))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "GRADEFARM_HOME": str(tmp_path)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert shown.stdout.startswith("w was seen "), shown.stderr
    assert shown.stderr.strip() == ""


def test_a_misspelt_command_is_bad_input_and_gets_a_proposal(run: Run) -> None:
    shown = run("campain")
    assert shown.returncode == 2
    assert "Did you mean 'campaign'" in shown.stderr


def test_what_is_not_there_is_exit_code_three_with_what_to_type(run: Run) -> None:
    shown = run("campaign", "status")
    assert shown.returncode == 3
    assert "gradefarm up" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_json_turns_errors_into_json_too(run: Run) -> None:
    shown = run("campaign", "list", "--json")
    assert shown.returncode == 3
    error = json.loads(shown.stderr)["error"]
    assert (error["kind"], error["exit_code"]) == ("NotFound", 3)
    assert "gradefarm" in error["remedy"]


def test_a_broken_setting_is_bad_input_that_names_the_variable(run: Run) -> None:
    shown = run("campaign", "list", GRADEFARM_TICK_S="soon")
    assert shown.returncode == 2
    assert "GRADEFARM_TICK_S" in shown.stderr


def test_a_database_that_does_not_answer_is_infrastructure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "farm").mkdir()
    (tmp_path / "farm" / "farm.db").touch()
    shown = run("campaign", "list")
    assert shown.returncode == 5
    assert "gradefarm db upgrade" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_campaign_is_written_read_and_refused_until_it_is_proved(
    run: Run, tmp_path: Path
) -> None:
    assert run("campaign", "new", "nightly.toml").returncode == 0
    written = tomllib.loads((tmp_path / "nightly.toml").read_text())
    assert written["name"] == "nightly"
    again = run("campaign", "new", "nightly.toml")
    assert again.returncode == 4
    assert "--force" in again.stderr

    assert run("db", "upgrade").returncode == 0
    refused = run("campaign", "start", "nightly.toml")
    assert refused.returncode == 4
    assert "gradefarm gate run" in refused.stderr

    started = run("campaign", "start", "nightly.toml", "--unproven", "--json")
    assert started.returncode == 0
    assert json.loads(started.stdout)["unproven"] is True


def test_commands_that_read_work_while_nothing_runs(run: Run) -> None:
    run("campaign", "new", "down.toml")
    run("db", "upgrade")
    run("campaign", "start", "down.toml", "--unproven")
    status = run("campaign", "status")
    assert status.returncode == 0
    assert "UNPROVEN" in status.stdout
    assert "no scheduler is at work" in status.stdout
    board = run("board", "--json")
    assert board.returncode == 0
    assert json.loads(board.stdout)["unproven"] is True
    runs = json.loads(run("runs", "list", "--limit", "5", "--json").stdout)
    assert len(runs["runs"]) == 5
    following = run("runs", "list", "--limit", "5", "--after", str(runs["next"]), "--json")
    seen = {one["id"] for one in runs["runs"]}
    assert seen.isdisjoint(one["id"] for one in json.loads(following.stdout)["runs"])
    number = str(runs["runs"][0]["id"])
    assert run("runs", "show", number).returncode == 0
    assert run("runs", "checks", number).returncode == 3
    assert run("runs", "transcript", number).returncode == 3
    assert run("workers", "--json").returncode == 0
    gates = json.loads(run("gate", "show", "--json").stdout)
    assert gates
    assert not any(gate["green"] for gate in gates)


def test_a_campaign_is_paused_resumed_and_cancelled(run: Run, tmp_path: Path) -> None:
    run("campaign", "new", "steer.toml")
    run("db", "upgrade")
    started = run("campaign", "start", "steer.toml", "--unproven", "--json")
    name = json.loads(started.stdout)["id"]

    def state() -> str:
        shown = json.loads(run("campaign", "status", name, "--json").stdout)
        return str(shown["campaign"]["state"])

    assert run("campaign", "pause", name).returncode == 0
    assert state() == "paused"
    watched = run("campaign", "watch", name)
    assert watched.returncode == 0
    assert f"{name} is paused; go on with: gradefarm campaign resume {name}" in watched.stdout
    assert f"go on with: gradefarm campaign resume {name}" in run("campaign", "status").stdout
    problem = f"the budget is used up. Go on with `gradefarm campaign resume {name}`."
    with open_database(f"sqlite:///{tmp_path}/farm/farm.db").transaction() as session:
        note_problem(session, name, problem)
    watched = run("campaign", "watch", name)
    assert watched.returncode == 0
    assert f"{name} is paused; {problem}\n" in watched.stdout
    looked = json.loads(run("campaign", "watch", name, "--json").stdout.splitlines()[-1])
    assert problem in [trouble["remedy"] for trouble in looked["troubles"]]
    for _ in range(2):
        assert run("campaign", "resume", name).returncode == 0
    assert state() == "running"
    listed = run("runs", "list")
    assert listed.stdout.startswith(f"runs of {name}, the newest campaign")
    unknown = run("runs", "list", "--language", "cobol")
    assert unknown.returncode == 3
    assert "python" in unknown.stderr
    assert run("campaign", "cancel", name).returncode == 0
    board = json.loads(run("board", "--json").stdout)
    assert board["cancelled"][0]["campaign_id"] == name
    assert board["cancelled"][0]["cancelled"] == board["cancelled"][0]["planned"] > 0
    assert state() == "cancelled"
    assert run("campaign", "resume", name).returncode == 4
    assert run("campaign", "pause", "nobody-1").returncode == 3


def test_an_unknown_task_of_a_gate_is_not_found(run: Run) -> None:
    run("db", "upgrade")
    assert run("gate", "show", "--task", "no-such-task").returncode == 3
    assert run("gate", "show", "--language", "cobol").returncode == 3


def test_the_database_says_where_it_is(run: Run) -> None:
    assert run("db", "check").returncode == 3
    upgraded = run("db", "upgrade", "--json")
    checked = run("db", "check", "--json")
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["revision"] == json.loads(upgraded.stdout)["revision"]


def test_completion_reaches_into_groups_that_are_not_imported_yet(run: Run) -> None:
    shown = run(
        _GRADEFARM_COMPLETE="complete_bash", COMP_WORDS="gradefarm campaign st", COMP_CWORD="2"
    )
    assert set(shown.stdout.split()) == {"start", "status"}


def test_the_command_tree_names_every_leaf() -> None:
    code = "import json, scheduler.cli.main as m; print(json.dumps(m.command_tree()))"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    tree = {tuple(words) for words in json.loads(shown.stdout)}
    assert {("up",), ("demo",), ("campaign", "start"), ("runs", "checks"), ("db", "check")} <= tree


def test_a_home_that_is_no_folder_is_told_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words in (("up",), ("db", "upgrade"), ("doctor",)):
        told = run(*words, GRADEFARM_HOME=str(tmp_path / "file"))
        assert told.returncode == 5, told.stderr
        assert "Traceback" not in told.stderr
        assert "GRADEFARM_HOME" in told.stderr + told.stdout


def test_a_file_that_is_no_database_is_told_with_its_remedy(run: Run, tmp_path: Path) -> None:
    (tmp_path / "farm").mkdir()
    (tmp_path / "farm" / "farm.db").write_text("not a database, but longer than its header " * 9)
    for words in (("board",), ("db", "upgrade"), ("doctor",)):
        told = run(*words)
        assert told.returncode == 5, told.stderr
        assert "Traceback" not in told.stderr
        assert "is not an SQLite database" in told.stderr + told.stdout


def test_a_reader_that_goes_away_is_no_fault(run: Run, tmp_path: Path) -> None:
    for ending in (">&-", "| true"):
        told = subprocess.run(
            ["/bin/sh", "-c", f"{GRADEFARM} catalog list {ending}"],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
        )
        assert told.stderr == ""
    assert run("catalog", "list").returncode == 0


def test_a_missing_driver_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Infrastructure, match=r"pip install -e '\.\[postgres\]'"):
        open_database("postgresql://someone@localhost/farm")


def test_wrong_words_are_json_too_where_json_is_asked_for(run: Run) -> None:
    for words in (("runs", "show", "abc"), ("runs", "list", "--verdict", "foo"), ("bord",)):
        told = run(*words, "--json")
        assert told.returncode == 2
        assert json.loads(told.stderr)["error"]["exit_code"] == 2
        assert told.stdout == ""


def test_the_version_is_told_and_completion_is_offered_once(run: Run) -> None:
    assert run("--version").stdout == f"gradefarm {version('gradefarm')}\n"
    assert "--install-completion" in run("--help").stdout
    for words in (("board",), ("campaign",), ("worker",)):
        assert "completion" not in run(*words, "--help").stdout


def test_whoever_stops_watching_is_told_that_the_campaign_goes_on(run: Run, tmp_path: Path) -> None:
    run("campaign", "new", "seen.toml")
    run("db", "upgrade")
    run("campaign", "start", "seen.toml", "--unproven")
    watching = subprocess.Popen(
        [str(GRADEFARM), "campaign", "watch"],
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": os.environ["PATH"], "GRADEFARM_HOME": str(tmp_path / "farm")},
    )
    assert watching.stdout
    name = watching.stdout.readline().split()[0]
    watching.send_signal(signal.SIGINT)
    told, _ = watching.communicate(timeout=30)
    assert watching.returncode == 130
    assert f"it goes on; come back with: gradefarm campaign watch {name}" in told
