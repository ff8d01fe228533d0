"""The headline band: how well the mean score on exactly these tasks is known."""

import math
from collections.abc import Sequence

from models.schemas.band import Band
from scheduler.statistics.fixed_task_variance import FixedTaskVariance, fixed_task_variance
from scheduler.statistics.no_evidence import no_evidence
from scheduler.statistics.normal_quantile import two_sided_normal_quantile
from scheduler.statistics.student_t import two_sided_t_quantile
from scheduler.statistics.task_count import TaskCount, with_evidence
from scheduler.statistics.wilson import wilson_interval


def fixed_task_band(counts: Sequence[TaskCount], level: float = 0.95) -> Band:
    """Return the macro mean over the tasks with its band for "these tasks".

    Every task weighs the same; tasks without a valid run don't enter (the void envelope
    speaks of them). The interval has Wilson's shape at an effective number of runs: the
    within-task variance decides it, deflated by Student's t, and it never falls below the
    equivalent number of runs, since pooled binomial variance is the worst case for a fixed
    set. With one run in every task that variance can't be estimated and pooled Wilson stands.
    """
    voids = sum(count.lost for count in counts)
    valid = with_evidence(counts)
    if not valid:
        return no_evidence("these_tasks", voids, level)
    known = fixed_task_variance(valid)
    single = all(count.valid == 1 for count in valid)
    trials = known.runs if single else _effective_runs(known, level)
    low, high = wilson_interval(known.mean, trials, level)
    return Band(
        estimate=known.mean,
        low=low,
        high=high,
        level=level,
        estimand="these_tasks",
        method="pooled wilson, one run per task" if single else "fixed tasks, effective wilson",
        n=sum(count.valid for count in valid),
        tasks=len(valid),
        voids=voids,
        standard_error=None if single else math.sqrt(known.variance),
    )


def _effective_runs(known: FixedTaskVariance, level: float) -> float:
    shrunk = (known.mean * known.runs + 0.5) / (known.runs + 1.0)
    deflation = two_sided_normal_quantile(level) / two_sided_t_quantile(level, known.freedom)
    return max(known.runs, shrunk * (1.0 - shrunk) / known.variance * deflation**2)
