"""Feeds the comparators of a task junk, in this process: none of it may pass, or raise. Pure."""

from collections.abc import Iterable, Iterator
from typing import Literal

from models.schemas.check import Check, CheckRecord
from models.schemas.check_report import ComparatorFault, ComparatorProbe
from workers.checks.comparators import compare
from workers.checks.junk_answers import junk_answers


def probe_comparators(checks: Iterable[CheckRecord]) -> ComparatorProbe:
    """What became of every junk answer to every check that has an answer.

    A report of it may lie where agents' machines read: it holds no answer.
    """
    answers = 0
    faults: list[ComparatorFault] = []
    for check in (check for check in checks if isinstance(check, Check)):
        for problem in _problems(check):
            answers += 1
            if problem is not None:
                faults.append(problem)
    return ComparatorProbe(answers=answers, faults=tuple(faults))


def _problems(check: Check) -> Iterator[ComparatorFault | None]:
    for junk, answer in junk_answers(check):
        problem: Literal["passes", "raises"] = "passes"
        kind = ""
        try:
            refused = compare(check.expect.stdout, check.compare, answer) is not None
        except Exception as error:  # Whatever it is, it is what this looks for.
            refused, problem, kind = False, "raises", type(error).__name__
        yield (
            None
            if refused
            else ComparatorFault(check=check.id, junk=junk, problem=problem, text=kind)
        )
