"""The command line of one sandbox."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workers.sandbox.hidden_places import masks
from workers.sandbox.request import Limits, Mount, SandboxRequest
from workers.sandbox.root_skeleton import (
    DEVICES,
    HOME,
    MEMORY_PLACES,
    USER_ID,
    RootSkeleton,
    prepare_root,
)

STATUS_DESCRIPTOR = 3
FILTER_DESCRIPTOR = 4
GATE_DESCRIPTOR = 5
OPTIONS_DESCRIPTOR = 6

DEFAULT_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",
    "USER": "box",
}

_SHARED_MEMORY_BYTES = 64 * 2**20
_MOST_CACHED_VIEWS = 64

# --disable-userns would cost a second user namespace; the filter refuses new ones already.
# No --dev: its terminal devices cost as much as all the rest, and judged code has no terminal.
_ISOLATION = (
    "--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup "
    f"--uid {USER_ID} --gid {USER_ID} --hostname box --die-with-parent --new-session "
    "--cap-drop ALL --clearenv "
    f"--json-status-fd {STATUS_DESCRIPTOR} --seccomp {FILTER_DESCRIPTOR} "
    f"--block-fd {GATE_DESCRIPTOR}"
).split()


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The argument vector, and the options that it tells bubblewrap to read from a descriptor.

    Judged code can read the vector of its first process; host paths must not be in there.
    """

    argv: list[bytes]
    options: bytes


@dataclass(frozen=True, slots=True)
class OverlayScratch:
    """Where the thrown-away changes of one overlay mount go; None means memory."""

    upper: Path
    work: Path


class BwrapArguments:
    """Builds command lines and keeps the parts that come back at every launch."""

    def __init__(self, scratch: Path, hidden: Sequence[Path] = ()) -> None:
        """`hidden` are real folders, none in another, that no sandbox may show."""
        self._scratch = scratch
        self._hidden = hidden
        self._roots: dict[tuple[tuple[str, bool], ...], RootSkeleton] = {}
        self._views: dict[tuple[tuple[Mount, ...], Limits, tuple[Path, ...]], list[str]] = {}

    def build(
        self, request: SandboxRequest, scratches: Sequence[OverlayScratch] = ()
    ) -> CommandLine:
        """The command line; `scratches` belong to the overlay mounts in their order.

        Raises OSError if the root can't be prepared.
        """
        view = self._view(request, scratches)
        environment = DEFAULT_ENVIRONMENT | dict(request.env)
        words = [word for pair in environment.items() for word in ("--setenv", *pair)]
        options = os.fsencode("\0".join([*view, "--chdir", request.workdir, *words, ""]))
        argv = ["bwrap", "--args", str(OPTIONS_DESCRIPTOR), "--", *request.argv]
        return CommandLine([os.fsencode(word) for word in argv], options)

    def _view(self, request: SandboxRequest, scratches: Sequence[OverlayScratch]) -> list[str]:
        # Folders of the farm may be made while it is at work.
        hidden = tuple(place for place in self._hidden if place.is_dir())
        if scratches:
            return self._build_view(request, scratches, hidden)
        key = (request.mounts, request.limits, hidden)
        view = self._views.get(key)
        if view is None:
            if len(self._views) >= _MOST_CACHED_VIEWS:
                self._views.clear()
            view = self._views[key] = self._build_view(request, (), hidden)
        return view

    def _build_view(
        self,
        request: SandboxRequest,
        scratches: Sequence[OverlayScratch],
        hidden: Sequence[Path],
    ) -> list[str]:
        mounts = [mount for mount in request.mounts if not _already_visible(mount)]
        points = tuple((mount.target, mount.source.is_dir()) for mount in mounts)
        root = self._roots.get(points)
        if root is None:
            outside_usr = [point for point in points if not point[0].startswith("/usr/")]
            root = self._roots[points] = prepare_root(self._scratch, outside_usr)
        return [
            *_ISOLATION,
            *_system(root, hidden),
            *_memory_mounts(request.limits),
            *_requested(mounts, scratches, hidden),
        ]


def _already_visible(mount: Mount) -> bool:
    """Whether the mount shows a part of /usr at its own place, which is there anyway."""
    target = mount.target
    return mount.mode == "ro" and target.startswith("/usr/") and str(mount.source) == target


def _system(root: RootSkeleton, hidden: Sequence[Path]) -> list[str]:
    words = ["--ro-bind", str(root.directory), "/"]
    for path in root.system_binds:
        words += ["--ro-bind", path, path, *masks(hidden, Path(path), path)]
    # Sysctl files look at the global user id and not at capabilities; read-only they are shut.
    words += ["--proc", "/proc", "--remount-ro", "/proc"]
    if root.has_devices:
        # Writable as a mount, but the directory belongs to root, whom the sandbox does not map.
        words += ["--dev-bind", f"{root.directory}/dev", "/dev"]
    else:
        for name in DEVICES:
            words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    return words


def _memory_mounts(limits: Limits) -> list[str]:
    room = max(4096, min(limits.disk_bytes, limits.memory_bytes))
    words: list[str] = []
    for place in MEMORY_PLACES:
        size = min(room, _SHARED_MEMORY_BYTES) if place == "/dev/shm" else room
        mode = "0700" if place == HOME else "1777"
        words += ["--size", str(size), "--perms", mode, "--tmpfs", place]
    return words


def _requested(
    mounts: Iterable[Mount], scratches: Sequence[OverlayScratch], hidden: Sequence[Path]
) -> list[str]:
    words: list[str] = []
    places = iter(scratches)
    for mount in mounts:
        source = str(mount.source)
        if mount.mode == "overlay":
            words += ["--overlay-src", source, *_overlay(next(places, None)), mount.target]
        else:
            flag = "--ro-bind" if mount.mode == "ro" else "--bind"
            words += [flag, source, mount.target]
        words += masks(hidden, mount.source, mount.target)
    return words


def _overlay(scratch: OverlayScratch | None) -> list[str]:
    if scratch is None:
        return ["--tmp-overlay"]
    return ["--overlay", str(scratch.upper), str(scratch.work)]
