"""The counts of one task (or one task in one language), the stratum of every mean score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskCount:
    """`passed` of `valid` runs passed; `lost` more were launched and have no outcome.

    `task` names the task specification; counts that share it (ports of one task to several
    languages) are one draw from the population of tasks. Only random-task figures read it.
    """

    passed: int
    valid: int
    lost: int = 0
    task: str = ""

    def __post_init__(self) -> None:
        if not (0 <= self.passed <= self.valid and self.lost >= 0):
            raise ValueError(f"not a count of runs: {self}")

    @property
    def share(self) -> float:
        """Passed of valid; only defined with at least one valid run."""
        return self.passed / self.valid


def with_evidence(counts: Iterable[TaskCount]) -> list[TaskCount]:
    """The counts with at least one valid run; only these can enter a mean."""
    return [count for count in counts if count.valid > 0]


def harmonic_mean_runs(counts: Sequence[TaskCount]) -> float:
    """Harmonic mean of valid runs per task, for a non-empty sequence with evidence."""
    return len(counts) / sum(1.0 / count.valid for count in counts)
