"""What every caller of the sandbox may count on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import Infrastructure
from tests.conftest import miss
from tests.contract.sandbox_subjects import survivors
from workers.sandbox.bubblewrap import BubblewrapSandbox
from workers.sandbox.outcome import Ending
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.selection import IsolationUnavailable, select_sandbox
from workers.sandbox.unisolated import NOT_ISOLATED, UnisolatedSandbox

pytestmark = pytest.mark.real

LIMITS = Limits(
    wall_s=10.0,
    cpu_s=10.0,
    memory_bytes=256 * 2**20,
    processes=32,
    output_bytes=2**24,
    disk_bytes=64 * 2**20,
    files=10_000,
)


@pytest.fixture
def scratch() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sandbox-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def sandbox(scratch: Path) -> Generator[Sandbox]:
    try:
        chosen = select_sandbox(scratch / "scratch")
    except IsolationUnavailable as error:
        miss(f"a sandbox ({error})")
    yield chosen
    chosen.close()


@pytest.fixture(params=["bubblewrap", "unisolated"])
def driver(request: pytest.FixtureRequest, scratch: Path) -> Generator[Sandbox]:
    if request.param == "unisolated":
        chosen: Sandbox = UnisolatedSandbox(scratch / "open")
    else:
        try:
            chosen = select_sandbox(scratch / "scratch")
        except IsolationUnavailable as error:
            miss(f"a sandbox ({error})")
    yield chosen
    chosen.close()


@pytest.fixture
def base(scratch: Path) -> Path:
    folder = scratch / "base"
    (folder / "sub").mkdir(parents=True)
    (folder / "kept.txt").write_text("kept\n")
    (folder / "sub" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "sub" / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("kept.txt")
    return folder


def shell(script: str, *mounts: Mount, **changes: object) -> SandboxRequest:
    workdir = mounts[0].target if mounts else "/tmp"
    request = SandboxRequest(("/bin/sh", "-c", script), b"", {}, mounts, workdir, LIMITS)
    return replace(request, **changes)  # type: ignore[arg-type]


def test_output_exit_code_and_input_pass_through(driver: Sandbox) -> None:
    outcome = driver.run(shell("cat; echo oops >&2; exit 3", stdin=b"hello"))
    assert (outcome.ending, outcome.exit_code) == (Ending.exited, 3)
    assert (outcome.stdout, outcome.stderr) == (b"hello", b"oops\n")
    assert outcome.infrastructure is None


def test_megabytes_of_input_and_output_pass_through(driver: Sandbox) -> None:
    data = os.urandom(3_000_000)
    assert driver.run(shell("cat", stdin=data)).stdout == data


def test_input_that_nobody_reads_does_no_harm(driver: Sandbox) -> None:
    assert driver.run(shell("exit 0", stdin=b"x" * 5_000_000)).exit_code == 0


def test_output_is_kept_up_to_the_limit(driver: Sandbox) -> None:
    limits = replace(LIMITS, output_bytes=1000)
    outcome = driver.run(shell("yes", limits=limits))
    assert outcome.ending is Ending.output_limit
    assert len(outcome.stdout) + len(outcome.stderr) == 1000


def test_the_environment_is_what_was_asked_for(driver: Sandbox) -> None:
    odd = {"GREETING": "good morning\nand ümlaut", "LD_PRELOAD": "/nowhere.so", "TMPDIR": "/tmp"}
    outcome = driver.run(shell('printf %s "$GREETING"', env=odd))
    assert outcome.stdout.decode() == odd["GREETING"]


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("no-such-program",), 127), (("/no/such",), 127), (("/tmp",), 126), (("/etc/passwd",), 126)],
)
def test_a_missing_program_is_the_programs_fault(
    driver: Sandbox, argv: tuple[str, ...], code: int
) -> None:
    outcome = driver.run(shell("", argv=argv))
    assert (outcome.ending, outcome.exit_code) == (Ending.exited, code)


def test_a_script_without_its_interpreter_is_a_missing_program(driver: Sandbox, base: Path) -> None:
    (base / "sub" / "odd").write_text("#!/no/such/interpreter\n")
    (base / "sub" / "odd").chmod(0o755)
    with driver.fresh_workspace(base) as workspace:
        outcome = driver.run(shell("", workspace.mount(), argv=("/work/sub/odd",)))
    assert (outcome.ending, outcome.exit_code) == (Ending.exited, 127)


def test_a_working_directory_that_judged_code_deleted_is_not_the_farms_fault(
    sandbox: Sandbox, base: Path
) -> None:
    with sandbox.fresh_workspace(base) as workspace:
        sandbox.run(shell("rm -r /work/sub", workspace.mount()))
        outcome = sandbox.run(shell("true", workspace.mount(), workdir="/work/sub"))
    assert (outcome.ending, outcome.exit_code) == (Ending.exited, 126)


def test_a_toolchain_that_is_not_there_is_the_farms_fault(sandbox: Sandbox) -> None:
    gone = Mount(Path("/opt/no-such-toolchain"), "/opt/toolchain", "ro")
    outcome = sandbox.run(shell("true", gone, workdir="/tmp"))
    assert outcome.ending is Ending.infrastructure
    assert outcome.infrastructure == "toolchain_missing"
    assert "/opt/no-such-toolchain" in " ".join(outcome.notes)


@pytest.fixture
def small_disk(scratch: Path) -> Generator[Path]:
    """A scratch folder on a disk of one MiB."""
    if os.geteuid() != 0:
        miss("root, to mount a small disk")
    small = scratch / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "t", small], check=True)
    yield small
    subprocess.run(["umount", "-l", small], check=True)


def fill(disk: Path) -> None:
    subprocess.run(["dd", "if=/dev/zero", f"of={disk}/filler", "status=none"], check=False)


def test_a_disk_without_room_to_try_a_sandbox_is_not_taken_for_a_machine_without_one(
    small_disk: Path,
) -> None:
    select_sandbox(small_disk).close()
    fill(small_disk)
    with pytest.raises(Infrastructure) as refused:
        select_sandbox(small_disk, allow_unisolated=True)
    assert refused.value.category == "disk_full"


def test_a_full_disk_of_the_farm_is_the_farms_fault(scratch: Path, small_disk: Path) -> None:
    sandbox = select_sandbox(small_disk)
    fill(small_disk)
    made_anew = Mount(scratch, "/opt/never-seen-before", "ro")
    outcome = sandbox.run(shell("true", made_anew, workdir="/tmp"))
    sandbox.close()
    assert (outcome.ending, outcome.infrastructure) == (Ending.infrastructure, "disk_full")


def test_a_workspace_is_a_full_copy_and_keeps_its_changes(driver: Sandbox, base: Path) -> None:
    with driver.fresh_workspace(base) as workspace:
        script = "./sub/run.sh; cat link; echo new > sub/new; echo more >> kept.txt; rm link"
        first = driver.run(shell(script, workspace.mount()))
        second = driver.run(shell("cat sub/new kept.txt; ls", workspace.mount()))
        assert (workspace.merged / "sub" / "new").read_text() == "new\n"
    assert first.stdout == b"ran\nkept\n"
    assert second.stdout == b"new\nkept\nmore\nkept.txt\nsub\n"
    assert (base / "kept.txt").read_text() == "kept\n"
    assert not workspace.merged.exists()


def test_a_large_base_behaves_like_a_small_one(driver: Sandbox, base: Path) -> None:
    for number in range(300):
        (base / f"file{number}").write_text("x")
    for _ in range(2):
        with driver.fresh_workspace(base) as workspace:
            script = "mv sub moved && rm file7 && echo y >> file8 && ls | wc -l && cat file8"
            assert driver.run(shell(script, workspace.mount())).stdout == b"302\nxy\n"
            assert (workspace.merged / "moved" / "run.sh").exists()
        assert not workspace.merged.exists()
    assert (base / "file8").read_text() == "x"


def test_a_throwaway_view_takes_changes_and_forgets_them(driver: Sandbox, base: Path) -> None:
    with driver.fresh_workspace(base) as workspace:
        view = Mount(workspace.merged, "/work", "overlay")
        for _ in range(2):
            outcome = driver.run(shell("ls; echo x > made; echo x >> kept.txt; cat made", view))
            assert outcome.stdout == b"kept.txt\nlink\nsub\nx\n"
        assert (workspace.merged / "kept.txt").read_text() == "kept\n"


def test_a_read_only_mount_can_be_read_and_not_written(sandbox: Sandbox, base: Path) -> None:
    with sandbox.fresh_workspace(base) as workspace:
        mounts = (workspace.mount(), Mount(base, "/opt/toolchain", "ro"))
        script = "cat /opt/toolchain/kept.txt; echo x > /opt/toolchain/kept.txt || echo refused"
        assert sandbox.run(shell(script, *mounts)).stdout == b"kept\nrefused\n"
    assert (base / "kept.txt").read_text() == "kept\n"


def test_a_single_file_can_be_mounted(sandbox: Sandbox, base: Path) -> None:
    mount = Mount(base / "kept.txt", "/opt/one/file", "ro")
    assert sandbox.run(shell("cat /opt/one/file", mount, workdir="/tmp")).stdout == b"kept\n"


def test_cancelling_ends_a_run_at_once(driver: Sandbox) -> None:
    withdrawn = threading.Event()
    threading.Timer(0.3, withdrawn.set).start()
    outcome = driver.run(shell("sleep 60", cancelled=withdrawn.is_set))
    assert outcome.ending is Ending.cancelled
    assert outcome.wall_s < 3


def test_the_standard_streams_can_be_opened_anew(sandbox: Sandbox) -> None:
    script = "cat /dev/stdin; echo out > /dev/stdout; echo err > /dev/stderr"
    outcome = sandbox.run(shell(script, stdin=b"in\n"))
    assert (outcome.stdout, outcome.stderr) == (b"in\nout\n", b"err\n")


def test_runs_without_isolation_say_so(scratch: Path) -> None:
    sandbox = UnisolatedSandbox(scratch)
    assert NOT_ISOLATED in sandbox.run(shell("true")).notes
    assert not sandbox.probe().complete
    sandbox.close()


def test_the_probe_proves_every_ability_within_three_seconds(sandbox: Sandbox) -> None:
    started = time.monotonic()
    report = sandbox.probe()
    assert report.complete, report.missing()
    assert len(report.abilities) >= 10
    assert time.monotonic() - started < 3


def test_two_sandboxes_run_side_by_side_in_different_slots(scratch: Path) -> None:
    first, second = (select_sandbox(scratch / "scratch") for _ in range(2))
    script = "awk '{print $2}' /proc/self/uid_map; sleep 0.3"
    outputs: list[bytes] = []
    threads = [
        threading.Thread(target=lambda box=box: outputs.append(box.run(shell(script)).stdout))
        for box in (first, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first.close()
    second.close()
    assert len(outputs) == 2
    if os.geteuid() == 0:
        assert len(set(outputs)) == 2


def test_threads_that_share_a_sandbox_wait_for_each_other(sandbox: Sandbox) -> None:
    outputs: list[bytes] = []
    threads = [
        threading.Thread(target=lambda n=n: outputs.append(sandbox.run(shell(f"echo {n}")).stdout))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outputs) == [b"%d\n" % n for n in range(6)]


def test_a_forked_worker_takes_a_slot_of_its_own(sandbox: Sandbox) -> None:
    sandbox.run(shell("true"))
    child = os.fork()
    if child == 0:
        outcome = sandbox.run(shell("echo child"))
        sandbox.close()
        os._exit(0 if outcome.stdout == b"child\n" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sandbox.run(shell("echo parent")).stdout == b"parent\n"


def test_a_lost_launcher_is_replaced(sandbox: Sandbox) -> None:
    assert isinstance(sandbox, BubblewrapSandbox)
    sandbox.run(shell("true"))
    launchers = survivors("launcher_process.py")
    assert launchers
    own = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for pid in own:
        if b"launcher_process" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(int(pid), signal.SIGKILL)
    assert sandbox.run(shell("true")).ending is Ending.infrastructure
    assert sandbox.run(shell("true")).ending is Ending.exited


def test_a_time_limit_that_strikes_during_a_run_kills_the_program(
    driver: Sandbox, base: Path
) -> None:
    marker = f"struck-{os.getpid()}"

    def interrupt() -> bool:
        raise KeyboardInterrupt

    with driver.fresh_workspace(base) as workspace:
        argv = ("/bin/sh", "-c", "sleep 60 & sleep 60", marker)
        with pytest.raises(KeyboardInterrupt):
            driver.run(shell("", workspace.mount(), argv=argv, cancelled=interrupt))
        assert survivors(marker) == []
        assert driver.run(shell("cat kept.txt", workspace.mount())).stdout == b"kept\n"


def test_a_killed_worker_leaves_no_process_behind(scratch: Path) -> None:
    marker = f"left-by-{os.getpid()}"
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from workers.sandbox.selection import select_sandbox\n"
        "from workers.sandbox.request import *\n"
        "limits = Limits(60, 60, 2**28, 32, 2**20, 2**26, 1000)\n"
        "request = SandboxRequest(('/bin/sh', '-c', 'sleep 60 & sleep 60', sys.argv[2]),\n"
        "                         b'', {}, (), '/tmp', limits)\n"
        "select_sandbox(Path(sys.argv[1])).run(request)\n"
    )
    repository = str(Path(__file__).parents[2])
    worker = subprocess.Popen(
        [sys.executable, "-c", program, str(scratch / "scratch"), marker],
        env={"PYTHONPATH": repository, "PATH": os.defpath},
        cwd="/",
    )
    deadline = time.monotonic() + 20
    while len(survivors(marker)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    worker.kill()
    worker.wait()
    while survivors(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert survivors(marker) == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"argv": ()}, "argv"),
        ({"argv": ("a\0b",)}, "NUL"),
        ({"env": {"A=B": "c"}}, "env"),
        ({"workdir": "tmp"}, "absolute"),
        ({"workdir": "/tmp/../etc"}, "absolute"),
    ],
)
def test_a_senseless_request_is_refused(
    driver: Sandbox, changes: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        driver.run(shell("true", **changes))


def test_a_mount_inside_a_writable_mount_is_refused(driver: Sandbox, base: Path) -> None:
    mounts = (Mount(base, "/work", "rw"), Mount(base, "/work/sub", "ro"))
    with pytest.raises(ValueError, match="/work/sub lies in /work"):
        driver.run(shell("true", *mounts))


def test_without_bubblewrap_nothing_is_chosen_unless_allowed(scratch: Path) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "import workers.sandbox.selection as selection\n"
        "selection.available_binaries = lambda: []\n"
        "try: selection.select_sandbox(Path(sys.argv[1]))\n"
        "except selection.IsolationUnavailable as error: print(error.remedy)\n"
        "print(selection.select_sandbox(Path(sys.argv[1]), allow_unisolated=True).name)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(scratch)],
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Install bubblewrap" in ended.stdout
    assert ended.stdout.endswith("unisolated\n")


def test_files_with_holes_count_by_their_length(sandbox: Sandbox, base: Path) -> None:
    """They cost the program nothing, and whoever freezes or copies them all of it."""
    script = "for i in 1 2 3 4; do truncate -s 20M sparse$i; done"
    with sandbox.fresh_workspace(base) as workspace:
        outcome = sandbox.run(shell(script, workspace.mount()))
    assert outcome.ending is Ending.disk_limit
