"""The band of a sample without a single valid run."""

from models.schemas.band import Band, Estimand


def no_evidence(estimand: Estimand, voids: int, level: float) -> Band:
    """Return the band that says nothing: [0, 1], no estimate, no runs, no tasks."""
    return Band(
        estimate=None,
        low=0.0,
        high=1.0,
        level=level,
        estimand=estimand,
        method="no evidence",
        n=0,
        tasks=0,
        voids=voids,
    )
