"""The farm's fault, made for real, is void, tried again and shown; and no program can feign it."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import update

from models.schemas.run import RunState, Stage
from models.storage.elections import farm_epoch, take_office
from models.storage.results import cell_counts
from models.tables.scheduler_lease import SchedulerLeaseRow
from models.verdicts import AttemptEnding, StopReason, Verdict, VoidCategory
from tests.acceptance.farm_process import wait_for
from tests.conftest import miss
from tests.fakes.model_server import model_server
from tests.fakes.running_gateway import CHAT, gateway_toml, running_gateway
from tests.integration.job_bench import Bench
from workers.sandbox.bwrap_binary import available_binaries

pytestmark = [pytest.mark.real, pytest.mark.slow]

SCRATCH_MB = 24


def program(text: str) -> str:
    """A shell action that hands in `text` as the solution."""
    return f"cat > main.py <<'END'\n{textwrap.dedent(text)}END\n"


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    if os.geteuid() != 0:
        miss("root, to mount a small disk")
    folder.mkdir()
    options = f"size={SCRATCH_MB}m,mode=755"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "small", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path) -> Path:
    """Leave no byte free on the disk of `folder`."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return filler


@pytest.fixture
def on_small_disk(bench: Bench) -> Iterator[Bench]:
    """A bench whose scratch can be filled up."""
    scratch = bench.root / "small"
    plan = bench.hands.plan
    kept = tempfile.tempdir
    with small_disk(scratch):
        settings = plan.settings.model_copy(update={"scratch": scratch})
        bench.hands.plan = replace(plan, settings=settings)
        yield bench
        bench.hands.close()
        tempfile.tempdir = kept
    scratch.rmdir()


def shown_by_the_command(bench: Bench, *words: str) -> str:
    settings = bench.hands.plan.settings
    environment = {
        **os.environ,
        "GRADEFARM_HOME": str(settings.home),
        "GRADEFARM_DATABASE_URL": settings.database_url,
        "GRADEFARM_ARTIFACTS_URL": settings.artifacts_url,
    }
    command = [sys.executable, "-m", "scheduler.cli.main", *words]
    asked = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=environment, check=True
    )
    return asked.stdout


@pytest.mark.parametrize("stage", [Stage.AGENT, Stage.GRADE])
def test_a_full_disk_is_void_and_the_stage_is_done_again(
    on_small_disk: Bench, stage: Stage
) -> None:
    bench = on_small_disk
    run = bench.start("scripted", {"actions": ["cp tricks/solves.py main.py"]})
    bench.hands.get()
    if stage is Stage.GRADE:
        bench.work(run, Stage.AGENT)
    filler = fill(bench.hands.plan.settings.scratch)
    waiting = bench.work(run, stage).state
    assert waiting is (RunState.PLANNED if stage is Stage.AGENT else RunState.FROZEN)
    assert bench.attempts(run)[-1].category is VoidCategory.DISK_FULL
    filler.unlink()
    after = bench.work(run, *([Stage.AGENT] if stage is Stage.AGENT else []), Stage.GRADE)
    assert after.verdict is Verdict.PASSED
    endings = [a.ending for a in bench.attempts(run) if a.stage is stage]
    assert endings == [AttemptEnding.VOID, AttemptEnding.OK]


def test_a_disk_that_stays_full_makes_the_run_void_and_shows_it(on_small_disk: Bench) -> None:
    bench = on_small_disk
    run = bench.start("scripted", {"actions": ["cp tricks/solves.py main.py"]})
    bench.hands.get()
    fill(bench.hands.plan.settings.scratch)
    for _ in range(3):
        after = bench.work(run, Stage.AGENT)
    assert (after.state, after.void_category) == (RunState.VOID, VoidCategory.DISK_FULL)
    with bench.database.read() as session:
        (cell,) = cell_counts(session, [after.campaign_id])
    assert (cell.valid, cell.void_by_category) == (0, {"disk_full": 1})
    assert "disk_full" in shown_by_the_command(bench, "runs", "show", str(run))


