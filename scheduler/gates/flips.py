"""How often the repeats of one subject disagree, and what that proves. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from models.schemas.gate import FlipRate, GateReason, GateRule, GateRun
from scheduler.statistics.flip_bound import flip_rate_bound

CONFIDENCE = 0.95


def count_flips(evidence: Sequence[GateRun]) -> int:
    """How many of a subject's graded runs end otherwise than most of them.

    A run is one observation, whatever number of its checks differ: what has to be bounded is
    the rate of wrong verdicts.
    """
    endings = Counter((run.built, run.outcomes) for run in evidence)
    return len(evidence) - max(endings.values(), default=0)


def flip_rate(subject: str, flips: int, repeats: int) -> FlipRate:
    """What `flips` in `repeats` >= 1 prove: the exact one-sided upper bound of the true rate."""
    return FlipRate(
        subject=subject,
        flips=flips,
        repeats=repeats,
        upper_bound=round(flip_rate_bound(flips, repeats, CONFIDENCE), 6),
        confidence=CONFIDENCE,
    )


def flip_reasons(subject: str, evidence: Sequence[GateRun]) -> Iterator[GateReason]:
    """One reason for the build, and one for each check, that not all repeats agree on."""
    if len({run.built for run in evidence}) > 1:
        text = "it builds in some repeats and not in others: make the build deterministic"
        yield GateReason(rule=GateRule.NO_FLIPS, subject=subject, text=text)
    built = [dict(run.outcomes) for run in evidence if run.built]
    for check in built[0] if built else ():
        seen = Counter(outcomes[check] for outcomes in built)
        if len(seen) > 1:
            listed = ", ".join(f"{times}x {outcome}" for outcome, times in seen.most_common())
            text = f"{check} flips between repeats ({listed}): make check and subject deterministic"
            yield GateReason(rule=GateRule.NO_FLIPS, subject=subject, check=check, text=text)
