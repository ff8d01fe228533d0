"""Every attack ends as it should and leaves nothing behind, whoever the worker is."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import miss
from tests.contract.sandbox_attack_programs import ESCAPES, EXHAUSTION, Attack
from tests.contract.sandbox_subjects import (
    PYTHON,
    Subject,
    local_subject,
    public_interpreter,
    remote_subject,
)
from workers.sandbox.outcome import Ending
from workers.sandbox.selection import IsolationUnavailable

pytestmark = pytest.mark.real


@pytest.fixture(scope="module", params=["this user", "user without rights"])
def subject(request: pytest.FixtureRequest) -> Generator[Subject]:
    if not Path(PYTHON).exists():
        miss(PYTHON)
    if request.param == "this user":
        try:
            yield from local_subject()
        except IsolationUnavailable as error:
            miss(f"a sandbox ({error})")
    elif os.geteuid() != 0 or public_interpreter() is None:
        miss("root, or a Python that every user may run")
    else:
        yield from remote_subject()


@pytest.mark.parametrize("attack", EXHAUSTION, ids=str)
def test_exhaustion_ends_in_the_limit_that_it_hits(subject: Subject, attack: Attack) -> None:
    _hold(subject, attack)


@pytest.mark.parametrize("attack", ESCAPES, ids=str)
def test_an_escape_is_refused(subject: Subject, attack: Attack) -> None:
    _hold(subject, attack)


def _hold(subject: Subject, attack: Attack) -> None:
    attacked = subject.attack(attack.source, attack.mode, **attack.limits)
    outcome = attacked.outcome
    assert outcome.ending in attack.endings, outcome
    if outcome.ending is Ending.exited:
        assert outcome.exit_code == attack.code, outcome
    assert b"BREACH" not in outcome.stdout, outcome
    assert b"Traceback" not in outcome.stderr or outcome.ending is not Ending.exited, outcome
    assert attacked.survivors == []
    assert outcome.wall_s < 10


def test_the_host_loopback_cannot_be_reached(subject: Subject) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        source = (
            "import socket\n"
            f"try: socket.create_connection(('127.0.0.1', {port}), 2); print('BREACH')\n"
            "except OSError: print('held')"
        )
        outcome = subject.attack(source).outcome
    assert outcome.stdout == b"held\n", outcome


def test_an_abstract_socket_of_the_host_cannot_be_reached(subject: Subject) -> None:
    name = f"\0gradefarm-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(name)
        door.listen()
        source = (
            "import socket\n"
            f"try: socket.socket(socket.AF_UNIX).connect({name!r}); print('BREACH')\n"
            "except OSError: print('held')"
        )
        outcome = subject.attack(source).outcome
    assert outcome.stdout == b"held\n", outcome


def test_nothing_of_one_run_reaches_the_next(subject: Subject) -> None:
    leave = (
        "import os\n"
        "for p in ('/tmp/left', '/dev/shm/left', os.environ['HOME'] + '/left', '/work/left'):\n"
        "    open(p, 'w').write('x')\n"
        "print('left')"
    )
    look = (
        "import os\n"
        "for p in ('/tmp', '/dev/shm', os.environ['HOME'], '/work'): print(sorted(os.listdir(p)))\n"
    )
    for mode in ("rw", "overlay"):
        assert subject.attack(leave, mode).outcome.stdout == b"left\n"
        assert subject.attack(look, mode).outcome.stdout == b"[]\n[]\n[]\n['kept.txt']\n"


def test_a_survivor_that_holds_the_output_does_not_delay_the_end(subject: Subject) -> None:
    started = time.monotonic()
    source = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(60)\nos._exit(0)"
    assert subject.attack(source).outcome.ending is Ending.exited
    assert time.monotonic() - started < 3


def test_the_outcome_says_what_was_used(subject: Subject) -> None:
    source = (
        "b = b'x' * 50_000_000\nimport time\nend = time.process_time() + 0.3\n"
        "while time.process_time() < end: pass"
    )
    outcome = subject.attack(source).outcome
    assert outcome.ending is Ending.exited
    assert 0.3 <= outcome.cpu_s < 1.5
    assert outcome.peak_memory_bytes is not None
    assert 45_000_000 < outcome.peak_memory_bytes < 120_000_000
    assert replace(outcome, wall_s=0.0).wall_s == 0.0