def test_a_sandbox_that_is_denied_after_the_start_is_void_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:

    real = available_binaries()[0].path
    folder = Path(tempfile.mkdtemp(prefix="bwrap-", dir=bench.root))
    folder.chmod(0o755)
    shutil.copytree(real.parents[1], folder / "package", dirs_exist_ok=True)
    libraries = real.parents[1].with_name(f"{real.parents[1].name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    wrapper = folder / "bwrap"
    working = f'#!/bin/sh\nexec {folder}/package/{real.parent.name}/{real.name} "$@"\n'
    wrapper.write_text(working)
    for path in (wrapper, *folder.rglob("*")):
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    run = bench.start("scripted", {"actions": ["cp tricks/solves.py main.py"]})
    bench.hands.get()
    bench.work(run, Stage.AGENT)
    wrapper.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a namespace' >&2\nexit 1\n"
    )
    assert bench.work(run, Stage.GRADE).state is RunState.FROZEN
    last = bench.attempts(run)[-1]
    assert (last.ending, last.category) == (AttemptEnding.VOID, VoidCategory.SANDBOX_SETUP)
    assert "No permissions" in last.detail
    wrapper.write_text(working)
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED


def test_a_launcher_that_is_killed_is_void_and_replaced(bench: Bench) -> None:
    run = bench.start("scripted", {"actions": ["cp tricks/solves.py main.py"]})
    bench.work(run, Stage.AGENT)
    kill_launchers()
    assert bench.work(run, Stage.GRADE).state is RunState.FROZEN
    assert bench.attempts(run)[-1].category is VoidCategory.SANDBOX_SETUP
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED


def kill_launchers() -> None:
    launchers = [
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if _is_launcher_of(entry, os.getpid())
    ]
    for launcher in launchers:
        os.kill(launcher, 9)
    assert launchers


def kill_launchers_under(command_line: bytes) -> None:
    """Once a process with that command line runs."""
    wait_for(lambda: any(_runs(entry, command_line) for entry in Path("/proc").glob("[0-9]*")), 120)
    kill_launchers()


def _runs(process: Path, command_line: bytes) -> bool:
    try:
        return (process / "cmdline").read_bytes() == command_line
    except OSError:
        return False


def test_a_sandbox_that_is_lost_under_a_working_agent_leaves_its_use_unknown(bench: Bench) -> None:
    """And not nothing, though the void bears the name of a sandbox that was never set up."""
    run = bench.start("command", {"argv": ["sleep", "3600.25"], "ticket": "stdin"})
    breaking = threading.Thread(target=kill_launchers_under, args=(b"sleep\x003600.25\x00",))
    breaking.start()
    bench.work(run, Stage.AGENT)
    breaking.join()
    [attempt] = bench.attempts(run)
    assert (attempt.category, attempt.cost_microusd) == (VoidCategory.SANDBOX_SETUP, None)


def _is_launcher_of(process: Path, parent: int) -> bool:
    try:
        status = (process / "status").read_text()
        return (
            f"\nPPid:\t{parent}\n" in status
            and b"launcher_process" in (process / "cmdline").read_bytes()
        )
    except OSError:
        return False


