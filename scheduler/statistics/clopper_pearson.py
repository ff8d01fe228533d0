"""Exact binomial bounds, for claims that are guarantees (Clopper and Pearson 1934)."""

from scheduler.statistics.incomplete_beta import beta_quantile


def clopper_pearson_interval(events: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided interval for the rate of `events` in `trials` >= 1."""
    tail = (1.0 - level) / 2.0
    return exact_lower_bound(events, trials, 1.0 - tail), exact_upper_bound(
        events, trials, 1.0 - tail
    )


def exact_upper_bound(events: int, trials: int, confidence: float = 0.95) -> float:
    """Return the rate that is exceeded with at most probability 1 - `confidence`."""
    _require_a_sample(events, trials)
    return 1.0 if events == trials else beta_quantile(events + 1, trials - events, confidence)


def exact_lower_bound(events: int, trials: int, confidence: float = 0.95) -> float:
    """Return the rate that is undercut with at most probability 1 - `confidence`."""
    _require_a_sample(events, trials)
    return 0.0 if events == 0 else beta_quantile(events, trials - events + 1, 1.0 - confidence)


def _require_a_sample(events: int, trials: int) -> None:
    if not 0 <= events <= trials or trials < 1:
        raise ValueError(f"not a sample: {events} events in {trials} trials")
