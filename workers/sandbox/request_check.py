"""Refusal of requests that no sandbox could run as meant."""

from __future__ import annotations

from itertools import permutations
from pathlib import PurePosixPath

from workers.sandbox.request import SandboxRequest


def check_request(request: SandboxRequest) -> None:
    """Raise ValueError, naming the field, for a request that makes no sense.

    A mount below a writable one is refused: judged code could put a link where it would go.
    """
    if not request.argv or not request.argv[0]:
        raise ValueError("argv: names no program; give at least one non-empty word")
    words = [*request.argv, *request.env.keys(), *request.env.values(), request.workdir]
    if any("\0" in word for word in words):
        raise ValueError("argv, env, workdir: a word holds a NUL character; take it out")
    if any(not key or "=" in key for key in request.env):
        raise ValueError("env: a name is empty or holds '='; rename it")
    for target in (request.workdir, *(mount.target for mount in request.mounts)):
        if not target.startswith("/") or ".." in PurePosixPath(target).parts:
            raise ValueError(f"mounts, workdir: {target!r} is not a plain absolute path")
    _check_nesting(request)


def _check_nesting(request: SandboxRequest) -> None:
    for outer, inner in permutations(request.mounts, 2):
        inside = PurePosixPath(inner.target).is_relative_to(outer.target)
        if inside and (outer.mode != "ro" or inner.target == outer.target):
            raise ValueError(
                f"mounts: {inner.target} lies in {outer.target}, which is writable or the same; "
                "mount it elsewhere or put its files into the workspace"
            )
