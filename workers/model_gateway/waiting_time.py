"""For how long no clock of a run goes on: its calls wait for others or for a provider. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

Span = tuple[float, float]
THINKS_S = 60.0
"""So long a model may think before its silence counts as the provider's, until it answers."""


class Phase(Enum):
    """What a call does: it waits for its turn, or to be sent again; it was sent, and nothing came
    as yet; it is answered."""

    QUEUED = auto()
    SENT = auto()
    AT_WORK = auto()


@dataclass(slots=True)
class CallTime:
    """The phases of one call, one after the other; the last goes on while `ended` is None."""

    phases: list[tuple[Phase, float]]
    ended: float | None = None

    def goes_on(self, phase: Phase, now: float) -> None:
        """From now on it is in this phase."""
        if self.ended is None:
            self.phases.append((phase, now))

    def answered(self) -> None:
        """What it was sent for last is answered: the provider worked on it since then."""
        self.phases[-1] = (Phase.AT_WORK, self.phases[-1][1])

    def spans(self, now: float, *, waiting: bool) -> Iterable[Span]:
        """When it waited, or when it was at work, until now."""
        ends = [*(since for _, since in self.phases[1:]), now if self.ended is None else self.ended]
        for left, (phase, since), end in zip(
            range(len(ends), 0, -1), self.phases, ends, strict=True
        ):
            waits_from = since
            if phase is Phase.AT_WORK:
                waits_from = end
            elif phase is Phase.SENT and left == 1:
                waits_from = end if self.ended is not None else min(since + THINKS_S, end)
            yield (waits_from, end) if waiting else (since, waits_from)

    def waited(self, now: float) -> float:
        """Seconds in which it waited, until now."""
        return sum(end - since for since, end in self.spans(now, waiting=True))


@dataclass(slots=True)
class WaitingTime:
    """Seconds in which a call of the run waited, and none was at work: a run that goes on with one
    call has no time for nothing because another waits. Times are in seconds of any one clock.

    What was sent and came to nothing was waiting; what is silent for long counts so until it is
    answered, and then never was: a limit must not end a run whose provider is silent, and a slow
    answer is the model's own.
    """

    _open: list[CallTime] = field(default_factory=list[CallTime])
    _worked: list[Span] = field(default_factory=list[Span])
    _waited: list[Span] = field(default_factory=list[Span])
    """Of calls that are over, while an open one began before their ends; merged."""
    _before: float = 0.0

    def begin(self, now: float, phase: Phase = Phase.QUEUED) -> CallTime:
        """A call, from now on."""
        call = CallTime([(phase, now)])
        self._open.append(call)
        return call

    def end(self, call: CallTime, now: float) -> None:
        """That call is over, or nobody waits for it any more; once is enough."""
        if call.ended is not None:
            return
        call.ended = now
        self._open.remove(call)
        self._worked = _merged([*self._worked, *call.spans(now, waiting=False)])
        self._waited = _merged([*self._waited, *call.spans(now, waiting=True)])
        if not self._open:
            self._before = self.total(now)
            self._worked, self._waited = [], []

    def carry(self, seconds: float) -> None:
        """So much was waited in another life of this process."""
        self._before += seconds

    def total(self, now: float) -> float:
        """Until now."""
        work, waits = [*self._worked], [*self._waited]
        for call in self._open:
            work += call.spans(now, waiting=False)
            waits += call.spans(now, waiting=True)
        return self._before + _covered([*work, *waits]) - _covered(work)


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for began, ended in sorted(spans):
        if merged and began <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], ended))
        elif began < ended:
            merged.append((began, ended))
    return merged


def _covered(spans: Iterable[Span]) -> float:
    """The length of all spans together, where they overlap once."""
    return sum(ended - began for began, ended in _merged(spans))
