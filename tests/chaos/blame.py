"""Holds every attempt that did not end well against the faults that there were: who is to blame?"""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from models.verdicts import AttemptEnding
from tests.chaos.faults import Strike

WELL = (AttemptEnding.OK, AttemptEnding.RUNNING)
FIRST_SIGN_S = 0.5
"""A fault acts a moment before, or after, its times were noted."""


def wrongly_blamed(attempts: Sequence[Any], strikes: Sequence[Strike]) -> list[str]:
    """One sentence for each attempt whose ending no fault explains."""
    return [
        f"attempt {each.id} ({each.stage} of run {each.run_id}, token {each.token}) on "
        f"{each.worker}: {each.ending} ({each.category}) {each.detail!r}, "
        f"from {each.started_at:.2f} to {each.ended_at or 0:.2f}"
        for each in attempts
        if each.ending not in WELL and not any(explains(strike, each) for strike in strikes)
    ]


def explains(strike: Strike, attempt: Any) -> bool:
    """Whether the attempt was at work on a worker that the fault hit, while it did, and ended in
    a way that this kind of fault may lead to."""
    return (
        (attempt.ending, attempt.category) in strike.blame
        and attempt.worker.partition("@")[0] in strike.workers
        and attempt.started_at <= strike.ended + FIRST_SIGN_S
        and (attempt.ended_at or 0.0) >= strike.began - FIRST_SIGN_S
    )


def recoveries(attempts: Sequence[Any], strikes: Sequence[Strike]) -> dict[str, tuple[float, ...]]:
    """By kind of fault, seconds from its beginning until a stage that was begun after its end had
    ended well: on the worker that was hit, else anywhere. Faults after which none was begun are
    left out."""
    well = [each for each in attempts if each.ending is AttemptEnding.OK]
    found: defaultdict[str, list[float]] = defaultdict(list)
    for strike in strikes:
        ends = [
            each.ended_at
            for each in well
            if each.started_at >= strike.ended
            and (not strike.workers or each.worker.partition("@")[0] in strike.workers)
        ]
        if ends:
            found[strike.kind].append(min(ends) - strike.began)
    return {kind: (median(times), max(times), len(times)) for kind, times in found.items()}
