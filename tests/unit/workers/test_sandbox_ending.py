"""Blame, decided from every combination of what the farm measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workers.sandbox.control_groups import GroupReading
from workers.sandbox.ending import Decision, RunFacts, child_pid, decide_ending
from workers.sandbox.outcome import Ending

STARTED = b'{\n    "child-pid": 4711,\n    "net-namespace": 1\n }\n'
CALM = GroupReading(0, own_limit=False, peak_memory_bytes=1, process_limit_hits=0)
OWN_BOMB = replace(CALM, out_of_memory_kills=1, own_limit=True)
HOST_SHORTAGE = replace(CALM, out_of_memory_kills=1)
FACTS = RunFacts(
    killed_for=None,
    farm_fault=None,
    clean=True,
    group=CALM,
    status=STARTED,
    wait_status=0,
    stderr=b"",
    cpu_s=0.1,
    cpu_cap_s=10.0,
)


def ended_with(code: int) -> RunFacts:
    return replace(FACTS, status=STARTED + b'{ "exit-code": %d }\n' % code, wait_status=code << 8)


@pytest.mark.parametrize(
    ("code", "decision"),
    [
        (0, Decision(Ending.exited, exit_code=0)),
        (1, Decision(Ending.exited, exit_code=1)),
        (126, Decision(Ending.exited, exit_code=126)),
        (127, Decision(Ending.exited, exit_code=127)),
        (128, Decision(Ending.exited, exit_code=128)),
        (137, Decision(Ending.signalled, signal=9)),
        (139, Decision(Ending.signalled, signal=11)),
        (152, Decision(Ending.cpu_timeout)),
        (153, Decision(Ending.disk_limit)),
        (255, Decision(Ending.exited, exit_code=255)),
    ],
)
def test_the_status_document_decides_when_nothing_else_happened(
    code: int, decision: Decision
) -> None:
    assert decide_ending(ended_with(code)) == decision


def test_an_own_kill_reason_beats_counters_and_document() -> None:
    facts = replace(ended_with(0), killed_for=Ending.wall_timeout, group=OWN_BOMB)
    assert decide_ending(facts).ending is Ending.wall_timeout


def test_the_groups_counters_beat_the_document() -> None:
    assert decide_ending(replace(ended_with(0), group=OWN_BOMB)).ending is Ending.memory


def test_a_shortage_of_the_host_is_the_farms_fault() -> None:
    decision = decide_ending(replace(ended_with(137), group=HOST_SHORTAGE))
    assert (decision.ending, decision.infrastructure) == (Ending.infrastructure, "unknown")


def test_survivors_are_the_farms_fault_whatever_else_is_known() -> None:
    facts = replace(ended_with(0), clean=False, killed_for=Ending.wall_timeout)
    assert decide_ending(facts).ending is Ending.infrastructure


def test_a_hard_processor_limit_looks_like_a_kill_and_is_told_by_the_time_spent() -> None:
    spent = replace(ended_with(137), cpu_s=11.0)
    assert decide_ending(spent).ending is Ending.cpu_timeout


@pytest.mark.parametrize(
    ("stderr", "category"),
    [
        (b"bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n", "sandbox_setup"),
        (b"bwrap: Can't create file at /etc/x: No space left on device\n", "disk_full"),
        (b"", "sandbox_setup"),
    ],
)
def test_no_document_is_the_farms_fault(stderr: bytes, category: str) -> None:
    decision = decide_ending(replace(FACTS, wait_status=1 << 8, stderr=stderr))
    assert (decision.ending, decision.infrastructure) == (Ending.infrastructure, category)


@pytest.mark.parametrize(
    ("reason", "code"),
    [(b"No such file or directory", 127), (b"Permission denied", 126), (b"Not a directory", 127)],
)
def test_a_program_that_could_not_be_executed_has_the_code_of_a_shell(
    reason: bytes, code: int
) -> None:
    stderr = b"bwrap: execvp some\nprogram: " + reason + b"\n"
    decision = decide_ending(replace(FACTS, wait_status=1 << 8, stderr=stderr))
    assert (decision.ending, decision.exit_code) == (Ending.exited, code)
    assert not decision.may_have_begun


@pytest.mark.parametrize(
    "facts",
    [
        replace(FACTS, status=b"", wait_status=1 << 8),
        replace(FACTS, wait_status=9),
        replace(FACTS, wait_status=0),
    ],
)
def test_the_message_of_a_failed_execution_counts_only_where_nothing_else_could_write_it(
    facts: RunFacts,
) -> None:
    facts = replace(facts, stderr=b"bwrap: execvp x: No such file or directory\n")
    assert decide_ending(facts).ending is Ending.infrastructure


@pytest.mark.parametrize(
    ("facts", "may_have_begun"),
    [
        (ended_with(0), True),
        (replace(ended_with(0), clean=False), True),
        (replace(FACTS, killed_for=Ending.wall_timeout, wait_status=9), True),
        (replace(FACTS, wait_status=9), True),
        (replace(FACTS, wait_status=1 << 8), False),
        (replace(FACTS, status=b"", wait_status=1 << 8), False),
        (replace(FACTS, status=b"", killed_for=Ending.wall_timeout, wait_status=9), False),
        (replace(FACTS, status=None, clean=False), True),
    ],
)
def test_a_program_did_not_begin_only_where_that_is_known(
    facts: RunFacts, may_have_begun: bool
) -> None:
    assert decide_ending(facts).may_have_begun is may_have_begun


@pytest.mark.parametrize(
    ("wait_status", "decision"),
    [
        (0, Decision(Ending.exited, exit_code=0)),
        (3 << 8, Decision(Ending.exited, exit_code=3)),
        (11, Decision(Ending.signalled, signal=11)),
    ],
)
def test_without_a_sandbox_the_wait_status_decides(wait_status: int, decision: Decision) -> None:
    assert decide_ending(replace(FACTS, status=None, wait_status=wait_status)) == decision


def test_the_first_pid_is_read_from_the_first_document() -> None:
    assert child_pid(STARTED) == 4711
    assert child_pid(b'{ "child-') is None
