"""A language made ready on this machine: how its programs are built, run and tested."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.errors import Infrastructure
from models.schemas.language import BuildStep, Invocation, LanguageDefinition
from workers.languages.tool_location import MISMATCH, MISSING, ToolStamp, stamp_of
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

    `identity` names language, version and extras: results of two identities never share a gate.
    It holds as long as the tool has `stamp`; None where no tool was looked at.
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

    @property
    def is_warm(self) -> bool:
        """Whether all is there that is made once. It appears whole, and stays."""
        made = self.extras if self.cache is None else (*self.extras, self.cache)
        return all(folder.is_dir() for folder in made)

    def refuse_other_tool(self) -> None:
        """One look at the tool, cheap enough for every run.

        Raises Infrastructure: toolchain_missing where it is gone, toolchain_mismatch where
        another one took its place, whose version nobody has asked for.
        """
        found = stamp_of(self.tool)
        if found is None or found != self.stamp:
            category, what = (MISSING, "is gone") if found is None else (MISMATCH, "was exchanged")
            raise Infrastructure(
                category,
                f"{self.identity}: {self.tool} {what} since the worker proved it.",
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
        """`text` with {tool}, {prefix} and the folders of PLACES filled."""
        places = {"tool": str(self.tool), "prefix": str(self.prefix)}
        for name, value in (places | PLACES).items():
            text = text.replace("{" + name + "}", value)
        return text


def toolchain_mounts(folders: tuple[Path, ...]) -> tuple[Mount, ...]:
    """Read-only mounts of `folders` at their own paths, where a sandbox doesn't show them yet."""
    return tuple(
        Mount(folder, str(folder), "ro")
        for folder in dict.fromkeys(folders)
        if not any(folder.is_relative_to(system) for system in SYSTEM_FOLDERS)
    )
