"""Bands for mean scores that are not pass or fail, in any bounded range.

A rare heavy penalty must stay outside such a mean: at these sample sizes no band can cover it.
"""

import math
from collections.abc import Sequence
from statistics import fmean, variance

from models.schemas.band import Band, Estimand
from scheduler.statistics.fixed_task_variance import satterthwaite_freedom
from scheduler.statistics.student_t import two_sided_t_quantile

ScoreRange = tuple[float, float]


def fixed_task_score_band(
    scores: Sequence[Sequence[float]], score_range: ScoreRange, voids: int, level: float = 0.95
) -> Band:
    """Return the macro mean of `scores` (one row of run scores per task) for "these tasks".

    Every row has at least two scores. The variance is the unbiased within-task one plus one
    fictitious task at both ends of the range; the interval is symmetric and clipped.
    """
    runs_per_task = len(scores) / sum(1.0 / len(row) for row in scores)
    width = score_range[1] - score_range[0]
    terms = [variance(row) / len(row) for row in scores]
    terms.append(width**2 / 4.0 / runs_per_task)
    freedoms = [len(row) - 1.0 for row in scores] + [max(runs_per_task - 1.0, 1.0)]
    error = math.sqrt(sum(terms)) / len(scores)
    quantile = two_sided_t_quantile(level, satterthwaite_freedom(terms, freedoms))
    return _symmetric_band(scores, (quantile, error), score_range, ("these_tasks", voids, level))


def random_task_score_band(
    scores: Sequence[Sequence[float]], score_range: ScoreRange, voids: int, level: float = 0.95
) -> Band:
    """Return the macro mean of `scores` for "tasks like these": Student's t over task means.

    At least two tasks, each with at least one score.
    """
    error = math.sqrt(variance([fmean(row) for row in scores]) / len(scores))
    quantile = two_sided_t_quantile(level, len(scores) - 1)
    return _symmetric_band(
        scores, (quantile, error), score_range, ("tasks_like_these", voids, level)
    )


def _symmetric_band(
    scores: Sequence[Sequence[float]],
    spread: tuple[float, float],
    score_range: ScoreRange,
    about: tuple[Estimand, int, float],
) -> Band:
    quantile, error = spread
    estimand, voids, level = about
    mean = fmean(fmean(row) for row in scores)
    return Band(
        estimate=mean,
        low=max(score_range[0], mean - quantile * error),
        high=min(score_range[1], mean + quantile * error),
        level=level,
        estimand=estimand,
        method=f"student t, scores in [{score_range[0]:g}, {score_range[1]:g}]",
        n=sum(len(row) for row in scores),
        tasks=len(scores),
        voids=voids,
        standard_error=error,
    )
