"""How fast a farm has worked of late, told from when its newest attempts began and ended. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

WINDOW_S = 600.0
ENOUGH = 30
"""So many stages that ended within the window are evidence enough; else all of the present stretch
of work is looked at: long stages end rarely."""
PAUSE_S = 120.0
"""Nothing at work for longer is a pause, and what was before says nothing of now. Slots that
a limit of starts in a minute keeps free are never empty for so long."""


class Worked(Protocol):
    """One attempt at a stage: epoch seconds; `ok` where it ended as it should."""

    @property
    def queue_pk(self) -> int: ...
    @property
    def started_at(self) -> float: ...
    @property
    def ended_at(self) -> float | None: ...
    @property
    def ok(self) -> bool: ...


@dataclass(frozen=True)
class Throughput:
    """`done[queue]` stages ended well within the last `over_s` seconds, and took `mean_s[queue]`
    seconds each. `over_s` is 0 where nothing is known."""

    over_s: float
    done: dict[int, int]
    mean_s: dict[int, float]

    def per_s(self, queue_pk: int) -> float | None:
        """Stages of one queue that ended in a second; None without evidence."""
        done = self.done.get(queue_pk, 0)
        return done / self.over_s if done and self.over_s else None


NOTHING_KNOWN = Throughput(0.0, {}, {})


def throughput_of(attempts: Sequence[Worked], now: float) -> Throughput:
    """What `attempts` say of the present pace; time in which nothing was at work is left out."""
    since = _stretch_begins(attempts, now)
    if since is None or now <= since:
        return NOTHING_KNOWN
    ended = [(one, at) for one in attempts if (at := _ended_well(one)) is not None and at >= since]
    if sum(at >= now - WINDOW_S for _, at in ended) >= ENOUGH:
        since = max(since, now - WINDOW_S)
        ended = [(one, at) for one, at in ended if at >= since]
    done = Counter(one.queue_pk for one, _ in ended)
    spent: Counter[int] = Counter()
    lasted: dict[int, float] = {}
    for one, at in ended:
        lasted[one.queue_pk] = lasted.get(one.queue_pk, 0.0) + at - one.started_at
        spent[one.queue_pk] += 1
    means = {queue: lasted[queue] / count for queue, count in spent.items()}
    return Throughput(now - since, dict(done), means)


def _ended_well(attempt: Worked) -> float | None:
    return attempt.ended_at if attempt.ok else None


def _stretch_begins(attempts: Iterable[Worked], now: float) -> float | None:
    """When the work that still goes on began after the last pause; None in a pause."""
    begins: float | None = None
    busy_until = float("-inf")
    for one in sorted(attempts, key=lambda one: one.started_at):
        if begins is None or one.started_at - busy_until > PAUSE_S:
            begins = one.started_at
        busy_until = max(busy_until, now if one.ended_at is None else one.ended_at)
    return begins if now - busy_until <= PAUSE_S else None
