"""Quantiles of Student's t distribution, for fractional degrees of freedom too."""

import math
from functools import lru_cache

from scheduler.statistics.incomplete_beta import beta_quantile
from scheduler.statistics.normal_quantile import two_sided_normal_quantile

_AS_GOOD_AS_NORMAL = 1e9


@lru_cache(maxsize=4096)
def two_sided_t_quantile(level: float, freedom: float) -> float:
    """Return t with P(|T| <= t) = level, for `freedom` > 0 degrees of freedom.

    T^2 / (freedom + T^2) is Beta(1/2, freedom/2) distributed.
    """
    if freedom > _AS_GOOD_AS_NORMAL:
        return two_sided_normal_quantile(level)
    share = beta_quantile(0.5, freedom / 2.0, level)
    return math.sqrt(freedom * share / (1.0 - share))
