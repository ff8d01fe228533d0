"""Whether a worker still does its part, language by language.

A worker that fails at once takes more jobs than one that works: left alone, it eats a campaign.
"""

import mmap
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from models.verdicts import VoidCategory
from workers.shared_words import SharedWords

MOST_IN_A_ROW = 3
FIRST_REST_S = 60.0
LONGEST_REST_S = 3_600.0
MOST_RESTS = 3
"""After so many rests without one result in between a worker is of no use until somebody looks."""
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


@dataclass(frozen=True, slots=True)
class LastVoid:
    """The last stage that was void in a language, and how long ago (monotonic seconds) the first
    of that row was."""

    category: VoidCategory
    detail: str
    first_at: float


class Fitness:
    """How many stages in a row were void in each language, over all processes of a worker.

    Shared with the children that are forked after it was made. Two that count at the same moment
    may count once, which costs one more try.
    """

    def __init__(self, languages: Iterable[str] = ()) -> None:
        self._places = {name: place for place, name in enumerate(sorted(set(languages)))}
        self._counts = mmap.mmap(-1, len(self._places) or 1)
        self._first_at = _times(len(self._places))
        self._result_at = _times(1)
        self._words = SharedWords(len(self._places))

    def note(self, language: str, void: VoidCategory | None, detail: str = "") -> None:
        """A stage ended, as `void` with its detail or (None) with a result."""
        place = self._places.get(language)
        if place is None or void in NOT_THE_WORKERS:
            return
        if void is None:
            self._counts[place] = 0
            self._result_at[0] = time.monotonic()
            return
        if self._counts[place] == 0:
            self._first_at[place] = time.monotonic()
        self._counts[place] = min(LARGEST_COUNT, self._counts[place] + 1)
        self._words.write(place, void, detail)

    def in_a_row(self, language: str) -> int:
        """How many stages were void since one had a result."""
        place = self._places.get(language)
        return 0 if place is None else self._counts[place]

    def failing(self) -> tuple[str, ...]:
        """The languages that are to be given a rest."""
        return tuple(name for name in self._places if self.in_a_row(name) >= MOST_IN_A_ROW)

    def wait_if_failing(self, language: str) -> None:
        """Give the worker time to decide before the next job is taken: one that is void at once
        takes milliseconds, and a fast machine would have eaten the campaign by then.

        Time for a look that asks who else there is, for the answer, and for a look that has it.
        """
        if language in self.failing():
            time.sleep(4 * LOOK_EVERY_S)

    def last_void(self, language: str) -> LastVoid:
        """The last stage that was void in a language that is or was failing."""
        place = self._places[language]
        category, detail = self._words.read(place)
        known = category in {each.value for each in VoidCategory}
        said = VoidCategory(category) if known else VoidCategory.UNKNOWN
        return LastVoid(said, detail, self._first_at[place])

    def last_was_mismatch(self, language: str) -> bool:
        """Whether the last void in a language was a mismatch."""
        return self.last_void(language).category in MISMATCHES

    @property
    def last_result_at(self) -> float | None:
        """When (monotonic seconds) a stage last had a result, in whatever language."""
        return self._result_at[0] or None

    def allow(self, language: str, tries: int) -> None:
        """Allow so many voids in a row before the language fails again."""
        self._counts[self._places[language]] = max(0, MOST_IN_A_ROW - tries)


def _times(count: int) -> "memoryview[float]":
    """Numbers that are shared with processes that are forked later."""
    return memoryview(mmap.mmap(-1, 8 * (count or 1))).cast("d")


@dataclass(frozen=True, slots=True)
class RestChange:
    """Languages to serve no more, and languages to try again."""

    stop: tuple[str, ...]
    resume: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """One rest of a language, the `number`th without a result in between; monotonic seconds."""

    since: float
    until: float
    number: int
    voids: int


class RestingLanguages:
    """Which languages of a worker rest. Each rest without a result in between is twice as long."""

    def __init__(self, fitness: Fitness) -> None:
        self._fitness = fitness
        self._now: dict[str, Rest] = {}
        self._before: dict[str, Rest] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The languages that rest now."""
        return tuple(sorted(self._now))

    @property
    def rests(self) -> dict[str, Rest]:
        """The present rest of each language that has one."""
        return dict(self._now)

    def look(self, now: float, others_serve: Callable[[str], bool | None]) -> RestChange:
        """What is to change at `now` (monotonic seconds).

        `others_serve` says whether another worker serves a language; None: look again later.
        """
        resume = tuple(name for name in self.names if self._now[name].until <= now)
        for name in resume:
            del self._now[name]
            self._fitness.allow(name, tries=1)
        for name in [name for name in self._before if not self._fitness.in_a_row(name)]:
            del self._before[name]
        failing = [name for name in self._fitness.failing() if name not in self._now]
        blamed = {name: self._is_to_blame(name, others_serve) for name in failing}
        stop = tuple(name for name, is_to_blame in blamed.items() if is_to_blame)
        for name, is_to_blame in blamed.items():
            if is_to_blame is False:
                self._fitness.allow(name, tries=MOST_IN_A_ROW)
        for name in stop:
            self._now[name] = self._before[name] = self._rest(name, now)
        return RestChange(stop, resume)

    def _rest(self, name: str, now: float) -> Rest:
        before, voids = self._before.get(name), self._fitness.in_a_row(name)
        if before is None:
            return Rest(now, now + FIRST_REST_S, 1, voids)
        length = min(LONGEST_REST_S, (before.until - before.since) * 2)
        # After a rest one void is enough, and the count begins anew.
        return Rest(now, now + length, before.number + 1, before.voids + 1)

    def is_of_no_use(self, languages: Iterable[str]) -> bool:
        """Whether, out of all `languages` of a worker, none had a result for several rests, or
        all rest at once."""
        known = set(languages)
        if not known or not known <= set(self._now):
            return False
        return len(known) > 1 or all(rest.number >= MOST_RESTS for rest in self._now.values())

    def _is_to_blame(
        self, language: str, others_serve: Callable[[str], bool | None]
    ) -> bool | None:
        return not self._fitness.last_was_mismatch(language) or others_serve(language)
