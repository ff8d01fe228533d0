"""Decides what checks and runs are worth, from two facts: did the farm do its part, and what did
the judged code do."""

from collections import Counter
from dataclasses import dataclass

from models.verdicts import CheckOutcome, Verdict, VoidCategory
from workers.checks.comparators import Difference
from workers.sandbox.outcome import Ending

ENDED_AS: dict[Ending, CheckOutcome] = {
    Ending.signalled: CheckOutcome.CRASH,
    Ending.wall_timeout: CheckOutcome.TIMEOUT,
    Ending.cpu_timeout: CheckOutcome.TIMEOUT,
    Ending.memory: CheckOutcome.MEMORY,
    Ending.output_limit: CheckOutcome.OUTPUT_LIMIT,
    Ending.disk_limit: CheckOutcome.OUTPUT_LIMIT,
}
"""What each ending by force says of the judged program. An ending that isn't here, and isn't
`exited`, says nothing about it."""


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


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """What the judged code did: (check id, outcome) as measured, and whether the agent stage
    changed the workspace at all."""

    built: bool
    results: tuple[tuple[str, CheckOutcome], ...]
    changed: bool


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run is worth. `void` is set exactly when the verdict is void."""

    verdict: Verdict
    undelivered: bool = False
    void: VoidCategory | None = None


def decide_outcome(planned: tuple[str, ...], judged: JudgedFacts) -> RunOutcome:
    """Passed only when every planned check, each exactly once and no other, passed.

    Void where the farm did not ask what was planned. Whatever else it could not do has ended the
    stage before: `check_outcome` and `build_outcome` never give an outcome for it.
    """
    asked = Counter(check for check, _ in judged.results)
    if not planned or asked != Counter(set(planned)):
        return RunOutcome(Verdict.VOID, void=VoidCategory.MANIFEST_MISMATCH)
    if judged.built and all(o is CheckOutcome.PASSED for _, o in judged.results):
        return RunOutcome(Verdict.PASSED)
    return RunOutcome(Verdict.FAILED, undelivered=not judged.changed)
