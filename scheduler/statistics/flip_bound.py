"""How many repeats prove that a verdict does not flip, and what the repeats done so far prove."""

from functools import lru_cache

from scheduler.statistics.clopper_pearson import exact_upper_bound


def flip_rate_bound(flips: int, repeats: int, confidence: float = 0.95) -> float:
    """Return the exact one-sided upper bound of the flip rate after `repeats` >= 1.

    The repeats must be independent: spread over processes, hosts and hours.
    """
    return exact_upper_bound(flips, repeats, confidence)


@lru_cache(maxsize=256)
def repeats_to_bound(rate: float, flips: int = 0, confidence: float = 0.95) -> int:
    """Return the fewest repeats with at most `flips` flips that bound the rate below `rate`.

    299 for 1 % without a flip. For m verdicts jointly pass 1 - 0.05 / m as `confidence`.
    """
    if not 0.0 < rate < 1.0:
        raise ValueError(f"a rate to prove lies between 0 and 1, not {rate}")
    enough = flips + 1
    while flip_rate_bound(flips, enough, confidence) >= rate:
        enough *= 2
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        proved = middle > flips and flip_rate_bound(flips, middle, confidence) < rate
        too_few, enough = (too_few, middle) if proved else (middle, enough)
    return enough
