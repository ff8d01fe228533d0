"""Decides what a run is worth from what the farm measured. Pure: anybody can repeat it."""

from collections import Counter
from dataclasses import dataclass

from models.verdicts import CheckOutcome, Verdict, VoidCategory

ENDED_AS: dict[str, CheckOutcome] = {
    "signalled": CheckOutcome.CRASH,
    "wall_timeout": CheckOutcome.TIMEOUT,
    "cpu_timeout": CheckOutcome.TIMEOUT,
    "memory": CheckOutcome.MEMORY,
    "output_limit": CheckOutcome.OUTPUT_LIMIT,
    "disk_limit": CheckOutcome.OUTPUT_LIMIT,
}
"""What each ending by force says of the judged program. An ending that isn't here, and isn't
`exited`, says nothing about it."""


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
    stage before: no check has an outcome for it.
    """
    asked = Counter(check for check, _ in judged.results)
    if not planned or asked != Counter(set(planned)):
        return RunOutcome(Verdict.VOID, void=VoidCategory.MANIFEST_MISMATCH)
    if judged.built and all(o is CheckOutcome.PASSED for _, o in judged.results):
        return RunOutcome(Verdict.PASSED)
    return RunOutcome(Verdict.FAILED, undelivered=not judged.changed)
