"""What a tool of another agent does: a command, an edit of a file, or something of its own."""

import json
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

Arguments = dict[str, JsonValue]

SHELLS = frozenset(
    {
        *("bash", "shell", "local_shell", "exec_command", "shell_command", "execute_bash"),
        *("command_execution", "run_shell_command", "terminal", "exec", "run_command"),
    }
)
COMMAND_FIELDS = ("command", "cmd", "script", "code")
PATCHES = frozenset({"apply_patch", "file_change"})
SHELL_PREFIX = 3
"""Words of `bash -lc '…'`."""


@dataclass(frozen=True)
class ToolShape:
    """The kind of step that a call becomes, its text, and what its data hold beside the call."""

    kind: Literal["command", "edit", "tool_call"]
    text: str
    data: Arguments


def shape_of(name: str, arguments: Arguments) -> ToolShape:
    """What the tool `name` does with `arguments`."""
    lower = name.lower()
    if lower in SHELLS and (line := command_line(arguments)):
        return ToolShape("command", line, {})
    path = arguments.get("file_path") or arguments.get("path")
    if lower == "write" and isinstance(path, str):
        content = arguments.get("content")
        return ToolShape("edit", path, {"path": path, "edit": "write", "content": content})
    if lower in ("edit", "multiedit") and isinstance(path, str):
        return ToolShape("edit", path, {"path": path, "edit": "substitute"})
    if lower in PATCHES:
        return ToolShape("edit", _shown(name, arguments), {"edit": "patch"})
    return ToolShape("tool_call", _shown(name, arguments), {})


def command_line(arguments: Arguments) -> str:
    """The command among a shell's arguments, without a shell around it; empty: there is none."""
    for field in COMMAND_FIELDS:
        value = arguments.get(field)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            words = [str(word) for word in value]
            is_wrapped = len(words) == SHELL_PREFIX and words[1] in ("-c", "-lc")
            return words[-1] if is_wrapped else " ".join(words)
    return ""


def _shown(name: str, arguments: Arguments) -> str:
    return f"{name} {json.dumps(arguments, ensure_ascii=False, sort_keys=True)}"
