"""Quantiles of the standard normal distribution."""

from functools import lru_cache
from statistics import NormalDist


@lru_cache(maxsize=64)
def two_sided_normal_quantile(level: float) -> float:
    """Return z with P(|Z| <= z) = level; 1.959964 for 0.95. `level` lies in (0, 1)."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0)
