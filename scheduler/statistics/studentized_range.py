"""Quantiles of the studentized range, the constant behind simultaneous comparisons.

Both integrals are taken by the trapezoidal rule, which is exact to rounding for these smooth,
fast-decaying integrands, so that no table limits the number of systems.
"""

import math
from collections.abc import Callable
from functools import lru_cache

_REACH = 8.5
_STEP = 0.125
_TOLERANCE = 1e-11
_NEGLIGIBLE_LOG = 40.0


@lru_cache(maxsize=256)
def studentized_range_quantile(level: float, groups: int, freedom: float = math.inf) -> float:
    """Return q with P(range of `groups` standard normals / s <= q) = level.

    `s` is an independent estimate of their standard deviation with `freedom` degrees of
    freedom; infinite means that it is known. `groups` >= 2, `freedom` >= 1.
    """
    if groups < 2:
        raise ValueError(f"a range needs at least two groups, not {groups}")
    if math.isinf(freedom):
        return _solve(lambda q: _range_probability(q, groups), level)
    weights = _scale_weights(freedom, groups)
    return _solve(
        lambda q: math.fsum(w * _range_probability(q * s, groups) for s, w in weights), level
    )


def _solve(probability: Callable[[float], float], level: float) -> float:
    """Find the argument where the increasing `probability` equals `level` (regula falsi,
    Illinois variant, on a bracket grown by doubling)."""
    low, low_gap = 0.0, -level
    high = 4.0
    while (high_gap := probability(high) - level) < 0.0:
        low, low_gap, high = high, high_gap, 2.0 * high
    for _ in range(100):
        middle = (low * high_gap - high * low_gap) / (high_gap - low_gap)
        gap = probability(middle) - level
        if abs(gap) < _TOLERANCE:
            return middle
        if gap * high_gap < 0.0:
            low, low_gap = high, high_gap
        else:
            low_gap /= 2.0
        high, high_gap = middle, gap
    return high


@lru_cache(maxsize=1)
def _normal_grid() -> tuple[tuple[float, float, float], ...]:
    """Points z with the weight density(z) * step and the distribution function at z."""
    count = int(_REACH / _STEP)
    points = [index * _STEP for index in range(-count, count + 1)]
    scale = _STEP / math.sqrt(2.0 * math.pi)
    return tuple((z, scale * math.exp(-z * z / 2.0), _normal_cdf(z)) for z in points)


def _range_probability(q: float, groups: int) -> float:
    """P(range <= q) for known variance: groups * integral of
    density(z) * (cdf(z) - cdf(z - q))^(groups - 1), z being the largest value."""
    if q <= 0.0:
        return 0.0
    power = groups - 1
    total = math.fsum(w * (cdf - _normal_cdf(z - q)) ** power for z, w, cdf in _normal_grid())
    return min(1.0, groups * total)


def _scale_weights(freedom: float, groups: int) -> list[tuple[float, float]]:
    """Points s of the scale estimate with the weight of the density of log s.

    log s has density 2 (f/2)^(f/2) / Gamma(f/2) * exp(f log s - f s^2 / 2); towards small s
    the range probability adds a factor s^(groups - 1), which bounds the left end.
    """
    spread = 1.0 / math.sqrt(2.0 * freedom)
    step = min(0.4 * spread, 0.2)
    left = -max(_NEGLIGIBLE_LOG / (freedom + groups - 1), 12.0 * spread)
    right = math.log1p(9.0 * spread)
    front = math.log(2.0) + freedom / 2.0 * math.log(freedom / 2.0) - math.lgamma(freedom / 2.0)
    points = [left + step * index for index in range(int((right - left) / step) + 1)]
    return [
        (math.exp(u), step * math.exp(front + freedom * u - freedom * math.exp(2.0 * u) / 2.0))
        for u in points
    ]


def _normal_cdf(z: float) -> float:
    return math.erfc(-z / math.sqrt(2.0)) / 2.0
