"""What a language model can do in one reply, and what it did wrong instead. Pure."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from workers.agents.line_hunks import Hunk

MOST_COMMAND_BYTES = 100_000
"""Linux takes no argument of 128 KiB."""


@dataclass(frozen=True, slots=True)
class ShellAction:
    """Give `command` to `/bin/sh -c` in the workspace."""

    command: str


@dataclass(frozen=True, slots=True)
class WriteAction:
    """Let the file `path` hold `content` and nothing else."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class EditAction:
    """Exchange lines of the file `path`, one hunk after the other."""

    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class DoneAction:
    """The model says that it has finished."""


Action = ShellAction | WriteAction | EditAction | DoneAction


@dataclass(frozen=True, slots=True)
class Malformed:
    """Why no action can be read from a reply: a sentence for the model."""

    why: str


def command_fault(command: str) -> str | None:
    """Why no shell can be given `command`; None where one can."""
    if "\0" in command:
        return "the command holds a NUL character, which no command can."
    if len(command.encode("utf-8", "replace")) > MOST_COMMAND_BYTES:
        return "the command is too long: write what it holds into a file first."
    return None


def path_fault(path: str) -> str | None:
    """Why `path` names no file of the workspace; None where it may."""
    pure = PurePosixPath(path)
    if not path or path.endswith("/") or "\0" in path or "\n" in path:
        return f"{path!r} is not the path of a file."
    if pure.is_absolute() or ".." in pure.parts:
        return f"{path!r} must be a path inside the working folder, such as src/main.py."
    return None
