"""How long a campaign will still take: a range that admits what is not known. Pure."""

from collections.abc import Sequence
from math import sqrt

from models.schemas.campaign import CampaignState
from models.schemas.campaign_activity import TimeLeft
from models.storage.activity import QueueLoad
from scheduler.activity.throughput import Throughput

Z = 1.96
FEWEST = 2
"""With fewer stages that ended in a queue there is no upper end."""


def time_left(
    state: CampaignState, loads: Sequence[QueueLoad], pace: Throughput, unserved: Sequence[str]
) -> TimeLeft:
    """Seconds until nothing remains in `loads`, by the present `pace`.

    The upper end lets every queue go on at its own pace, at the lower end of the 95 % band of a
    Poisson count of what ended; the slowest queue decides. The lower end lets all slots help each
    other, at the upper end of that band. Both rest on the square root of a Poisson count having a
    standard deviation of about one half.
    """
    waiting = [load for load in loads if load.remaining]
    if not waiting:
        return TimeLeft(low_s=0.0, high_s=0.0)
    if state in (CampaignState.PAUSED, CampaignState.CANCELLED):
        return TimeLeft(why=f"it is {state.value}")
    if missing := [name for name in unserved if name in {load.name for load in waiting}]:
        return TimeLeft(why=f"no worker serves {', '.join(missing)}")
    if not pace.over_s:
        return TimeLeft(why="nothing is at work")
    if not any(pace.done.get(load.pk) for load in waiting):
        return TimeLeft(why="nothing has ended yet")
    high = _each_alone(waiting, pace)
    low = _all_together(waiting, pace)
    return TimeLeft(low_s=low if high is None else min(low, high), high_s=high)


def _each_alone(waiting: Sequence[QueueLoad], pace: Throughput) -> float | None:
    """None where a queue has too little evidence."""
    longest = 0.0
    for load in waiting:
        done = pace.done.get(load.pk, 0)
        if done < FEWEST:
            return None
        longest = max(longest, load.remaining * pace.over_s / (sqrt(done) - Z / 2) ** 2)
    return longest


def _all_together(waiting: Sequence[QueueLoad], pace: Throughput) -> float:
    done = sum(pace.done.values())
    fortune = (sqrt(done) + Z / 2) ** 2 / done
    left = sum(load.remaining * pace.mean_s.get(load.pk, 0.0) for load in waiting)
    worked = sum(count * pace.mean_s[queue] for queue, count in pace.done.items())
    return left * pace.over_s / (worked * fortune) if worked else 0.0
