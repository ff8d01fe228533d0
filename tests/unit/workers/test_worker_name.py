"""Two workers of one farm on one host never share a name, and a name outlives its process."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from models.errors import InvalidInput
from workers.worker_name import ClaimedName, claim_name

FARM = f"sqlite:////tmp/farm-{os.getpid()}.db"
HOST = socket.gethostname()
CLAIMER = (
    "import sys, time\n"
    "from workers.worker_name import claim_name\n"
    "claimed = claim_name(sys.argv[1], sys.argv[2])\n"
    "print(claimed.name, flush=True)\n"
    "time.sleep(600)\n"
)


def claimer(wanted: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", CLAIMER, FARM, wanted]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_workers_that_start_together_get_names_of_their_own() -> None:
    started = [claimer("grade") for _ in range(3)]
    try:
        names = {said(process) for process in started}
    finally:
        for process in started:
            process.kill()
            process.communicate()
    assert names == {f"grade@{HOST}", f"grade-2@{HOST}", f"grade-3@{HOST}"}


def test_a_worker_that_was_killed_has_its_name_again() -> None:
    first = claimer("agent")
    assert said(first) == f"agent@{HOST}"
    first.send_signal(signal.SIGKILL)
    first.communicate()
    again = claim_name(FARM, "agent")
    assert again.name == f"agent@{HOST}"
    again.release()


@pytest.mark.parametrize("wanted", ["../agent", "agent@a@b", "a b", "@here", "a" * 64])
def test_a_name_that_can_not_be_one_is_refused(wanted: str) -> None:
    with pytest.raises(InvalidInput, match="--name"):
        claim_name(FARM, wanted)


def test_a_forked_child_does_not_keep_the_name() -> None:
    held = claim_name(FARM, "forked@there")
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b"x")
        signal.pause()
        os._exit(0)
    try:
        assert os.read(ready, 1) == b"x"
        assert taken_now("forked@there").name == "forked-2@there"
        held.release()
        assert taken_now("forked@there").name == "forked@there"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(ready)
        os.close(tell)


def taken_now(wanted: str) -> ClaimedName:
    """The name that is free, given back at once."""
    claimed = claim_name(FARM, wanted)
    claimed.release()
    return claimed


def test_every_farm_has_names_of_its_own() -> None:
    here, there = claim_name(FARM, "all"), claim_name("postgresql://there/farm", "all")
    assert here.name == there.name
    here.release()
    there.release()
