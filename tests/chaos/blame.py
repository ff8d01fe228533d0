"""Holds every attempt that did not end well against the faults that there were: who is to blame?"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from models.storage.elections import TERM_S
from models.verdicts import AttemptEnding
from scheduler.scheduler_loop import LONGEST_SLEEP_S
from tests.chaos.faults import ACTIVE, DATABASE, FAULTS, Strike
from tests.chaos.storm_farm import LEASE_S

WELL = (AttemptEnding.OK, AttemptEnding.RUNNING)
FIRST_SIGN_S = 0.5
"""A fault acts a moment before, or after, its times were noted."""
SLACK_S = 20.0
"""For a reaper, and for connections, on a machine with more to do than it can: a tick that comes
late blames nobody wrongly."""
REAPED_WITHIN_S = LEASE_S + LONGEST_SLEEP_S + SLACK_S
"""After a fault is over a lease may go on for its whole time, and is taken away at the next tick:
whatever ends later ended for another reason."""
HOLDS_THE_REAPER_UP = frozenset(fault.kind for fault in FAULTS if fault.on in (ACTIVE, DATABASE))


def wrongly_blamed(attempts: Sequence[Any], strikes: Sequence[Strike]) -> list[str]:
    """One sentence for each attempt whose ending no fault explains."""
    return [
        f"attempt {each.id} ({each.stage} of run {each.run_id}, token {each.token}) on "
        f"{each.worker}: {each.ending} ({each.category}) {each.detail!r}, "
        f"from {each.started_at:.2f} to {each.ended_at or 0:.2f}"
        for each in attempts
        if each.ending not in WELL
        and not any(explains(strike, each, strikes) for strike in strikes)
    ]


def explains(strike: Strike, attempt: Any, strikes: Iterable[Strike] = ()) -> bool:
    """Whether the attempt was at work where the fault hit, while it did, and ended in a way that
    this kind of fault may lead to, in time: REAPED_WITHIN_S after it, or as much later as others
    of the `strikes` kept the scheduler from its work meanwhile."""
    is_hit = attempt.worker.partition("@")[0] in strike.workers or attempt.run_id in strike.runs
    ended_at = attempt.ended_at or 0.0
    return (
        is_hit
        and (attempt.ending, attempt.category) in strike.blame
        and attempt.started_at <= strike.ended + FIRST_SIGN_S
        and ended_at >= strike.began - FIRST_SIGN_S
        and ended_at <= strike.ended + REAPED_WITHIN_S + _held_up(strike.began, ended_at, strikes)
    )


def _held_up(since: float, until: float, strikes: Iterable[Strike]) -> float:
    """Seconds of that time in which there may have been no reaper: a fault lasted, or another
    scheduler waited for the term of the one that was hit to end."""
    overlaps = (
        min(until, strike.ended + TERM_S) - max(since, strike.began)
        for strike in strikes
        if strike.kind in HOLDS_THE_REAPER_UP
    )
    return sum(max(0.0, overlap) for overlap in overlaps)


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
