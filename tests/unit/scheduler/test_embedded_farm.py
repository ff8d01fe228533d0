"""The parts of the embedded farm, with real processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from models.clock import SystemClock
from models.errors import Infrastructure, Refused
from models.settings import broker_socket
from scheduler.embedded_farm import tether
from scheduler.embedded_farm.broker import (
    broker_answers,
    broker_command,
    find_broker_binary,
    prepare_broker,
)
from scheduler.embedded_farm.child import ChildSpec
from scheduler.embedded_farm.flower import flower_login, free_port
from scheduler.embedded_farm.home_lock import holder_of, home_lock
from scheduler.embedded_farm.supervisor import Supervisor

ENVIRONMENT = {"PATH": os.defpath}


def spec(tmp_path: Path, script: str, name: str = "child") -> ChildSpec:
    argv = (sys.executable, "-I", "-S", "-c", script)
    return ChildSpec(name, argv, ENVIRONMENT, tmp_path, ready=lambda: True)


def wait_for(fact: object, patience_s: float = 10.0) -> None:
    assert callable(fact)
    give_up = time.monotonic() + patience_s
    while not fact():
        assert time.monotonic() < give_up, "it did not happen in time"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_child_that_dies_is_started_again(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path / "logs", SystemClock(), owns_process=False)
    try:
        child = supervisor.start(spec(tmp_path, "import time; time.sleep(600)"))
        first = child.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: (supervisor.tend(), child.restarts == 1 and child.pid)[1])
        assert child.pid != first
        assert child.exits == [-signal.SIGKILL]
    finally:
        assert supervisor.stop() == []


def test_a_child_that_will_not_stop_is_killed_with_its_own_children(tmp_path: Path) -> None:
    deaf = (
        "import os, signal, time, pathlib\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "pid = os.fork()\n"
        "if pid == 0: os.setsid()\n"
        "else: pathlib.Path('grandchild').write_text(str(pid))\n"
        "time.sleep(600)\n"
    )
    supervisor = Supervisor(tmp_path / "logs", SystemClock(), owns_process=False)
    stubborn = ChildSpec(
        "deaf",
        spec(tmp_path, deaf).argv,
        ENVIRONMENT,
        tmp_path,
        ready=lambda: True,
        stop_steps=((signal.SIGTERM, 0.2),),
    )
    child = supervisor.start(stubborn)
    note = tmp_path / "grandchild"
    wait_for(lambda: note.exists() and note.read_text())
    pids = (child.pid, int(note.read_text()))
    assert supervisor.stop() == []
    wait_for(lambda: all(pid is not None and is_gone(pid) for pid in pids))


ORPHAN_SCRIPT = """
import os, pathlib, signal, sys, time
from models.clock import SystemClock
from scheduler.embedded_farm.child import ChildSpec
from scheduler.embedded_farm.supervisor import Supervisor

child = '''
import os, time, pathlib
pid = os.fork()
if pid == 0: os.setsid()
else: pathlib.Path("orphan").write_text(str(pid))
time.sleep(600)
'''
here = pathlib.Path(sys.argv[1])
supervisor = Supervisor(here / "logs", SystemClock(), owns_process=True)
started = supervisor.start(ChildSpec(
    "child", (sys.executable, "-I", "-S", "-c", child), {}, here, ready=lambda: True))
note = here / "orphan"
while not (note.exists() and note.read_text()):
    time.sleep(0.02)
orphan = int(note.read_text())
os.kill(started.pid, signal.SIGKILL)
while not any("left behind" in news for news in supervisor.tend()):
    time.sleep(0.02)
while pathlib.Path(f"/proc/{orphan}").exists():
    supervisor.tend()
    time.sleep(0.02)
