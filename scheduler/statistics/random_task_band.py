"""The wide band: what the mean score says of tasks drawn like these."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, variance

from models.schemas.band import Band
from scheduler.statistics.no_evidence import no_evidence
from scheduler.statistics.normal_quantile import two_sided_normal_quantile
from scheduler.statistics.student_t import two_sided_t_quantile
from scheduler.statistics.task_count import TaskCount, harmonic_mean_runs, with_evidence
from scheduler.statistics.wilson import wilson_interval

ENOUGH_TASKS = 30
"""From so many tasks on the spread between tasks can be estimated instead of bounded."""


def random_task_band(
    counts: Sequence[TaskCount], level: float = 0.95, enough_tasks: int = ENOUGH_TASKS
) -> Band:
    """Return the mean over task specifications with its band for "tasks like these".

    Counts with the same `task` are one draw. Below `enough_tasks` draws each task counts as
    one Bernoulli observation, the worst case of any law of difficulty; from there on the
    observed spread between tasks decides, deflated by Student's t.
    """
    voids = sum(count.lost for count in counts)
    valid = with_evidence(counts)
    if not valid:
        return no_evidence("tasks_like_these", voids, level)
    scores = task_scores(valid)
    few = len(scores) < enough_tasks
    trials = len(scores) if few else _effective_tasks(valid, scores, level)
    low, high = wilson_interval(fmean(scores), trials, level)
    error = math.sqrt(variance(scores) / len(scores)) if len(scores) > 1 else None
    return Band(
        estimate=fmean(scores),
        low=low,
        high=high,
        level=level,
        estimand="tasks_like_these",
        method="wilson, each task once" if few else "random tasks, effective wilson",
        n=sum(count.valid for count in valid),
        tasks=len(scores),
        voids=voids,
        standard_error=error,
    )


def task_scores(counts: Iterable[TaskCount]) -> list[float]:
    """Mean pass share per task specification, in order of task name."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for count in counts:
        shares[count.task].append(count.share)
    return [fmean(shares[task]) for task in sorted(shares)]


def _effective_tasks(counts: Sequence[TaskCount], scores: Sequence[float], level: float) -> float:
    tasks = len(scores)
    deflation = two_sided_normal_quantile(level) / two_sided_t_quantile(level, tasks - 1)
    squared_error = variance(scores) / tasks
    if squared_error == 0.0:
        return tasks * deflation**2
    runs = len(counts) * harmonic_mean_runs(counts)
    shrunk = (fmean(scores) * runs + 0.5) / (runs + 1.0)
    return min(max(shrunk * (1.0 - shrunk) / squared_error, 1.0), runs) * deflation**2
