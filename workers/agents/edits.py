"""Edits of files, carried out inside the sandbox: nothing outside follows a link of an agent's."""

from dataclasses import dataclass

from pydantic import JsonValue

from workers.agents.agent_shell import AgentShell
from workers.agents.line_hunks import Hunk, HunkMisfit, exchange_lines
from workers.sandbox.outcome import Ending, SandboxOutcome

WRITE = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"'


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to be done to the file `path`: hold `content`, or have `hunks` exchanged."""

    path: str
    content: str | None = None
    hunks: tuple[Hunk, ...] = ()

    def as_data(self) -> dict[str, JsonValue]:
        """As a step of a transcript tells it."""
        if self.content is not None:
            return {"path": self.path, "edit": "write", "content": self.content}
        hunks: list[JsonValue] = [list(hunk) for hunk in self.hunks]
        return {"path": self.path, "edit": "replace", "hunks": hunks}


def edit_of(data: dict[str, JsonValue]) -> Edit | None:
    """The edit of a transcript's step; None where `data` tells of none."""
    match data:
        case {"path": str(path), "edit": "write", "content": str(content)}:
            return Edit(path, content)
        case {"path": str(path), "edit": "replace", "hunks": list(found)}:
            hunks = tuple(_hunk(one) for one in found)
            read = tuple(one for one in hunks if one is not None)
            return Edit(path, hunks=read) if len(read) == len(found) else None
        case _:
            return None


def _hunk(value: JsonValue) -> Hunk | None:
    match value:
        case [str(old), str(new)]:
            return old, new
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit: why it was not done, empty where it was; how the sandbox ended."""

    refusal: str
    outcome: SandboxOutcome


def carry_out(shell: AgentShell, edit: Edit, most_s: float | None = None) -> Edited:
    """Do it, and note it as a step. Raises as the shell does."""
    edited = _do(shell, edit, most_s)
    data = edit.as_data()
    shell.note(
        "edit",
        edit.path,
        output=edited.refusal.encode(),
        exit_code=1 if edited.refusal else 0,
        data=data,
    )
    return edited


def _do(shell: AgentShell, edit: Edit, most_s: float | None) -> Edited:
    if edit.content is not None:
        return _write(shell, edit.path, edit.content.encode("utf-8", "replace"), most_s)
    read = shell.quietly(("cat", "--", edit.path), most_s=most_s)
    if not _worked(read):
        return Edited(f"{edit.path} can't be read: {_said(read)}", read)
    try:
        text = exchange_lines(read.stdout.decode("utf-8"), edit.hunks)
    except UnicodeDecodeError:
        return Edited(f"{edit.path} holds no UTF-8 text.", read)
    if isinstance(text, HunkMisfit):
        return Edited(text.why, read)
    return _write(shell, edit.path, text.encode(), most_s)


def _write(shell: AgentShell, path: str, content: bytes, most_s: float | None) -> Edited:
    argv = ("/bin/sh", "-c", WRITE, "sh", path)
    outcome = shell.quietly(argv, stdin=content, most_s=most_s)
    return Edited("" if _worked(outcome) else f"{path}: {_said(outcome)}", outcome)


def _worked(outcome: SandboxOutcome) -> bool:
    return outcome.ending is Ending.exited and outcome.exit_code == 0


def _said(outcome: SandboxOutcome) -> str:
    printed = outcome.stderr.decode("utf-8", "replace").strip()
    return printed or f"it ended by {outcome.ending.value}"
