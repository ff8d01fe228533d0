"""Small attacks that a sandbox must stop, run to find out what it really enforces."""

from __future__ import annotations

import shlex
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workers.sandbox.isolation import Ability, Isolation
from workers.sandbox.outcome import Ending, SandboxOutcome
from workers.sandbox.request import Limits, SandboxRequest
from workers.sandbox.sandbox import Sandbox

_LIMITS = Limits(
    wall_s=5.0,
    cpu_s=4.0,
    memory_bytes=48 * 2**20,
    processes=16,
    output_bytes=2**16,
    disk_bytes=2**20,
    files=500,
)


def quiet_request(script: str) -> SandboxRequest:
    """A shell script with tight limits and nothing mounted."""
    return SandboxRequest(("/bin/sh", "-c", script), b"", {}, (), "/tmp", _LIMITS)


@dataclass(frozen=True, slots=True)
class _Canary:
    """`attack` runs in the sandbox; `stopped` judges its outcome; `means` says how it is done."""

    name: str
    attack: Callable[[Sandbox, Path], SandboxOutcome]
    stopped: Callable[[SandboxOutcome], bool]
    means: str
    remedy: str


def probe_sandbox(
    sandbox: Sandbox, scratch: Path, hidden: Sequence[Path], means: Mapping[str, str]
) -> Isolation:
    """Run every canary in turn; `means` holds what `BubblewrapSandbox.describe` says, `hidden`
    the folders that no program may see."""
    start = sandbox.run(quiet_request("echo up"))
    if start.ending is not Ending.exited or start.stdout != b"up\n":
        reason = " ".join(start.notes) or start.ending.value
        return Isolation(sandbox.name, (Ability("start", ok=False, enforced_by="", remedy=reason),))
    with tempfile.TemporaryDirectory(dir=scratch, prefix="probe-") as folder:
        canaries = (*_CANARIES, _see_nothing_hidden(hidden))
        abilities = [_judge(canary, sandbox, Path(folder), means) for canary in canaries]
    started = Ability("start", ok=True, enforced_by=sandbox.name, remedy="")
    return Isolation(sandbox.name, (started, *abilities))


def _judge(canary: _Canary, sandbox: Sandbox, folder: Path, means: Mapping[str, str]) -> Ability:
    ok = canary.stopped(canary.attack(sandbox, folder))
    enforced_by = means.get(canary.means, canary.means)
    return Ability(canary.name, ok, enforced_by if ok else "", "" if ok else canary.remedy)


def _script(text: str) -> Callable[[Sandbox, Path], SandboxOutcome]:
    return lambda sandbox, _: sandbox.run(quiet_request(text))


def _see_farm_processes(sandbox: Sandbox, _: Path) -> SandboxOutcome:
    script = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"
    return sandbox.run(quiet_request(script + "; ls -d /proc/[0-9]* | wc -l"))


def _reach_network(sandbox: Sandbox, _: Path) -> SandboxOutcome:
    """Knock at a door that this process really opens on the host's loopback."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        script = (
            f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo open; "
            "tail -n +3 /proc/net/dev | grep -v ' lo:'"
        )
        return sandbox.run(quiet_request(script))


def _read_secret(sandbox: Sandbox, folder: Path) -> SandboxOutcome:
    secret = folder / "answers"
    secret.write_text("the answer key")
    folder.chmod(0o755)
    return sandbox.run(quiet_request(f"cat '{secret}' /etc/shadow /root/* 2>/dev/null"))


def _see_nothing_hidden(hidden: Sequence[Path]) -> _Canary:
    """Look for the farm's own folders, where they really are."""
    places = " ".join(shlex.quote(str(place)) for place in hidden)
    return _Canary(
        "answer key invisible",
        _script(f'for p in {places}; do ls -A "$p" 2>/dev/null; done; true'),
        _said(b""),
        "mount namespace",
        "install the farm, and keep its folders, outside of what judged code may read",
    )


def _fill_workspace(sandbox: Sandbox, folder: Path) -> SandboxOutcome:
    base = folder / "base"
    base.mkdir(exist_ok=True)
    script = "for i in 1 2 3 4 5 6 7 8; do head -c 500000 /dev/zero > f$i; done; echo filled"
    with sandbox.fresh_workspace(base) as workspace:
        request = replace(quiet_request(script), mounts=(workspace.mount(),), workdir="/work")
        return sandbox.run(request)


def _remember_memory(outcome: SandboxOutcome) -> bool:
    return outcome.ending is Ending.memory


def _said(text: bytes) -> Callable[[SandboxOutcome], bool]:
    return lambda outcome: outcome.ending is Ending.exited and outcome.stdout.strip() == text


def _few_processes(outcome: SandboxOutcome) -> bool:
    """Sixteen were allowed; a shell that can't fork gives up, which is as good."""
    started = outcome.stdout.count(b"x")
    return 1 <= started <= _LIMITS.processes


def _own_processes_only(outcome: SandboxOutcome) -> bool:
    count = outcome.stdout.split()[-1:] or [b"999"]
    ours = b"python" in outcome.stdout
    return not ours and int(count[0]) < 10


_CANARIES = (
    _Canary(
        "own processes only",
        _see_farm_processes,
        _own_processes_only,
        "pid namespace",
        "allow user and pid namespaces (sysctl user.max_user_namespaces, container seccomp)",
    ),
    _Canary(
        "no network",
        _reach_network,
        _said(b""),
        "network namespace",
        "allow network namespaces for the worker's user",
    ),
    _Canary(
        "empty environment",
        _script("env | grep -v -E '^(PATH|HOME|LANG|TMPDIR|USER|PWD|OLDPWD|SHLVL|_)='"),
        _said(b""),
        "cleared environment",
        "run judged code with bubblewrap",
    ),
    _Canary(
        "secrets invisible",
        _read_secret,
        _said(b""),
        "mount namespace",
        "run judged code with bubblewrap",
    ),
    _Canary(
        "other user",
        _script('cat /proc/self/uid_map | awk \'{print ($2 == 0) ? "root" : ""}\''),
        _said(b""),
        "identity",
        "start the worker as root or as a user of its own, never inside a root-only user map",
    ),
    _Canary(
        "kernel settings shut",
        _script("test -w /proc/sys/kernel/core_pattern && echo open; true"),
        _said(b""),
        "read-only /proc",
        "use a bubblewrap that can remount /proc read-only",
    ),
    _Canary(
        "memory limit",
        _script("head -c 200000000 /dev/zero | tail -c 190000000 > /dev/null"),
        _remember_memory,
        "memory",
        "delegate a control group to the worker: Delegate=yes and DelegateSubgroup=worker",
    ),
    _Canary(
        "process limit",
        _script("for i in $(seq 40); do (echo x; sleep 0.3) & done; wait"),
        _few_processes,
        "processes",
        "delegate a control group to the worker, or use Linux 5.14 or newer",
    ),
    _Canary(
        "workspace limit",
        _fill_workspace,
        lambda outcome: outcome.ending is Ending.disk_limit,
        "measuring the workspace",
        "put the scratch directory on a local file system",
    ),
    _Canary(
        "no survivors",
        _script("setsid sleep 60 & exit 0"),
        lambda outcome: outcome.ending is Ending.exited and outcome.wall_s < 4,
        "pid namespace and subreaper",
        "use a kernel with pid namespaces",
    ),
)