FEIGNED = {
    "fills its folder": """
        data = bytes(1 << 20)
        number = 0
        while True:
            with open(f"f{number}", "wb") as file:
                file.write(data)
            number += 1
        """,
    "uses up all inodes": """
        number = 0
        while True:
            open(f"f{number}", "wb").close()
            number += 1
        """,
    "fills the shared memory": """
        with open("/dev/shm/f", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
        """,
    "writes a file of a terabyte of holes": """
        with open("f", "wb") as file:
            file.truncate(1 << 40)
        """,
    "hoards memory in many processes": """
        import os
        for _ in range(6):
            if os.fork() == 0:
                break
        kept = []
        while True:
            kept.append(bytearray(1 << 20))
        """,
    "says that the disk is full and ends": """
        import sys
        sys.stderr.write("bwrap: Can't mkdir /newroot: No space left on device\\n")
        raise SystemExit(1)
        """,
    "floods both outputs": """
        import sys
        while True:
            sys.stdout.write("x" * 65536)
            sys.stderr.write("x" * 65536)
        """,
    "kills all that it may": """
        import os
        while True:
            os.kill(-1, 9)
        """,
}


@pytest.mark.parametrize("trick", FEIGNED)
def test_no_solution_makes_itself_void(bench: Bench, trick: str) -> None:
    run = bench.start("scripted", {"actions": [program(FEIGNED[trick])]})
    after = bench.work(run, Stage.AGENT, Stage.GRADE)
    assert after.verdict is Verdict.FAILED
    assert not after.undelivered
    assert [attempt.ending for attempt in bench.attempts(run)] == [AttemptEnding.OK] * 2


LEFT = {
    "more bytes than allowed": ("head -c 400M /dev/zero > big", StopReason.WORKSPACE_OVER_LIMIT),
    "holes that are too large together": (
        "truncate -s 200M a; truncate -s 200M b",
        StopReason.WORKSPACE_OVER_LIMIT,
    ),
    "one file of holes": ("truncate -s 250M sparse", StopReason.DONE),
    "more files than allowed": (
        "/usr/bin/python3 -c 'for n in range(30000): open(str(n), \"w\").close()'",
        StopReason.WORKSPACE_OVER_LIMIT,
    ),
    "links that walk deep and back": (
        "/usr/bin/python3 -c '\n"
        "import os\n"
        "for n in range(900):\n"
        '    os.symlink("d/" * 800 + "../" * 800 + f"l{(n + 1) % 900}", f"l{n}")\'',
        StopReason.DONE,
    ),
    "link texts of megabytes": (
        "/usr/bin/python3 -c '\n"
        "import os\n"
        "for n in range(5000):\n"
        '    os.symlink("d/" * 2000, f"l{n}")\'',
        StopReason.WORKSPACE_OVER_LIMIT,
    ),
    "all its memory": (
        "/usr/bin/python3 -c 'kept = [bytearray(1 << 20) for _ in range(1 << 20)]'",
        StopReason.MEMORY_BUDGET,
    ),
    "endless output": ("yes", StopReason.OUTPUT_BUDGET),
    "names that are no text": (
        "/usr/bin/python3 -c 'for n in range(256): open(bytes([n or 1]) * 200, \"w\").close()'"
        " 2>/dev/null; mkfifo pipe; chmod 0 main.py",
        StopReason.DONE,
    ),
}


@pytest.mark.parametrize("left", LEFT)
def test_no_system_makes_its_run_void_by_what_it_leaves(bench: Bench, left: str) -> None:
    action, reason = LEFT[left]
    run = bench.start("scripted", {"actions": [action]})
    after = bench.work(run, Stage.AGENT, Stage.GRADE)
    assert after.stop_reason is reason
    assert after.verdict is Verdict.FAILED
    assert [attempt.ending for attempt in bench.attempts(run)] == [AttemptEnding.OK] * 2


def test_what_tools_leave_behind_is_no_delivery(bench: Bench) -> None:
    run = bench.start(
        "scripted", {"actions": ["mkdir -p a __pycache__ && touch __pycache__/x.pyc"]}
    )
    assert not bench.work(run, Stage.AGENT, Stage.GRADE).undelivered, "a folder is a change"
    run = bench.start("scripted", {"actions": ["mkdir __pycache__ && touch __pycache__/x.pyc"]})
    assert bench.work(run, Stage.AGENT, Stage.GRADE).undelivered


