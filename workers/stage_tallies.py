"""What the pool children of a worker have done, counted where they and their parent can see it.

Children come and go; the counts stay. They are numbers in memory that all of them share, under a
lock that the kernel takes away from a process that is killed.
"""

import fcntl
import mmap
import os
import struct
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import StrEnum

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from models.schemas.run import Stage

BOUNDS_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0, 7_200.0)
NUMBER = struct.Struct("d")
RENEWALS = ("renewals_failed",)
SECONDS = "seconds"

Key = tuple[str, ...]


class StageEnding(StrEnum):
    """What became of a stage that a worker had begun."""

    DONE = "done"
    VOID = "void"
    STOPPED = "stopped"
    HANDED_BACK = "handed_back"
    FENCED = "fenced"
    FAILED = "failed"


class StageTallies(Collector):
    """Counts of one worker, over all of its processes. Make it before they are forked."""

    def __init__(self, languages: Iterable[str] = ()) -> None:
        self._variants = [(stage, name) for stage in Stage for name in sorted(set(languages))]
        keys: list[Key] = [RENEWALS]
        for stage, language in self._variants:
            keys += [(stage, language, ending) for ending in StageEnding]
            keys += [(stage, language, f"{SECONDS}{bound}") for bound in BOUNDS_S]
            keys.append((stage, language, SECONDS))
        self._places = {key: place * NUMBER.size for place, key in enumerate(keys)}
        self._file = os.memfd_create("gradefarm-stage-tallies")
        os.ftruncate(self._file, len(keys) * NUMBER.size)
        self._numbers = mmap.mmap(self._file, len(keys) * NUMBER.size)
        self._mine = threading.Lock()
        os.register_at_fork(after_in_child=self._forget_threads)

    def note(self, stage: Stage, language: str, ending: StageEnding, took_s: float) -> None:
        """A stage ended after `took_s` seconds."""
        if (stage, language) not in self._variants:
            return
        bounds = [f"{SECONDS}{bound}" for bound in BOUNDS_S if took_s <= bound]
        with self._locked():
            self._add((stage, language, ending), 1)
            self._add((stage, language, SECONDS), took_s)
            for bound in bounds:
                self._add((stage, language, bound), 1)

    def note_failed_renewal(self) -> None:
        """A lease could not be renewed."""
        with self._locked():
            self._add(RENEWALS, 1)

    def collect(self) -> Iterable[Metric]:
        """The counts as metrics; what never happened is left out."""
        endings = CounterMetricFamily(
            "gradefarm_worker_stages",
            "Stages that ended here, by ending.",
            labels=["stage", "language", "ending"],
        )
        seconds = HistogramMetricFamily(
            "gradefarm_worker_stage_seconds",
            "How long stages took here.",
            labels=["stage", "language"],
        )
        for stage, language in self._variants:
            counts = {one: self._read((stage, language, one)) for one in StageEnding}
            for ending, count in counts.items():
                if count:
                    endings.add_metric([stage, language, ending], count)
            if total := sum(counts.values()):
                buckets = [
                    (str(bound), self._read((stage, language, f"{SECONDS}{bound}")))
                    for bound in BOUNDS_S
                ]
                spent = self._read((stage, language, SECONDS))
                seconds.add_metric([stage, language], [*buckets, ("+Inf", total)], spent)
        yield from (endings, seconds)
        yield CounterMetricFamily(
            "gradefarm_worker_renewals_failed",
            "Leases that could not be renewed when they were due.",
            value=self._read(RENEWALS),
        )

    def _read(self, key: Key) -> float:
        return float(NUMBER.unpack_from(self._numbers, self._places[key])[0])

    def _add(self, key: Key, amount: float) -> None:
        NUMBER.pack_into(self._numbers, self._places[key], self._read(key) + amount)

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Alone among the threads of this process, and among the processes."""
        with self._mine:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def _forget_threads(self) -> None:
        self._mine = threading.Lock()
