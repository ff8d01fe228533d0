"""Watching one process tree from its start to the proof that nothing of it is left."""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass

from workers.sandbox.control_groups import ControlGroup, GroupReading
from workers.sandbox.disk_gauge import DiskGauge
from workers.sandbox.ending import child_pid
from workers.sandbox.launcher import Cap, Launcher, TreeEnd
from workers.sandbox.outcome import Ending
from workers.sandbox.process_tree import (
    TreeUse,
    proportional_bytes,
    read_memory_files,
    read_tree,
)
from workers.sandbox.request import Limits, SandboxRequest
from workers.sandbox.root_skeleton import MEMORY_PLACES
from workers.sandbox.streams import Streams

_SETUP_TIMEOUT_S = 30.0
_TICK_S = 0.1
# Without a kernel cap on memory, what a program takes between two looks is the overshoot.
_TICK_WITHOUT_GROUP_S = 0.04
# Longer between two looks, and the worker was stopped, or its whole machine: nobody's time runs.
_STOOD_STILL_S = 1.0
_STACK_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What to start.

    With `sandbox_options` it is a sandbox, which reads them, tells its first process on the
    status pipe and waits to be released.
    """

    program: str
    argv: Sequence[bytes]
    env: dict[bytes, bytes]
    sandbox_options: bytes | None


@dataclass(slots=True)
class Observation:
    """What was seen of one run."""

    killed_for: Ending | None = None
    farm_fault: tuple[str, str] | None = None
    tree_end: TreeEnd | None = None
    reading: GroupReading | None = None
    wall_s: float = 0.0
    polled_peak_bytes: int = 0
    polled_cpu_s: float = 0.0
    process_limit_reached: bool = False

    @property
    def cpu_s(self) -> float:
        """Processor seconds of the tree: the kernel's account, or the last look at it."""
        return max(self.tree_end.cpu_s if self.tree_end else 0.0, self.polled_cpu_s)


