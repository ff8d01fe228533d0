"""Reads what a Rust test program prints with one thread and the format `pretty`. Pure."""

import re
from collections import Counter
from dataclasses import dataclass, field

from workers.checks.suite_report import (
    MOST_TESTS,
    NativeStatus,
    NativeTest,
    NotAReport,
    SuiteReport,
)

HEAD = re.compile(r"running (\d+) tests?")
TEST = re.compile(r"test (\S+)(?: - should panic)? \.\.\. (.*)")
SLOW = re.compile(r"test \S+ has been running for over \d+ seconds")
TOTALS = re.compile(
    r"test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; "
    r"0 measured; 0 filtered out; finished in [0-9.]+s"
)
LAST_WORDS = (
    ("ok", NativeStatus.PASSED),
    ("FAILED", NativeStatus.FAILED),
    ("ignored", NativeStatus.SKIPPED),
)


def read_libtest_report(output: bytes, nonce: str) -> SuiteReport:  # noqa: ARG001 (one of several)
    """The tests between the head and the first empty line, which the totals must agree with.

    What tests print is captured by the runner; a program that writes around that spoils the lines,
    and the report with them, unless it stays on the line of its own test.
    """
    lines = output.decode("utf-8", "replace").split("\n")
    cut_off = lines.pop()
    reading = _Reading()
    problem = ""
    try:
        for line in lines:
            _take(reading, line)
    except NotAReport as error:
        problem = str(error)
    # The name of a test is printed before it begins.
    found = TEST.fullmatch(cut_off) if reading.inside else None
    return SuiteReport(tuple(reading.ended), (found[1],) if found else (), reading.whole, problem)


@dataclass(slots=True)
class _Reading:
    planned: int | None = None
    inside: bool = False
    ended: list[NativeTest] = field(default_factory=list[NativeTest])
    whole: bool = False


def _take(reading: _Reading, line: str) -> None:
    if reading.inside:
        _take_inside(reading, line)
    elif reading.planned is None:
        if found := HEAD.fullmatch(line):
            reading.planned, reading.inside = int(found[1]), True
    elif found := TOTALS.fullmatch(line):
        _close(reading, tuple(int(count) for count in found.groups()))


def _take_inside(reading: _Reading, line: str) -> None:
    if not line:
        reading.inside = False
    elif found := TEST.fullmatch(line):
        if len(reading.ended) >= MOST_TESTS:
            raise NotAReport(f"it tells of more than {MOST_TESTS} tests")
        reading.ended.append(NativeTest(found[1], _status(found[2])))
    elif not SLOW.fullmatch(line):
        raise NotAReport("a line between the tests is not the runner's")


def _status(words: str) -> NativeStatus:
    for word, status in LAST_WORDS:
        if words.endswith(word):
            return status
    raise NotAReport("a test ends in no known way")


def _close(reading: _Reading, totals: tuple[int, ...]) -> None:
    counted = Counter(test.status for test in reading.ended)
    told = tuple(counted[status] for _, status in LAST_WORDS)
    if reading.whole or totals != told or sum(told) != reading.planned:
        raise NotAReport("its totals are not those of its tests")
    reading.whole = True