assert supervisor.stop() == []
"""


def test_what_a_dead_child_leaves_behind_is_ended(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN_SCRIPT, str(tmp_path)], check=False, timeout=30
    )
    assert done.returncode == 0


def test_a_child_that_cannot_start_is_reported_with_its_last_words(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path / "logs", SystemClock(), owns_process=False)
    broken = spec(tmp_path, "raise SystemExit('the toolchain fell over')")
    never = ChildSpec("broken", broken.argv, ENVIRONMENT, tmp_path, ready=lambda: False)
    supervisor.start(never)
    try:
        with pytest.raises(Infrastructure, match="the toolchain fell over"):
            supervisor.wait_until_ready(("broken",), patience_s=20)
    finally:
        supervisor.stop()


class Hurried:
    """A clock that runs so fast that every try of a child seems to take long."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic() * 100


def test_a_child_that_keeps_ending_late_is_reported_as_well(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path / "logs", Hurried(), owns_process=False)
    script = "import time; time.sleep(0.3); raise SystemExit('no language is served')"
    late = ChildSpec("late", spec(tmp_path, script).argv, ENVIRONMENT, tmp_path, lambda: False)
    child = supervisor.start(late)
    try:
        with pytest.raises(Infrastructure, match="no language is served") as reported:
            supervisor.wait_until_ready(("late",), patience_s=2_000)
        assert (len(child.exits), child.failures) == (3, 1)
        assert reported.value.exit_code == 5
    finally:
        supervisor.stop()


def test_a_tethered_process_dies_with_its_parent(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = (
        "import os, subprocess, sys, pathlib, time\n"
        f"argv = [sys.executable, '-I', '-S', {tether.__file__!r}, str(os.getpid()), "
        "sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "child = subprocess.Popen(argv)\n"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    wait_for(lambda: note.exists() and note.read_text())
    child = int(note.read_text())
    wait_for(lambda: "tether.py" not in " ".join(psutil.Process(child).cmdline()))
    parent.kill()
    parent.wait()
    wait_for(lambda: is_gone(child))


def test_a_tether_whose_parent_is_gone_starts_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", tether.__file__, "1", "/bin/true"], check=False, timeout=10
    )
    assert done.returncode == tether.PARENT_GONE


def test_two_farms_in_one_home_are_refused_and_the_first_is_named(tmp_path: Path) -> None:
    assert holder_of(tmp_path) is None
    with home_lock(tmp_path):
        assert holder_of(tmp_path) == os.getpid()
        with (
            pytest.raises(Refused, match=f"process {os.getpid()}.*GRADEFARM_HOME"),
            home_lock(tmp_path),
        ):
            pass
    assert holder_of(tmp_path) is None
    with home_lock(tmp_path):
        pass


def test_the_flower_password_is_made_once_and_private(tmp_path: Path) -> None:
    login = flower_login(tmp_path)
    assert len(login.password) >= 20
    assert flower_login(tmp_path) == login
    assert (tmp_path / "flower.password").stat().st_mode & 0o077 == 0


def test_a_taken_port_is_replaced_by_a_free_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = int(taken.getsockname()[1])
        assert free_port(port) != port


@pytest.mark.real
def test_the_broker_keeps_what_it_was_given_over_a_kill(tmp_path: Path) -> None:
    prepare_broker(tmp_path)
    argv = broker_command(find_broker_binary().path, tmp_path)
    address = broker_socket(tmp_path)
    supervisor = Supervisor(tmp_path / "logs", SystemClock(), owns_process=False)
    running = ChildSpec(
        "broker", argv, ENVIRONMENT, tmp_path, ready=lambda: broker_answers(address)
    )
    try:
        child = supervisor.start(running)
        supervisor.wait_until_ready(("broker",), patience_s=10)
        assert ask(address, "SET kept yes") == "+OK"
        time.sleep(1.5)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        wait_for(
            lambda: (supervisor.tend(), child.restarts == 1 and supervisor.is_ready("broker"))[1]
        )
        assert ask(address, "GET kept").endswith("yes")
        assert address.parent.stat().st_mode & 0o077 == 0
    finally:
        assert supervisor.stop() == []


def ask(address: Path, words: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(address))
        connection.sendall(words.encode() + b"\r\n")
        return connection.recv(256).decode().strip()
