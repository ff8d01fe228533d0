"""Decides what a check is worth, from two facts: did the farm do its part, and what did the judged
code do."""

from dataclasses import dataclass

from models.run_outcome import ENDED_AS
from models.verdicts import CheckOutcome, VoidCategory
from workers.checks.comparators import Difference
from workers.sandbox.outcome import Ending


@dataclass(frozen=True, slots=True)
class ProcessFacts:
    """How the judged program ended, and how its answer differs (None: not at all).

    `infrastructure` is a void category, or None.
    """

    ending: Ending
    exit_code: int | None
    expected_exit: int
    difference: Difference | None
    infrastructure: str | None = None


def check_outcome(facts: ProcessFacts) -> CheckOutcome | VoidCategory:
    """What one check says. Whatever is not known to be the program's doing is the farm's."""
    if facts.ending is Ending.exited and facts.exit_code is not None:
        return _exited(facts.exit_code, facts.expected_exit, facts.difference)
    return ENDED_AS.get(facts.ending) or void_category(facts.infrastructure)


def _exited(code: int, expected: int, difference: Difference | None) -> CheckOutcome:
    if code != expected:
        return CheckOutcome.WRONG if code == 0 else CheckOutcome.CRASH
    if difference is None:
        return CheckOutcome.PASSED
    return CheckOutcome.PROTOCOL if difference.protocol else CheckOutcome.WRONG


def build_outcome(
    ending: Ending, exit_code: int | None, infrastructure: str | None
) -> CheckOutcome | VoidCategory:
    """What a build says: `passed`, `build_failed` (whatever way it failed), or a void."""
    facts = ProcessFacts(ending, exit_code, 0, None, infrastructure)
    outcome = check_outcome(facts)
    if isinstance(outcome, VoidCategory) or outcome is CheckOutcome.PASSED:
        return outcome
    return CheckOutcome.BUILD_FAILED


def void_category(text: str | None) -> VoidCategory:
    """The category that `text` names; `unknown` for every other text."""
    try:
        return VoidCategory(text or "")
    except ValueError:
        return VoidCategory.UNKNOWN
