"""The default sandbox: bubblewrap with namespaces, a filter, control groups and a slot user."""

from __future__ import annotations

import contextlib
import errno
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workers.sandbox.bwrap_arguments import BwrapArguments
from workers.sandbox.bwrap_binary import BwrapBinary
from workers.sandbox.canaries import probe_sandbox, quiet_request
from workers.sandbox.disk_gauge import DiskGauge
from workers.sandbox.ending import Decision, decide_ending
from workers.sandbox.hidden_places import outermost
from workers.sandbox.isolation import Isolation
from workers.sandbox.launcher import LauncherLost, ProgramRefused
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.reporting import facts_of, not_started, report
from workers.sandbox.request import Mount, SandboxRequest
from workers.sandbox.request_check import check_request
from workers.sandbox.slot_session import SlotSession, group_for
from workers.sandbox.slots import NoFreeSlot
from workers.sandbox.streams import Streams
from workers.sandbox.supervision import LaunchPlan, Supervision
from workers.sandbox.throwaway import (
    ResolvedMounts,
    ThrowawayKind,
    overlay_count,
    resolved_mounts,
)
from workers.sandbox.workspaces import DirectoryWorkspace

_FULL = (errno.ENOSPC, errno.EDQUOT)


class BubblewrapSandbox:
    """Runs one program at a time; threads that share it wait for each other."""

    name = "bubblewrap"

    def __init__(self, scratch: Path, binary: BwrapBinary, hidden: Sequence[Path] = ()) -> None:
        """`hidden` are folders that no program may see, wherever they lie."""
        self._scratch = scratch
        self._hidden = outermost(hidden)
        self._binary = binary
        self._lock = threading.RLock()
        self._session: SlotSession | None = None
        self._arguments = BwrapArguments(scratch, self._hidden)
        self._throwaway: ThrowawayKind | None = None

    def probe(self) -> Isolation:
        """Run the canaries here and now."""
        with self._lock:
            return probe_sandbox(self, self._scratch, self._hidden, self.describe())

    def describe(self) -> dict[str, str]:
        """How things are enforced here; keys `memory`, `processes`, `identity`, `workspace`."""
        session = self._open()
        home = session.group_home
        groups = f"control group v{home.version}" if home is not None else ""
        as_root = session.slot.runs_as_root
        return {
            "memory": groups or "looking at the tree 25 times a second and killing it",
            "processes": groups or "process limit inside the user namespace",
            "identity": f"slot user {session.slot.uid}" if as_root else "the worker's own user",
            "workspace": "copy or overlay" if session.workspaces.overlays_work else "copy",
        }

    def run(self, request: SandboxRequest) -> SandboxOutcome:
        """Run to the end and return how it ended; raises ValueError for a senseless request."""
        check_request(request)
        with self._lock:
            try:
                session = self._open()
                kind = self._throwaway_kind(session, request)
                with resolved_mounts(request.mounts, kind, session) as mounts:
                    return self._run(request, session, mounts)
            except ProgramRefused as error:
                return not_started("sandbox_setup", f"bubblewrap could not be started: {error}")
            except NoFreeSlot as error:
                return not_started("sandbox_setup", str(error))
            except LauncherLost as error:
                self._kill_and_recover()
                return not_started("sandbox_setup", str(error), may_have_begun=True)
            except OSError as error:
                self._kill_and_recover()
                category = "disk_full" if error.errno in _FULL else "sandbox_setup"
                note = f"preparing the sandbox: {error}"
                return not_started(category, note, may_have_begun=True)
            except BaseException:
                # A time limit of the job may raise anywhere, also while a program runs.
                self._kill_and_recover()
                raise

    def fresh_workspace(self, base: Path) -> DirectoryWorkspace:
        """A new workspace holding the files of `base`, writable by the sandboxed program.

        `base` must not change while the sandbox lives. Raises OSError, NoFreeSlot, LauncherLost.
        """
        with self._lock:
            return self._open().workspaces.make(base)

    def close(self) -> None:
        """Give back the slot and end the launcher."""
        with self._lock:
            session, self._session = self._session, None
            if session is not None:
                session.close()

    def _open(self) -> SlotSession:
        if self._session is not None and not self._session.belongs_here:
            self.close()
        if self._session is None:
            self._session = SlotSession(self._scratch)
        return self._session

    def _kill_and_recover(self) -> None:
        """Kill whatever runs; workspaces stay as they are."""
        try:
            if self._session is not None:
                self._session.restart_launcher()
        except (LauncherLost, OSError):
            self.close()

    def _throwaway_kind(self, session: SlotSession, request: SandboxRequest) -> ThrowawayKind:
        """Found out by trying, once, and only when it is needed."""
        if self._throwaway is None and overlay_count(request.mounts):
            self._throwaway = ThrowawayKind.copy
            if self._binary.has_overlay:
                counted = session.group_home is not None
                kind = ThrowawayKind.memory if counted else ThrowawayKind.directory
                if self._overlay_works(session, kind):
                    self._throwaway = kind
        return self._throwaway or ThrowawayKind.copy

    def _overlay_works(self, session: SlotSession, kind: ThrowawayKind) -> bool:
        lower = session.workspaces.new_directory("ov")
        trial = replace(quiet_request("true"), mounts=(Mount(lower, "/work", "overlay"),))
        with resolved_mounts(trial.mounts, kind, session) as mounts:
            return self._run(trial, session, mounts).ending is Ending.exited

    def _run(
        self, request: SandboxRequest, session: SlotSession, mounts: ResolvedMounts
    ) -> SandboxOutcome:
        limits = request.limits
        resolved = replace(request, mounts=mounts.mounts)
        gauge = DiskGauge(mounts.fillable, limits.disk_bytes, limits.files)
        streams = Streams(request.stdin, limits.output_bytes, session.slot.hand_over)
        with contextlib.closing(streams):
            group = group_for(session, request.limits)
            clean = True
            try:
                line = self._arguments.build(resolved, mounts.scratches)
                plan = LaunchPlan(str(self._binary.path), line.argv, {}, line.options)
                watch = Supervision(request, session.launcher, streams, group, gauge)
                seen = watch.run(plan)
            finally:
                if group is not None:
                    clean = group.remove()
            decision = decide_ending(facts_of(request, seen, streams, clean))
            return report(seen, _blame_missing_source(decision, request), streams)


def _blame_missing_source(decision: Decision, request: SandboxRequest) -> Decision:
    """A toolchain that is not on this machine is another matter than a broken sandbox."""
    missing = [mount.source for mount in request.mounts if not mount.source.exists()]
    if decision.infrastructure != "sandbox_setup" or not missing:
        return decision
    note = f"{missing[0]} is not on this machine; {decision.note}"
    return replace(decision, infrastructure="toolchain_missing", note=note)
