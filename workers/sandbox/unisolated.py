"""Running without a sandbox: only with explicit permission, and every result says so."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from workers.sandbox.bwrap_arguments import DEFAULT_ENVIRONMENT
from workers.sandbox.canaries import probe_sandbox
from workers.sandbox.disk_gauge import DiskGauge
from workers.sandbox.ending import decide_ending
from workers.sandbox.isolation import Isolation
from workers.sandbox.launcher import LauncherLost, ProgramRefused
from workers.sandbox.outcome import SandboxOutcome
from workers.sandbox.reporting import facts_of, not_started, report
from workers.sandbox.request import Mount, SandboxRequest
from workers.sandbox.request_check import check_request
from workers.sandbox.slot_session import SlotSession, group_for
from workers.sandbox.slots import NoFreeSlot, remove_tree
from workers.sandbox.streams import Streams
from workers.sandbox.supervision import LaunchPlan, Supervision
from workers.sandbox.throwaway import ThrowawayKind, resolved_mounts
from workers.sandbox.workspaces import DirectoryWorkspace

NOT_ISOLATED = "unisolated: judged code could read and change what its user can"


class UnisolatedSandbox:
    """The same contract without isolation, for machines where nothing better can run.

    Paths inside are replaced by host paths, in words that begin with a mount's target.
    """

    name = "unisolated"

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        """`hidden` are folders that no program should see; here the probe tells that it can."""
        self._scratch = scratch
        self._hidden = tuple(hidden)
        self._lock = threading.RLock()
        self._session: SlotSession | None = None

    def probe(self) -> Isolation:
        """The canaries, most of which fail here by nature."""
        with self._lock:
            return probe_sandbox(self, self._scratch, self._hidden, {})

    def run(self, request: SandboxRequest) -> SandboxOutcome:
        """Run to the end; every outcome carries the note NOT_ISOLATED."""
        check_request(request)
        with self._lock:
            outcome = self._attempt(request)
        return replace(outcome, notes=(*outcome.notes, NOT_ISOLATED))

    def fresh_workspace(self, base: Path) -> DirectoryWorkspace:
        """A new workspace holding the files of `base`. Raises OSError, NoFreeSlot, LauncherLost."""
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

    def _attempt(self, request: SandboxRequest) -> SandboxOutcome:
        try:
            session = self._open()
            with resolved_mounts(request.mounts, ThrowawayKind.copy, session) as mounts:
                return self._run(replace(request, mounts=mounts.mounts), session, mounts.fillable)
        except (NoFreeSlot, ProgramRefused) as error:
            return not_started("sandbox_setup", str(error))
        except LauncherLost as error:
            self._kill_and_recover()
            return not_started("sandbox_setup", str(error), may_have_begun=True)
        except OSError as error:
            self._kill_and_recover()
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            category = "disk_full" if full else "sandbox_setup"
            return not_started(category, str(error), may_have_begun=True)
        except BaseException:
            # A time limit of the job may raise anywhere, also while a program runs.
            self._kill_and_recover()
            raise

    def _kill_and_recover(self) -> None:
        """Kill whatever runs; workspaces stay as they are."""
        try:
            if self._session is not None:
                self._session.restart_launcher()
        except (LauncherLost, OSError):
            self.close()

    def _run(
        self, request: SandboxRequest, session: SlotSession, fillable: tuple[Path, ...]
    ) -> SandboxOutcome:
        limits = request.limits
        gauge = DiskGauge(fillable, limits.disk_bytes, limits.files)
        streams = Streams(request.stdin, limits.output_bytes, session.slot.hand_over)
        home = session.workspaces.new_directory("hm")
        with contextlib.closing(streams):
            group = group_for(session, limits)
            clean = True
            try:
                watch = Supervision(request, session.launcher, streams, group, gauge)
                seen = watch.run(_plan(request, home))
            finally:
                remove_tree(home)
                if group is not None:
                    clean = group.remove()
            return report(seen, decide_ending(facts_of(request, seen, None, clean)), streams)


def _plan(request: SandboxRequest, home: Path) -> LaunchPlan:
    """A shell enters the directory and becomes the program."""
    own = DEFAULT_ENVIRONMENT | {"HOME": str(home), "TMPDIR": str(home)}
    env = {
        key: _host_path(value, request.mounts) for key, value in (own | dict(request.env)).items()
    }
    words = [_host_path(word, request.mounts) for word in (request.workdir, *request.argv)]
    line = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", *words]
    return LaunchPlan(
        "/bin/sh",
        [os.fsencode(word) for word in line],
        {os.fsencode(key): os.fsencode(value) for key, value in env.items()},
        sandbox_options=None,
    )


def _host_path(word: str, mounts: tuple[Mount, ...]) -> str:
    for mount in mounts:
        if word == mount.target or word.startswith(f"{mount.target}/"):
            return f"{mount.source}{word[len(mount.target) :]}"
    return word
