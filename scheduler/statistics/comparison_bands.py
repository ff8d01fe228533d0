"""Half-widths of the bands that decide whether two systems differ.

Not confidence intervals: they are sized so that, over all pairs of a board, one false
non-overlap has at most probability 1 - level (Tukey-Kramer; graphical form after Gabriel 1978
and Hochberg, Weiss and Hart 1982). Never clip them before comparing.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, variance

from scheduler.statistics.studentized_range import studentized_range_quantile

ENOUGH_TASKS_TO_GENERALISE = 12
"""Below so many common tasks no separation may be claimed for tasks like these."""


def fixed_task_half_widths(variances: Sequence[float], level: float = 0.95) -> list[float]:
    """Return q/2 * kappa * sqrt(V) per system, for "these tasks".

    `variances` holds the variance of each of two or more independent mean scores, all
    positive. kappa >= 1 widens unequal bands until every non-overlap is a significant
    Tukey-Kramer difference.
    """
    half_range = studentized_range_quantile(level, len(variances)) / 2.0
    return [half_range * _kappa(variances) * math.sqrt(value) for value in variances]


def random_task_half_widths(scores: Sequence[Sequence[float]], level: float = 0.95) -> list[float]:
    """Return q/2 * s per system, for "tasks like these".

    `scores` has one row per system (two or more) with its mean score on each of the same two
    or more tasks. The task effect is removed first, so that shared difficulty does not widen
    the bands; with two systems non-overlap is exactly the paired t test.
    """
    systems, tasks = len(scores), len(scores[0])
    task_means = [fmean(column) for column in zip(*scores, strict=True)]
    half_range = studentized_range_quantile(level, systems, tasks - 1) / 2.0
    half_widths: list[float] = []
    for row in scores:
        rest = [score - mean for score, mean in zip(row, task_means, strict=True)]
        squared_error = systems / (systems - 1) * variance(rest) / tasks
        half_widths.append(half_range * math.sqrt(squared_error))
    return half_widths


def _kappa(variances: Sequence[float]) -> float:
    return max(
        math.sqrt(2.0 * (one + other)) / (math.sqrt(one) + math.sqrt(other))
        for one, other in combinations(variances, 2)
    )
