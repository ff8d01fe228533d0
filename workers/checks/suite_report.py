"""What a native test suite said of itself, in whichever format. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

MOST_TESTS = 10_000
"""A report on more of them is none."""


class NativeStatus(StrEnum):
    """How a test ended by its runner's word: `failed` is an assertion that doesn't hold, `error`
    anything else that ended it. Most runners can't tell the two apart and say `failed`."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class NativeTest:
    """One test by its native name. `detail` never holds what was expected."""

    name: str
    status: NativeStatus
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The tests that ended, in order, and those that had begun when the report broke off.

    `complete` says that the runner reached its end. `problem` says why the text can't be what a
    runner wrote; empty where it can.
    """

    ended: tuple[NativeTest, ...] = ()
    running: tuple[str, ...] = ()
    complete: bool = False
    problem: str = ""


class NotAReport(Exception):
    """The text is none that a test runner writes; the message says why."""


def doubled(names: Iterable[str]) -> str:
    """The first name that comes twice; empty where none does."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
