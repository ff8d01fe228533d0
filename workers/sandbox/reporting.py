"""The outcome of a run, put together from what was observed and what was decided."""

from __future__ import annotations

from workers.sandbox.ending import Decision, RunFacts
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import SandboxRequest
from workers.sandbox.streams import Streams
from workers.sandbox.supervision import Observation


def facts_of(
    request: SandboxRequest, seen: Observation, status_of: Streams | None, clean: bool
) -> RunFacts:
    """What the decision needs; `status_of` is None for a program without a sandbox around it."""
    return RunFacts(
        killed_for=seen.killed_for,
        farm_fault=seen.farm_fault,
        clean=clean,
        group=seen.reading,
        status=bytes(status_of.status) if status_of is not None else None,
        wait_status=seen.tree_end.wait_status if seen.tree_end is not None else 0,
        stderr=status_of.stderr if status_of is not None else b"",
        cpu_s=seen.cpu_s,
        cpu_cap_s=request.limits.cpu_s,
    )


def report(seen: Observation, decision: Decision, streams: Streams) -> SandboxOutcome:
    """Everything that is known of one run that was started."""
    limit = "the process limit was reached" if seen.process_limit_reached else ""
    notes = tuple(note for note in (limit, decision.note) if note)
    return SandboxOutcome(
        ending=decision.ending,
        exit_code=decision.exit_code,
        signal=decision.signal,
        stdout=streams.stdout,
        stderr=streams.stderr,
        wall_s=seen.wall_s,
        cpu_s=seen.cpu_s,
        peak_memory_bytes=_peak(seen),
        notes=notes,
        infrastructure=decision.infrastructure,
        refusal=decision.refusal,
        may_have_begun=decision.may_have_begun,
    )


def not_started(category: str, message: str, *, may_have_begun: bool = False) -> SandboxOutcome:
    """The outcome of a run that the farm could not start; `category` is a void category.

    `may_have_begun` where nobody saw how far it came.
    """
    return SandboxOutcome(
        ending=Ending.infrastructure,
        exit_code=None,
        signal=None,
        stdout=b"",
        stderr=b"",
        wall_s=0.0,
        cpu_s=0.0,
        peak_memory_bytes=None,
        notes=(message,),
        infrastructure=category,
        may_have_begun=may_have_begun,
    )


def _peak(seen: Observation) -> int | None:
    """The group's account of the tree, else the most that was seen of it at one time."""
    if seen.reading is not None and seen.reading.peak_memory_bytes is not None:
        return seen.reading.peak_memory_bytes
    largest = seen.tree_end.largest_process_bytes if seen.tree_end is not None else 0
    return max(largest, seen.polled_peak_bytes) or None
