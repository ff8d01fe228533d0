"""Mean score over fixed tasks and its variance over runs alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.statistics.task_count import TaskCount, harmonic_mean_runs

_COIN_FLIP_VARIANCE = 0.25


@dataclass(frozen=True, slots=True)
class FixedTaskVariance:
    """Macro mean over tasks, variance of that mean over runs, Satterthwaite's degrees of
    freedom, and the equivalent number of runs (tasks times harmonic mean runs per task)."""

    mean: float
    variance: float
    freedom: float
    runs: float


def fixed_task_variance(counts: Sequence[TaskCount]) -> FixedTaskVariance:
    """Estimate how well the mean score on exactly these tasks is known.

    `counts` is non-empty and every count has a valid run. The variance is the unbiased
    within-task one, p(1-p)/(n-1), plus one fictitious coin-flip task, 1/(4 n_h), which keeps it
    positive when every cell is n/n or 0/n. A task with a single run has no variance of its own
    and gets that of a coin with the mean score, the most that fixed tasks can have.
    """
    tasks = len(counts)
    mean = sum(count.share for count in counts) / tasks
    runs_per_task = harmonic_mean_runs(counts)
    terms = [_within_task(count, mean) for count in counts]
    terms.append(_COIN_FLIP_VARIANCE / runs_per_task)
    freedoms = [max(count.valid - 1.0, 1.0) for count in counts] + [max(runs_per_task - 1.0, 1.0)]
    return FixedTaskVariance(
        mean=mean,
        variance=sum(terms) / tasks**2,
        freedom=satterthwaite_freedom(terms, freedoms),
        runs=tasks * runs_per_task,
    )


def satterthwaite_freedom(terms: Sequence[float], freedoms: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of independent variance estimates.

    (sum a)^2 / sum(a^2 / d), Satterthwaite 1946; the terms are not all zero.
    """
    squares = sum(term**2 / freedom for term, freedom in zip(terms, freedoms, strict=True))
    return sum(terms) ** 2 / squares


def _within_task(count: TaskCount, mean: float) -> float:
    if count.valid == 1:
        return mean * (1.0 - mean)
    return count.share * (1.0 - count.share) / (count.valid - 1)
