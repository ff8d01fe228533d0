"""The board mean of pass^k with its band over runs."""

import math
from collections.abc import Sequence
from math import comb

from models.schemas.band import Band
from scheduler.statistics.normal_quantile import two_sided_normal_quantile
from scheduler.statistics.reliability import pass_all_k
from scheduler.statistics.task_count import TaskCount, harmonic_mean_runs

ESTIMABLE_SHARE = 0.9


def pass_all_k_band(counts: Sequence[TaskCount], k: int, level: float = 0.95) -> Band | None:
    """Return the mean of pass^k over tasks for "these tasks", or None where it can't be had.

    None when fewer than nine tenths of the tasks have more than `k` valid runs: a cell with
    exactly k runs has no variance of its own. The band is a closed-form jackknife per cell plus
    one fictitious coin-flip task, normal and clipped to [0, 1].
    """
    usable = [count for count in counts if count.valid > k]
    if not usable or len(usable) < ESTIMABLE_SHARE * len(counts):
        return None
    values = [pass_all_k(count.valid, count.passed, k) or 0.0 for count in usable]
    total = sum(_jackknife_variance(count, k) for count in usable)
    total += 0.25 / harmonic_mean_runs(usable)
    error = math.sqrt(total) / len(usable)
    mean = sum(values) / len(usable)
    reach = two_sided_normal_quantile(level) * error
    return Band(
        estimate=mean,
        low=max(0.0, mean - reach),
        high=min(1.0, mean + reach),
        level=level,
        estimand="these_tasks",
        method=f"pass^{k}, jackknife",
        n=sum(count.valid for count in usable),
        tasks=len(usable),
        voids=sum(count.lost for count in counts),
        standard_error=error,
    )


def _jackknife_variance(count: TaskCount, k: int) -> float:
    """Variance of pass^k in one cell from leaving out each run once."""
    runs, passed = count.valid, count.passed
    without_a_pass = comb(passed - 1, k) / comb(runs - 1, k) if passed else 0.0
    without_a_failure = comb(passed, k) / comb(runs - 1, k)
    share = passed / runs
    gap = without_a_pass - without_a_failure
    return (runs - 1) * share * (1.0 - share) * gap**2
