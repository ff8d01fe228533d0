"""The regularised incomplete beta function and its inverse, in plain floating point.

Written out here since the alternative costs the command line its start-up time for two calls;
the tests hold it against scipy to ten digits.
"""

import math

_SMALLEST = 1e-300
_PRECISION = 1e-16
_MAX_TERMS = 20_000
_MAX_STEPS = 200


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return I_x(a, b), the Beta(a, b) distribution function at x, for a, b > 0.

    Continued fraction of DLMF 8.17.22, evaluated by the modified Lentz method on the side of
    the mean where it converges fast.
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    return math.exp(_log_front(a, b, x)) * _fraction(a, b, x) / a


def beta_quantile(a: float, b: float, probability: float) -> float:
    """Return x with I_x(a, b) = probability, by Newton steps inside a shrinking bracket."""
    if probability <= 0.0:
        return 0.0
    if probability >= 1.0:
        return 1.0
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(_MAX_STEPS):
        excess = incomplete_beta(a, b, x) - probability
        low, high = (low, x) if excess > 0.0 else (x, high)
        step = _newton(a, b, x, excess)
        following = step if low < step < high else (low + high) / 2.0
        if abs(following - x) <= 1e-15 * x:
            return following
        x = following
    return x


def _newton(a: float, b: float, x: float, excess: float) -> float:
    density = math.exp(_log_front(a, b, x)) / (x * (1.0 - x))
    return x - excess / density if density > 0.0 else -1.0


def _log_front(a: float, b: float, x: float) -> float:
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return a * math.log(x) + b * math.log1p(-x) - log_beta


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for numerator in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + numerator * d)
            c = _away_from_zero(1.0 + numerator / c)
            value *= c * d
        if abs(c * d - 1.0) < _PRECISION * 4:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _SMALLEST else _SMALLEST
