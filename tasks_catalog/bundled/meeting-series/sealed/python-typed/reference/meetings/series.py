"""One series of occurrences and what was done to them."""

from collections.abc import Iterable
from dataclasses import dataclass

from meetings.refusal import Refused
from meetings.zone import Zone


@dataclass(frozen=True)
class Occurrence:
    """The original is a local minute, start and end are instants."""

    series: str
    original: int
    start: int
    end: int

    def overlaps(self, start: int, end: int) -> bool:
        return self.start < end and self.end > start


@dataclass(frozen=True)
class Plan:
    """When an occurrence starts on the clocks, and how long it lasts."""

    local: int
    minutes: int


class Series:
    """Originals, each with its plan; None stands for a skipped one."""

    def __init__(self, name: str, zone: Zone, minutes: int, originals: Iterable[int]) -> None:
        self.name = name
        self.zone = zone
        self.minutes = minutes
        self._regular = {original: Plan(original, minutes) for original in originals}
        self._plans: dict[int, Plan | None] = dict(self._regular)
        self._changed: set[int] = set()

    def skip(self, original: int) -> None:
        self._planned(original)
        self._plans[original] = None
        self._changed.add(original)

    def move(self, original: int, local: int, minutes: int | None) -> None:
        self._planned(original)
        self._plans[original] = Plan(local, self.minutes if minutes is None else minutes)
        self._changed.add(original)

    def restore(self, original: int) -> None:
        self._known(original)
        if original not in self._changed:
            raise Refused("not_changed")
        self._plans[original] = self._regular[original]
        self._changed.discard(original)

    def occurrence(self, original: int) -> Occurrence:
        """Return when an occurrence that is not skipped takes place."""
        plan = self._planned(original)
        start = self.zone.instant(plan.local)
        return Occurrence(self.name, original, start, start + plan.minutes)

    def overlapping(self, start: int, end: int) -> list[Occurrence]:
        """Return the occurrences that overlap the window, in the order of their originals."""
        held = (self.occurrence(original) for original, plan in self._plans.items() if plan)
        return [occurrence for occurrence in held if occurrence.overlaps(start, end)]

    def _known(self, original: int) -> Plan | None:
        if original not in self._plans:
            raise Refused("unknown_occurrence")
        return self._plans[original]

    def _planned(self, original: int) -> Plan:
        plan = self._known(original)
        if plan is None:
            raise Refused("already_skipped")
        return plan
