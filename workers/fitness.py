"""Whether a worker still does its part, language by language.

A worker that fails at once takes more jobs than one that works: left alone, it eats a campaign.
"""

import mmap
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from models.verdicts import VoidCategory

MOST_IN_A_ROW = 3
FIRST_REST_S = 60.0
LONGEST_REST_S = 3_600.0
LARGEST_COUNT = 255
LOOK_EVERY_S = 0.5
"""How often the worker looks whether a language fails."""

NOT_THE_WORKERS = frozenset(
    {
        VoidCategory.PROVIDER_UNAVAILABLE,
        VoidCategory.GATEWAY,
        VoidCategory.OPERATOR,
        VoidCategory.GRADER,
    }
)
"""Voids that say nothing of the machine: they would happen on any other."""

MISMATCHES = frozenset({VoidCategory.TOOLCHAIN_MISMATCH, VoidCategory.MANIFEST_MISMATCH})
"""Voids of a machine or of a campaign that are not meant for each other. Only where others could
do the work is the machine to blame; a worker alone would keep its other campaigns waiting."""


class Fitness:
    """How many stages in a row were void in each language, over all processes of a worker.

    Shared with the children that are forked after it was made. Two that count at the same moment
    may count once, which costs one more try.
    """

    def __init__(self, languages: Iterable[str] = ()) -> None:
        self._places = {name: place for place, name in enumerate(sorted(set(languages)))}
        self._counts = mmap.mmap(-1, len(self._places) or 1)
        self._mismatches = mmap.mmap(-1, len(self._places) or 1)

    def note(self, language: str, void: VoidCategory | None) -> None:
        """A stage ended, as `void` or (None) with a result."""
        place = self._places.get(language)
        if place is None or void in NOT_THE_WORKERS:
            return
        count = 0 if void is None else min(LARGEST_COUNT, self._counts[place] + 1)
        self._counts[place] = count
        self._mismatches[place] = void in MISMATCHES

    def in_a_row(self, language: str) -> int:
        """How many stages were void since one had a result."""
        place = self._places.get(language)
        return 0 if place is None else self._counts[place]

    def failing(self) -> tuple[str, ...]:
        """The languages that are to be given a rest."""
        return tuple(name for name in self._places if self.in_a_row(name) >= MOST_IN_A_ROW)

    def wait_if_failing(self, language: str) -> None:
        """Give the worker time to look before the next job is taken: one that is void at once
        takes milliseconds, and a fast machine would have eaten the campaign by then."""
        if language in self.failing():
            time.sleep(2 * LOOK_EVERY_S)

    def last_was_mismatch(self, language: str) -> bool:
        """Whether the last void in a language was a mismatch."""
        return bool(self._mismatches[self._places[language]])

    def allow(self, language: str, tries: int) -> None:
        """Allow so many voids in a row before the language fails again."""
        self._counts[self._places[language]] = max(0, MOST_IN_A_ROW - tries)


@dataclass(frozen=True, slots=True)
class RestChange:
    """Languages to serve no more, and languages to try again."""

    stop: tuple[str, ...]
    resume: tuple[str, ...]


class RestingLanguages:
    """Which languages of a worker rest. Each rest without a result in between is twice as long."""

    def __init__(self, fitness: Fitness) -> None:
        self._fitness = fitness
        self._until: dict[str, float] = {}
        self._rests: dict[str, float] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The languages that rest now."""
        return tuple(sorted(self._until))

    def look(self, now: float, others_serve: Callable[[str], bool]) -> RestChange:
        """What is to change at `now` (monotonic seconds).

        `others_serve` says whether another worker serves a language.
        """
        resume = tuple(name for name in self.names if self._until[name] <= now)
        for name in resume:
            del self._until[name]
            self._fitness.allow(name, tries=1)
        for name in [name for name in self._rests if not self._fitness.in_a_row(name)]:
            del self._rests[name]
        failing = [name for name in self._fitness.failing() if name not in self._until]
        stop = tuple(name for name in failing if self._is_to_blame(name, others_serve))
        for name in failing:
            if name not in stop:
                self._fitness.allow(name, tries=MOST_IN_A_ROW)
        for name in stop:
            rest = min(LONGEST_REST_S, self._rests.get(name, FIRST_REST_S / 2) * 2)
            self._until[name] = now + rest
            self._rests[name] = rest
        return RestChange(stop, resume)

    def _is_to_blame(self, language: str, others_serve: Callable[[str], bool]) -> bool:
        return not self._fitness.last_was_mismatch(language) or others_serve(language)
