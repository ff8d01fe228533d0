"""Keeps the processes of the embedded farm alive, and leaves nothing when it stops."""

import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

from models.clock import Clock
from models.errors import Infrastructure
from scheduler.embedded_farm.child import Child, ChildSpec
from scheduler.embedded_farm.process_tree import (
    adopt_orphans,
    end_all_descendants,
    end_orphans,
)

POLL_S = 0.02
ENDS_TOLERATED = 3


class Supervisor:
    """Starts, tends and stops children. Nothing happens on its own: call `tend` often.

    `owns_process` says that nothing but the farm has started processes from this one: then
    whatever a dead child leaves behind is adopted and ended, and so is everything at the end.
    """

    def __init__(self, logs: Path, clock: Clock, *, owns_process: bool) -> None:
        self._logs = logs
        self._clock = clock
        self._owns_process = owns_process
        self._children: dict[str, Child] = {}
        self._ready: set[str] = set()
        if owns_process:
            adopt_orphans()

    @property
    def children(self) -> tuple[Child, ...]:
        """All children in the order in which they were started."""
        return tuple(self._children.values())

    def start(self, spec: ChildSpec) -> Child:
        """Start one process and take care of it from now on."""
        child = Child(spec, self._logs / f"{spec.name}.log")
        self._children[spec.name] = child
        child.start(self._clock.monotonic())
        return child

    def tend(self) -> tuple[str, ...]:
        """One look at every child: start again what ended. Returns what happened, in words."""
        news = [news for child in self.children for news in self._look_at(child)]
        known = {child.pid for child in self.children if child.pid is not None}
        if self._owns_process and (left := end_orphans(known)):
            news.append(f"ended {left} process(es) that a dead child had left behind")
        return tuple(news)

    def _look_at(self, child: Child) -> list[str]:
        now = self._clock.monotonic()
        if child.has_ended():
            self._ready.discard(child.spec.name)
            pause = child.plan_restart(now)
            return [
                f"{child.spec.name} ended with {child.exits[-1]}; starting it again in "
                f"{pause:.1f} s (its log: {child.log})"
            ]
        if child.start_again_at is not None and now >= child.start_again_at:
            child.start(now)
        return []

    def wait_until_ready(
        self,
        names: tuple[str, ...],
        patience_s: float,
        on_wait: Callable[[tuple[str, ...], float], None] | None = None,
    ) -> None:
        """Tend until each of `names` does its work.

        `on_wait` hears again and again which ones are waited for, and for how many seconds.
        Raises Infrastructure with the end of the log where one does not come up in time or keeps
        ending, however long each try took.
        """
        begun = self._clock.monotonic()
        ends_before = {name: len(self._children[name].exits) for name in names}
        while waiting := tuple(name for name in names if not self.is_ready(name)):
            self.tend()
            waited = self._clock.monotonic() - begun
            for name in waiting:
                child = self._children[name]
                ends = len(child.exits) - ends_before[name]
                if waited > patience_s or ends >= ENDS_TOLERATED:
                    raise _does_not_start(child)
            if on_wait:
                on_wait(waiting, waited)
            time.sleep(POLL_S)

    def is_ready(self, name: str) -> bool:
        """Whether the child runs and has answered since it was last started."""
        child = self._children[name]
        if child.pid is None:
            return False
        if name not in self._ready and child.spec.ready():
            self._ready.add(name)
        return name in self._ready

    def stop(self) -> list[int]:
        """Stop all children by rank, then whatever they left; returns ids that would not die."""
        ordered = sorted(self.children, key=lambda child: child.spec.rank)
        for _, group in groupby(ordered, key=lambda child: child.spec.rank):
            self._stop_together(list(group))
        return end_all_descendants() if self._owns_process else []

    def _stop_together(self, group: list[Child]) -> None:
        for step in range(max(len(child.spec.stop_steps) for child in group)):
            begun = self._clock.monotonic()
            acting = [c for c in group if c.pid is not None and step < len(c.spec.stop_steps)]
            for child in acting:
                child.signal(child.spec.stop_steps[step][0])
            while any(not self._ended(child, step, begun) for child in acting):
                time.sleep(POLL_S)
        for child in group:
            child.kill()

    def _ended(self, child: Child, step: int, begun: float) -> bool:
        """Whether the child is gone, or its time for this step is over."""
        process = child.process
        patience_s = child.spec.stop_steps[step][1]
        over = self._clock.monotonic() - begun > patience_s
        return process is None or process.poll() is not None or over


def _does_not_start(child: Child) -> Infrastructure:
    words = child.last_words()
    return Infrastructure(
        "farm",
        f"{child.spec.name} did not start. The end of its log:\n{words}",
        remedy=f"The whole log is {child.log}; `gradefarm doctor` says what this machine lacks.",
    )