def test_an_empty_folder_in_a_starter_is_no_delivery(bench: Bench) -> None:
    empty = bench.root / "catalog" / "tasks" / "summing" / "public" / "python" / "data"
    empty.mkdir()
    try:
        run = bench.start("idle")
        assert bench.work(run, Stage.AGENT, Stage.GRADE).undelivered
    finally:
        empty.rmdir()


@pytest.mark.parametrize(
    "name", ["no-such-agent", "/opt/no/such-agent", "/etc/passwd", "./main.py"]
)
def test_a_program_that_the_sandbox_does_not_have_is_void_and_blamed_on_the_operator(
    bench: Bench, name: str
) -> None:
    run = bench.start("command", {"argv": [name, "{ticket_file}"]})
    after = bench.work(run, Stage.AGENT, Stage.AGENT, Stage.AGENT)
    assert (after.state, after.void_category) == (RunState.VOID, VoidCategory.OPERATOR)
    assert [attempt.cost_microusd for attempt in bench.attempts(run)] == [0, 0, 0]
    detail = bench.attempts(run)[-1].detail
    assert f"the program {name} " in detail
    assert "Install it below /usr" in detail
    if name == "no-such-agent":
        shown = shown_by_the_command(bench, "runs", "show", str(run))
        assert "void: operator" in shown
        assert detail in shown
        assert "1 operator" in shown_by_the_command(bench, "campaign", "status")


@pytest.mark.parametrize(
    "script",
    [
        "exit 127",
        "exit 126",
        "exec no-such-program",
        "echo 'bwrap: execvp sh: No such file or directory' >&2; exit 1",
        "echo 'bwrap: execvp sh: No such file or directory' >&2; kill -9 $$",
    ],
)
def test_a_program_that_once_started_can_not_pass_for_a_missing_one(
    bench: Bench, script: str
) -> None:
    run = bench.start("command", {"argv": ["sh", "-c", script]})
    after = bench.work(run, Stage.AGENT, Stage.GRADE)
    assert (after.verdict, after.stop_reason) == (Verdict.FAILED, StopReason.AGENT_CRASHED)
    assert [attempt.ending for attempt in bench.attempts(run)] == [AttemptEnding.OK] * 2


def test_a_system_that_needs_a_model_is_void_on_a_farm_without_a_gateway(bench: Bench) -> None:
    run = bench.start("chat", {"model": "any"})
    bench.work(run, Stage.AGENT)
    (attempt,) = bench.attempts(run)
    assert attempt.category is VoidCategory.GATEWAY
    assert "Write gateway.toml" in attempt.detail
    assert (attempt.cost_microusd, attempt.tokens) == (0, 0)


def test_a_run_tells_the_gateway_its_farm_and_is_void_on_that_of_another(
    bench: Bench, tmp_path: Path
) -> None:
    with bench.database.transaction() as session:
        take_office(session, "a scheduler", time.time())
        ours = farm_epoch(session)
    with (
        model_server() as server,
        running_gateway(tmp_path / "gateway", gateway_toml(server)) as gateway,
    ):
        token = SecretStr(gateway.opened.token)
        told = {"gateway_url": gateway.settings.gateway_address, "gateway_token": token}
        plan = bench.hands.plan
        bench.hands.plan = replace(plan, settings=plan.settings.model_copy(update=told))
        run = bench.start("chat", {"model": CHAT})
        bench.work(run, Stage.AGENT)
        (account,) = gateway.opened.grants.accounts()
        assert (account.request.farm, account.request.run_id) == (ours, run)
        with bench.database.transaction() as session:
            session.execute(update(SchedulerLeaseRow).values(epoch="of another farm"))
        second = bench.start("chat", {"model": CHAT})
        bench.work(second, Stage.AGENT)
    (attempt,) = bench.attempts(second)
    assert attempt.category is VoidCategory.OPERATOR
    assert "One gateway serves one farm" in attempt.detail
