"""The Wilson score interval, and the band of one cell."""

import math

from models.schemas.band import Band
from scheduler.statistics.no_evidence import no_evidence
from scheduler.statistics.normal_quantile import two_sided_normal_quantile


def wilson_interval(share: float, trials: float, level: float) -> tuple[float, float]:
    """Return the score interval of Wilson (1927) around `share` successes of `trials`.

    `trials` > 0 may be fractional (an effective sample size). The interval lies in [0, 1]
    and contains `share` exactly, also after rounding.
    """
    z2 = two_sided_normal_quantile(level) ** 2
    centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials)
    spread = math.sqrt(z2 * (share * (1.0 - share) / trials + z2 / (4.0 * trials * trials)))
    half = spread / (1.0 + z2 / trials)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def cell_band(passed: int, valid: int, voids: int, level: float = 0.95) -> Band:
    """Return the band of one cell: `passed` of `valid` runs, `voids` more without an outcome.

    No valid run is no evidence: [0, 1] without an estimate.
    """
    if valid == 0:
        return no_evidence("cell", voids, level)
    share = passed / valid
    low, high = wilson_interval(share, valid, level)
    return Band(
        estimate=share,
        low=low,
        high=high,
        level=level,
        estimand="cell",
        method="wilson",
        n=valid,
        tasks=1,
        voids=voids,
    )