class Supervision:
    """Runs one plan. The launcher, the streams and the group belong to the caller."""

    def __init__(
        self,
        request: SandboxRequest,
        launcher: Launcher,
        streams: Streams,
        group: ControlGroup | None,
        gauge: DiskGauge,
    ) -> None:
        self._request = request
        self._launcher = launcher
        self._streams = streams
        self._group = group
        self._gauge = gauge
        self._seen = Observation()
        self._first_pid: int | None = None
        self._sandboxed = True
        self._stopped = False
        self._paused_s = 0.0
        self._tick_s = _TICK_S if group is not None else _TICK_WITHOUT_GROUP_S
        self._started = self._next_tick = self._wall_end = self._looked = 0.0

    def run(self, plan: LaunchPlan) -> Observation:
        """Run to the end.

        Raises ProgramRefused if it could not be started. After any other exception (LauncherLost,
        a signal handler's, one of `cancelled`) the launcher must be replaced, which kills the tree.
        """
        self._begin_clock(_SETUP_TIMEOUT_S)
        pid = self._start(plan)
        if not self._sandboxed:
            self._streams.watch_process(os.pidfd_open(pid))
            self._let_go(pid)
        while self._streams.status_open and not self._stopped:
            self._streams.serve(min(self._next_tick, self._wall_end) - time.monotonic())
            self._check()
        self._finish()
        return self._seen

    def _start(self, plan: LaunchPlan) -> int:
        self._sandboxed = plan.sandbox_options is not None
        descriptors = list(self._streams.pass_on if self._sandboxed else self._streams.pass_on[:3])
        if plan.sandbox_options is not None:
            options = os.memfd_create("options")
            descriptors.append(options)
            os.write(options, plan.sandbox_options)
            os.lseek(options, 0, os.SEEK_SET)
        try:
            return self._launcher.start(
                plan.program, plan.argv, plan.env, descriptors, sandboxed=self._sandboxed
            )
        finally:
            for descriptor in descriptors[len(self._streams.pass_on) :]:
                os.close(descriptor)
            self._streams.drop_pass_on()

    def _begin_clock(self, seconds: float) -> None:
        self._started = self._looked = time.monotonic()
        self._next_tick = self._started + self._tick_s
        self._wall_end = self._started + seconds

    def _let_go(self, first_pid: int) -> None:
        """The program may start: limits on, clock on."""
        self._first_pid = first_pid
        try:
            if self._group is not None:
                self._group.join(first_pid)
        except ProcessLookupError:
            # Set-up failed meanwhile; the missing document will tell.
            pass
        self._open_door(first_pid)
        self._begin_clock(self._request.limits.wall_s)
        self._launcher.release(
            first_pid,
            process_caps(
                self._request.limits, counted=self._group is not None or not self._sandboxed
            ),
        )

    def _open_door(self, first_pid: int) -> None:
        """Before the program starts: it must find the door where it was told."""
        door = self._request.door
        if door is None:
            return
        try:
            door.open_in(first_pid, own_network=self._sandboxed)
        except OSError as error:
            self._stopped = True
            self._seen.farm_fault = ("gateway", f"the door to the gateway did not open: {error}")

    def _check(self) -> None:
        if self._first_pid is None:
            first_pid = child_pid(bytes(self._streams.status))
            if first_pid is not None:
                self._let_go(first_pid)
        now = time.monotonic()
        if now - self._looked > _STOOD_STILL_S:
            self._wall_end += now - self._looked
        self._looked = now
        if self._streams.output_exceeded:
            self._stop(Ending.output_limit)
        elif now >= self._wall_end and self._streams.status_open:
            self._end_of_wall(now)
        elif now >= self._next_tick:
            self._next_tick = now + self._tick_s
            self._look()

    def _end_of_wall(self, now: float) -> None:
        """Time in which a provider let the program wait is nobody's; asked only when it matters."""
        door = self._request.door
        paused_s = 0.0 if door is None or self._first_pid is None else door.paused_s()
        self._wall_end += paused_s - self._paused_s
        self._paused_s = paused_s
        if now >= self._wall_end:
            self._stop(Ending.wall_timeout)
        self._wall_end = max(self._wall_end, now + self._tick_s)

    def _look(self) -> None:
        """What costs more than a glance, about ten times a second."""
        if self._request.cancelled():
            self._stop(Ending.cancelled)
        elif self._group is not None and self._group.read().out_of_memory_kills:
            # Whether this is the program's doing is decided from the final counters.
            self._stopped = True
        elif self._gauge.over_limit():
            self._stop(Ending.disk_limit)
        elif self._gauge.no_room():
            self._stop_for_room()
        elif self._first_pid is not None:
            self._look_at_tree(self._first_pid, self._request.limits)

    def _look_at_tree(self, first_pid: int, limits: Limits) -> None:
        use = read_tree(first_pid, namespaced=self._sandboxed)
        self._seen.polled_cpu_s = max(self._seen.polled_cpu_s, use.cpu_s)
        if use.cpu_s >= limits.cpu_s:
            self._stop(Ending.cpu_timeout)
        places = MEMORY_PLACES if self._sandboxed else ()
        files = read_memory_files(first_pid, places)
        if files.files > limits.files:
            self._stop(Ending.disk_limit)
        if self._group is None:
            self._look_without_group(first_pid, use, files.used_bytes)

    def _look_without_group(self, first_pid: int, use: TreeUse, file_bytes: int) -> None:
        """What a control group would cap, seen late but seen."""
        limits = self._request.limits
        if use.threads > limits.processes:
            self._seen.process_limit_reached = True
        used = use.resident_bytes + file_bytes
        if used > limits.memory_bytes:
            used = proportional_bytes(first_pid, namespaced=self._sandboxed) + file_bytes
            if used > limits.memory_bytes:
                self._stop(Ending.memory)
        self._seen.polled_peak_bytes = max(self._seen.polled_peak_bytes, used)

    def _stop(self, reason: Ending) -> None:
        self._stopped = True
        if self._first_pid is None and reason is Ending.wall_timeout:
            self._seen.farm_fault = ("sandbox_setup", "the sandbox was not set up in 30 seconds")
        elif self._seen.killed_for is None:
            self._seen.killed_for = reason

    def _stop_for_room(self) -> None:
        self._stopped = True
        self._seen.farm_fault = ("disk_full", "there is no room left for the workspace")

    def _finish(self) -> None:
        if self._request.door is not None:
            self._request.door.shut()
        self._seen.wall_s = time.monotonic() - self._started
        self._seen.tree_end = self._launcher.end(kill=self._stopped)
        self._streams.drain()
        if self._group is not None:
            self._seen.reading = self._group.read()
            if self._seen.reading.process_limit_hits:
                self._seen.process_limit_reached = True
        if self._seen.killed_for is None:
            self._last_look()

    def _last_look(self) -> None:
        """What a short program may have done between two looks."""
        if self._streams.output_exceeded:
            self._seen.killed_for = Ending.output_limit
        elif self._gauge.over_limit(walk=True):
            self._seen.killed_for = Ending.disk_limit
        elif self._gauge.no_room():
            self._stop_for_room()


def process_caps(limits: Limits, *, counted: bool) -> list[Cap]:
    """Resource limits of each process; `counted` says that a group counts the processes.

    The number of processes is otherwise capped within the sandbox's own user namespace, where
    its first process counts too.
    """
    cpu_s = math.ceil(limits.cpu_s)
    wanted = [
        (resource.RLIMIT_NOFILE, 1024, 4096),
        (resource.RLIMIT_FSIZE, limits.disk_bytes, limits.disk_bytes),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_MEMLOCK, 65536, 65536),
        (resource.RLIMIT_MSGQUEUE, 819200, 819200),
        (resource.RLIMIT_STACK, _STACK_BYTES, _STACK_BYTES),
        (resource.RLIMIT_CPU, cpu_s + 1, cpu_s + 2),
    ]
    if not counted:
        wanted.append((resource.RLIMIT_NPROC, limits.processes + 1, limits.processes + 1))
    return [_within_own(cap) for cap in wanted]


def _within_own(cap: Cap) -> Cap:
    """Nobody may raise a hard limit that the worker itself has."""
    kind, soft, hard = cap
    own = resource.getrlimit(kind)[1]
    if own == resource.RLIM_INFINITY:
        return cap
    return (kind, min(soft, own), min(hard, own))
