"""The decision how a run ended, from facts that the judged program could not write."""

from __future__ import annotations

import math
import re
import signal
from dataclasses import dataclass, replace

from workers.sandbox.control_groups import GroupReading
from workers.sandbox.outcome import Ending

_EXIT_CODE = re.compile(rb'"exit-code"\s*:\s*(\d+)')
_CHILD_PID = re.compile(rb'"child-pid"\s*:\s*(\d+)')
_NOT_EXECUTED = re.compile(rb"^bwrap: execvp (.*): ([^:\n]+)\n?$", re.DOTALL)
_NO_WORKDIR = b"bwrap: Can't chdir to "
_SHELL_NOT_FOUND = 127
_SHELL_NOT_EXECUTABLE = 126
_EXITED_WITH_ONE = 1 << 8
_MOST_SIGNALS = 64
_SIGNAL_BASE = 128


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the farm measured of one run.

    `killed_for` is the farm's own reason to end it, `farm_fault` a (category, message) of its own
    failure, `clean` whether no process was left, `status` what bubblewrap wrote (None if
    the program ran without it), `wait_status` the end of the outermost process, `cpu_cap_s` the
    processor limit.
    """

    killed_for: Ending | None
    farm_fault: tuple[str, str] | None
    clean: bool
    group: GroupReading | None
    status: bytes | None
    wait_status: int
    stderr: bytes
    cpu_s: float
    cpu_cap_s: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The ending with its numbers; `infrastructure` is a void category, set only for that one.

    `refusal` is the kernel's reason not to execute the program, set only where it never ran.
    `may_have_begun` is False only where nothing of the program can have run.
    """

    ending: Ending
    exit_code: int | None = None
    signal: int | None = None
    infrastructure: str | None = None
    note: str = ""
    refusal: str = ""
    may_have_begun: bool = True


def child_pid(status: bytes) -> int | None:
    """The pid of the sandbox's first process, once bubblewrap has told it."""
    match = _CHILD_PID.search(status)
    return int(match[1]) if match else None


def decide_ending(facts: RunFacts) -> Decision:
    """Own kill reason, then the kernel's counters, then the status document, else the farm.

    A program can print what it likes and exit as it likes: neither is looked at before the three.
    bubblewrap tells a program ended by signal N and one that exits with 128+N by the same number;
    both are taken for the signal.
    """
    return replace(_decide(facts), may_have_begun=_may_have_begun(facts))


def _may_have_begun(facts: RunFacts) -> bool:
    """Not where bubblewrap had no first process yet, or ended with its own error before it let
    one go on. A bubblewrap that was killed may have let it."""
    if facts.status is None or _EXIT_CODE.search(facts.status):
        return True
    gave_up = facts.killed_for is None and facts.wait_status == _EXITED_WITH_ONE
    return child_pid(facts.status) is not None and not gave_up


def _decide(facts: RunFacts) -> Decision:
    if facts.farm_fault is not None:
        category, message = facts.farm_fault
        return Decision(Ending.infrastructure, infrastructure=category, note=message)
    if not facts.clean:
        return _farm("sandbox_setup", "processes survived the end of the sandbox")
    if facts.killed_for is not None:
        return Decision(facts.killed_for)
    if facts.group is not None and facts.group.out_of_memory_kills:
        if facts.group.own_limit:
            return Decision(Ending.memory)
        return _farm("unknown", "the host ran out of memory")
    if facts.status is None:
        return _from_code(_shell_code(facts.wait_status), facts)
    code = _EXIT_CODE.search(facts.status)
    if code is None:
        return _without_document(facts, facts.status)
    return _from_code(int(code[1]), facts)


def _shell_code(wait_status: int) -> int:
    """A wait status as a shell says it: 128+N for signal N."""
    number = wait_status & 0x7F
    return _SIGNAL_BASE + number if number else wait_status >> 8


def _from_code(code: int, facts: RunFacts) -> Decision:
    number = code - _SIGNAL_BASE
    if not 0 < number <= _MOST_SIGNALS:
        return Decision(Ending.exited, exit_code=code)
    if number == signal.SIGXFSZ:
        return Decision(Ending.disk_limit)
    spent = facts.cpu_s >= math.floor(facts.cpu_cap_s)
    if number == signal.SIGXCPU or (number == signal.SIGKILL and spent):
        return Decision(Ending.cpu_timeout)
    return Decision(Ending.signalled, signal=number)


def _without_document(facts: RunFacts, status: bytes) -> Decision:
    """No document means that the program never ran, so that stderr holds bubblewrap's words."""
    if facts.wait_status == _EXITED_WITH_ONE and child_pid(status) is not None:
        refusal = _NOT_EXECUTED.match(facts.stderr)
        if refusal is not None:
            missing = refusal[2] in (b"No such file or directory", b"Not a directory")
            code = _SHELL_NOT_FOUND if missing else _SHELL_NOT_EXECUTABLE
            return Decision(
                Ending.exited,
                exit_code=code,
                note="the program could not be executed",
                refusal=refusal[2].decode("utf-8", "replace"),
            )
        if facts.stderr.startswith(_NO_WORKDIR):
            note = "the working directory is gone"
            return Decision(Ending.exited, exit_code=_SHELL_NOT_EXECUTABLE, note=note)
    message = facts.stderr[:500].decode("utf-8", "replace").strip()
    full = b"No space left on device" in facts.stderr or b"Disk quota" in facts.stderr
    return _farm(
        "disk_full" if full else "sandbox_setup",
        message or "bubblewrap ended without a status document",
    )


def _farm(category: str, message: str) -> Decision:
    return Decision(Ending.infrastructure, infrastructure=category, note=message)
