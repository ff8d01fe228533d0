"""Finds a language's tool on this machine, as the real program that a sandbox can run too."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.language import Toolchain

VERSION_TIMEOUT_S = 30
MISSING = "toolchain_missing"
MISMATCH = "toolchain_mismatch"


@dataclass(frozen=True, slots=True)
class ToolStamp:
    """What tells a tool from one that was put in its place: an upgrade changes some of it."""

    device: int
    inode: int
    size: int
    changed_ns: int


def stamp_of(tool: Path) -> ToolStamp | None:
    """The stamp of the file that stands at `tool` now, None where there is none."""
    try:
        status = tool.stat()
    except OSError:
        return None
    return ToolStamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class LocatedTool:
    """A tool by its real path (no link, no shim), with the version that it reported.

    `stamp` was taken before it was asked: a tool with the same stamp is of that version.
    """

    path: Path
    version: str
    stamp: ToolStamp | None

    @property
    def prefix(self) -> Path:
        """The root of its installation: the folder above the one that holds the tool."""
        return self.path.parent.parent


def locate_tool(language: str, toolchain: Toolchain, search_path: str) -> LocatedTool:
    """The first candidate that answers with at least the minimum version.

    Raises Infrastructure (toolchain_missing) that says what became of every candidate.
    """
    tried: list[str] = []
    for candidate in toolchain.candidates:
        path = _resolve(candidate, search_path)
        problem = f"{candidate}: not found" if path is None else _unfit(path)
        if path is None or problem:
            tried.append(problem)
            continue
        stamp = stamp_of(path)
        version = _read_version(path, toolchain)
        if version and _numbers(version) >= _numbers(toolchain.minimum):
            return LocatedTool(path, version, stamp)
        tried.append(f"{path}: {version or 'no version'}, wanted {toolchain.minimum}")
    raise Infrastructure(MISSING, f"{language}: {'; '.join(tried)}.", remedy=toolchain.remedy)


def _resolve(candidate: str, search_path: str) -> Path | None:
    found = shutil.which(candidate, path=search_path)
    return Path(found).resolve() if found else None


def _unfit(path: Path) -> str:
    """A script that finds the tool by the caller's environment finds nothing in a sandbox."""
    with path.open("rb") as file:
        return f"{path}: a shim, not the tool itself" if file.read(2) == b"#!" else ""


def _read_version(tool: Path, toolchain: Toolchain) -> str:
    argv = [word.replace("{tool}", str(tool)) for word in toolchain.version]
    try:
        answer = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_S,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(toolchain.version_pattern, answer.stdout + answer.stderr)
    return found.group(1) if found else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
