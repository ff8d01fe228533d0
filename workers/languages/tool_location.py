"""Finds a language's tool on this machine, as the real program that a sandbox can run too."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.language import Tool, Toolchain

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


@dataclass(frozen=True, slots=True)
class LocatedToolchain:
    """The tool of a language, and its companions by name."""

    tool: LocatedTool
    companions: Mapping[str, LocatedTool]

    @property
    def versions(self) -> str:
        """The version of the tool, then name and version of each companion."""
        named = [f"{name} {tool.version}" for name, tool in sorted(self.companions.items())]
        return " ".join([self.tool.version, *named])


def locate_toolchain(language: str, toolchain: Toolchain, search_path: str) -> LocatedToolchain:
    """The first fit candidate for the tool and for each of its companions.

    Raises Infrastructure (toolchain_missing) that says what became of every candidate.
    """
    tool = _locate(language, toolchain, search_path, toolchain.remedy)
    companions: dict[str, LocatedTool] = {}
    for name, wanted in toolchain.companions.items():
        near = (text.replace("{prefix}", str(tool.prefix)) for text in wanted.candidates)
        placed = wanted.model_copy(update={"candidates": tuple(near)})
        companions[name] = _locate(f"{language} ({name})", placed, search_path, toolchain.remedy)
    return LocatedToolchain(tool, companions)


def _locate(owner: str, wanted: Tool, search_path: str, remedy: str) -> LocatedTool:
    """The first candidate that answers with at least the minimum version."""
    tried: list[str] = []
    for candidate in wanted.candidates:
        path = _resolve(candidate, wanted, search_path)
        problem = f"{candidate}: not found" if path is None else _unfit(path)
        if path is None or problem:
            tried.append(problem)
            continue
        stamp = stamp_of(path)
        version = _read_version(path, wanted)
        if version and _numbers(version) >= _numbers(wanted.minimum):
            return LocatedTool(path, version, stamp)
        tried.append(f"{path}: {version or 'no version'}, wanted {wanted.minimum}")
    raise Infrastructure(MISSING, f"{owner}: {'; '.join(tried)}.", remedy=remedy)


def _resolve(candidate: str, wanted: Tool, search_path: str) -> Path | None:
    found = shutil.which(candidate, path=search_path)
    if found is None or not wanted.locate:
        return Path(found).resolve() if found else None
    places = {"tool": found, "prefix": str(Path(found).resolve().parent.parent)}
    # Without HOME: launchers find what this user has installed, whatever the caller set.
    said = _ask(wanted.locate, places, {"PATH": search_path}).stdout.strip()
    path = Path(said)
    return path.resolve() if said and path.is_absolute() and path.is_file() else None


def _unfit(path: Path) -> str:
    """A script that finds the tool by the caller's environment finds nothing in a sandbox."""
    with path.open("rb") as file:
        return f"{path}: a shim, not the tool itself" if file.read(2) == b"#!" else ""


def _read_version(tool: Path, wanted: Tool) -> str:
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    answer = _ask(wanted.version, {"tool": str(tool)}, environment)
    found = re.search(wanted.version_pattern, answer.stdout + answer.stderr)
    return found.group(1) if found else ""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a program printed; nothing where it could not be asked."""

    stdout: str = ""
    stderr: str = ""


def _ask(command: tuple[str, ...], places: dict[str, str], env: dict[str, str]) -> _Answer:
    argv = list(command)
    for name, value in places.items():
        argv = [word.replace("{" + name + "}", value) for word in argv]
    try:
        answer = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_S,
            cwd="/",
            env={"LC_ALL": "C.UTF-8", **env},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return _Answer()
    return _Answer(answer.stdout, answer.stderr)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))
