"""Whether the limits of systems held all through a storm, by the times of their attempts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from models.schemas.run import Stage
from models.verdicts import AttemptEnding
from tests.chaos.planted_systems import AT_ONCE, ONE_AT_ONCE, PACED, PER_MINUTE

MINUTE_S = 60.0
SLACK_S = 2.0
"""A claim reads the clock before it waits for its turn, a result before it is written."""


def limits_broken(attempts: Sequence[Any], system_of: Mapping[int, str]) -> Iterator[str]:
    """One sentence for every start that came too early."""
    by_system: defaultdict[str, list[Any]] = defaultdict(list)
    for each in sorted(attempts, key=lambda attempt: attempt.started_at):
        if each.stage is Stage.AGENT:
            by_system[system_of[each.run_id]].append(each)
    for each in by_system[ONE_AT_ONCE]:
        others = sum(
            other.started_at <= each.started_at < _ended(other) - SLACK_S
            for other in by_system[ONE_AT_ONCE]
            if other is not each
        )
        if others >= AT_ONCE:
            yield f"run {each.run_id} of {ONE_AT_ONCE} began beside {others} others"
    starts = [each.started_at for each in by_system[PACED]]
    for at in starts:
        within = sum(at <= other < at + MINUTE_S for other in starts)
        if within > PER_MINUTE:
            yield f"{within} runs of {PACED} began in the minute from {at:.2f}"


def _ended(attempt: Any) -> float:
    """When the farm held it for over; it is not known of one that wrote something later."""
    return 0.0 if attempt.ending is AttemptEnding.FENCED else attempt.ended_at or 0.0
