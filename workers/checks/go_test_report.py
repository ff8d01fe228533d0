"""Reads what a Go test binary prints under `-test.v=test2json`. Pure.

These are the marked lines that `go test -json` is made of. The tool that turns them into JSON is no
longer part of every toolchain, and says nothing that isn't in them.
"""

import re
from dataclasses import dataclass, field

from workers.checks.suite_report import (
    MOST_TESTS,
    NativeStatus,
    NativeTest,
    NotAReport,
    SuiteReport,
)

MARK = "\x16"
BEGUN = re.compile(r"=== RUN   (\S+)")
ENDED = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)")
OF_NO_INTEREST = re.compile(r"=== (?:NAME  \S*|PAUSE \S+|CONT  \S+)")
WHOLE = ("PASS", "FAIL")
STATUS = {"PASS": NativeStatus.PASSED, "FAIL": NativeStatus.FAILED, "SKIP": NativeStatus.SKIPPED}


def read_go_report(output: bytes, nonce: str) -> SuiteReport:  # noqa: ARG001 (one of several)
    """The top-level tests; a test with parts is passed only if all of them are.

    Unmarked text is what tests print. A panic makes the runner tell of its test as failed and end
    at once: such a test counts as one that was running.
    """
    reading = _Reading()
    problem = ""
    try:
        # What stands before the first mark was printed before the first test.
        for piece in output.decode("utf-8", "replace").split(MARK)[1:]:
            _take(reading, piece.partition("\n"))
    except NotAReport as error:
        problem = str(error)
    running = tuple(name for name in reading.begun if "/" not in name)
    if not reading.whole and not running:
        running = reading.take_back_last_failure()
    return SuiteReport(tuple(reading.ended), running, reading.whole, problem)


@dataclass(slots=True)
class _Reading:
    ended: list[NativeTest] = field(default_factory=list[NativeTest])
    begun: dict[str, None] = field(default_factory=dict[str, None])
    whole: bool = False

    def take_back_last_failure(self) -> tuple[str, ...]:
        if not self.ended or self.ended[-1].status is not NativeStatus.FAILED:
            return ()
        return (self.ended.pop().name,)


def _take(reading: _Reading, piece: tuple[str, str, str]) -> None:
    line, feed, _ = piece
    if not feed:
        return  # It was cut off in the middle of a line.
    if reading.whole:
        raise NotAReport("it goes on after its end")
    if found := BEGUN.fullmatch(line):
        reading.begun[found[1]] = None
    elif found := ENDED.fullmatch(line):
        _end(reading, found[2], STATUS[found[1]])
    elif line in WHOLE:
        reading.whole = True
    elif not OF_NO_INTEREST.fullmatch(line):
        raise NotAReport("a marked line is not the runner's")


def _end(reading: _Reading, name: str, status: NativeStatus) -> None:
    if name not in reading.begun:
        raise NotAReport("a test ends that has not begun, or ends twice")
    del reading.begun[name]
    if "/" in name:
        return
    if len(reading.ended) >= MOST_TESTS:
        raise NotAReport(f"it tells of more than {MOST_TESTS} tests")
    reading.ended.append(NativeTest(name, status))
