"""The bounds that runs without an outcome leave open (Manski; Horowitz and Manski)."""

from collections.abc import Sequence

from models.schemas.band import VoidEnvelope
from scheduler.statistics.fixed_task_band import fixed_task_band
from scheduler.statistics.task_count import TaskCount


def void_envelope(counts: Sequence[TaskCount], level: float = 0.95) -> VoidEnvelope | None:
    """Return the envelope of the mean score on these tasks, or None when nothing was lost.

    From the low end of the band where every lost run failed to the high end where every one
    passed; it contains the band that leaves them out.
    """
    lost = sum(count.lost for count in counts)
    if lost == 0:
        return None
    plain = fixed_task_band(counts, level)
    worst = fixed_task_band(all_lost_failed(counts), level)
    best = fixed_task_band(all_lost_passed(counts), level)
    return VoidEnvelope(
        worst_estimate=worst.low if worst.estimate is None else worst.estimate,
        best_estimate=best.high if best.estimate is None else best.estimate,
        low=min(worst.low, plain.low),
        high=max(best.high, plain.high),
        level=level,
        lost=lost,
        launched=lost + sum(count.valid for count in counts),
    )


def all_lost_failed(counts: Sequence[TaskCount]) -> list[TaskCount]:
    """The counts as if every lost run had failed."""
    return [TaskCount(c.passed, c.valid + c.lost, task=c.task) for c in counts]


def all_lost_passed(counts: Sequence[TaskCount]) -> list[TaskCount]:
    """The counts as if every lost run had passed."""
    return [TaskCount(c.passed + c.lost, c.valid + c.lost, task=c.task) for c in counts]
