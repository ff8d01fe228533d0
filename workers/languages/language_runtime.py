"""A language made ready on this machine: how its programs are built, run and tested."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.language import BuildStep, Invocation, LanguageDefinition
from workers.languages.tool_location import (
    MISMATCH,
    MISSING,
    LocatedTool,
    ToolStamp,
    stamp_of,
)
from workers.sandbox.request import Mount

WORK_AT = "/work"
BUILD_AT = "/build"
CACHE_AT = "/cache"
PLACES = {"work": WORK_AT, "build": BUILD_AT, "cache": CACHE_AT}
"""What the folders of a sandbox are called in definitions."""

SYSTEM_FOLDERS = (Path("/usr"), Path("/bin"), Path("/lib"), Path("/lib64"))
"""What every sandbox shows anyway."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program with its arguments and environment, all placeholders filled."""

    argv: tuple[str, ...]
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LanguageRuntime:
    """A definition bound to the tools of this machine.

    `identity` names language, versions and extras: results of two identities never share a gate.
    It holds as long as the tool has `stamp` (None where no tool was looked at) and each of the
    `companions` its own.
    `cache` is the folder of the warmed compile cache, None where the language has none. `extras`
    are folders that the farm brings along. Both are made once on a machine and may not be there
    yet: see `is_warm`.
    """

    definition: LanguageDefinition
    tool: Path
    version: str
    identity: str
    mounts: tuple[Mount, ...]
    cache: Path | None = None
    extras: tuple[Path, ...] = ()
    stamp: ToolStamp | None = None
    companions: Mapping[str, LocatedTool] = field(default_factory=dict[str, LocatedTool])

    @property
    def is_warm(self) -> bool:
        """Whether all is there that is made once. It appears whole, and stays."""
        made = self.extras if self.cache is None else (*self.extras, self.cache)
        return all(folder.is_dir() for folder in made)

    def refuse_other_tool(self) -> None:
        """One look at the tool and its companions, cheap enough for every run.

        Raises Infrastructure: toolchain_missing where one is gone, toolchain_mismatch where
        another one took its place, whose version nobody has asked for.
        """
        self._refuse_other(self.tool, self.stamp)
        for companion in self.companions.values():
            self._refuse_other(companion.path, companion.stamp)

    def _refuse_other(self, tool: Path, stamp: ToolStamp | None) -> None:
        found = stamp_of(tool)
        if found is None or found != stamp:
            category, what = (MISSING, "is gone") if found is None else (MISMATCH, "was exchanged")
            raise Infrastructure(
                category,
                f"{self.identity}: {tool} {what} since the worker proved it.",
                remedy="Restart the worker: it proves what is there then.",
            )

    @property
    def prefix(self) -> Path:
        """The root of the tool's installation."""
        return self.tool.parent.parent

    def fill(self, step: Invocation | BuildStep) -> CommandLine:
        """A step of the definition with its placeholders filled."""
        argv = tuple(self.fill_text(word) for word in step.argv)
        return CommandLine(argv, {name: self.fill_text(text) for name, text in step.env.items()})

    def fill_text(self, text: str) -> str:
        """`text` with {tool}, {prefix}, those of companions and the folders of PLACES filled."""
        places = {"tool": str(self.tool), "prefix": str(self.prefix)}
        for name, companion in self.companions.items():
            places |= {name: str(companion.path), f"{name}_prefix": str(companion.prefix)}
        for name, value in (places | PLACES).items():
            text = text.replace("{" + name + "}", value)
        return text


def matching_folders(patterns: Iterable[str]) -> tuple[Path, ...]:
    """The folders of this machine that match absolute patterns, in a fixed order."""
    root = Path("/")
    found = (sorted(root.glob(pattern.strip("/"))) for pattern in patterns)
    return tuple(folder for folders in found for folder in folders)


def toolchain_mounts(folders: tuple[Path, ...]) -> tuple[Mount, ...]:
    """Read-only mounts of `folders` at their own paths, where a sandbox doesn't show them yet."""
    return tuple(
        Mount(folder, str(folder), "ro")
        for folder in dict.fromkeys(folders)
        if not any(folder.is_relative_to(system) for system in SYSTEM_FOLDERS)
    )
