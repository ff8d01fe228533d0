"""Actions as native calls of tools. Pure."""

from collections.abc import Mapping
from typing import cast

from workers.agents.chat.actions import (
    Action,
    DoneAction,
    EditAction,
    Malformed,
    ShellAction,
    WriteAction,
    path_fault,
)
from workers.agents.chat.json_reading import read_json
from workers.agents.chat.replies import CalledTool

LINES = "whole lines, exactly as they stand in the file"
TOOLS: dict[str, tuple[str, dict[str, str]]] = {
    "shell": (
        "Run commands with /bin/sh in the working folder.",
        {"command": "the commands"},
    ),
    "write_file": (
        "Let a file hold this content and nothing else; it is made where it is missing.",
        {"path": "path inside the working folder", "content": "the whole content"},
    ),
    "edit_file": (
        "Replace lines of a file. What is searched for must stand there exactly once.",
        {
            "path": "path inside the working folder",
            "search": f"the old lines: {LINES}",
            "replace": "the new lines; empty removes the old ones",
        },
    ),
    "done": ("Say that nothing is left to do.", {}),
}
"""Every tool: what it does, and its arguments, all texts and all needed."""


def read_call(calls: tuple[CalledTool, ...]) -> Action | Malformed:
    """The one action of a reply."""
    if len(calls) != 1:
        count = f"{len(calls)} tools" if calls else "no tool"
        return Malformed(f"it calls {count}, but one reply calls one tool.")
    call = calls[0]
    if call.name not in TOOLS:
        return Malformed(f"there is no tool {call.name!r}; there are {', '.join(TOOLS)}.")
    given = _arguments(call)
    return given if isinstance(given, Malformed) else _action(call.name, given)


def _arguments(call: CalledTool) -> dict[str, str] | Malformed:
    try:
        value: object = read_json(call.arguments or "{}")
    except ValueError:
        return Malformed(f"the arguments of {call.name} are not JSON.")
    if not isinstance(value, Mapping):
        return Malformed(f"the arguments of {call.name} are not an object.")
    given = cast("Mapping[str, object]", value)
    wanted = TOOLS[call.name][1]
    wrong = [name for name in wanted if not isinstance(given.get(name), str)]
    wrong += [name for name in given if name not in wanted]
    if wrong:
        told = ", ".join(wanted) or "none"
        return Malformed(f"{call.name} takes these arguments, all texts: {told}; see {wrong[0]}.")
    return {name: str(text) for name, text in given.items()}


def _action(name: str, given: dict[str, str]) -> Action | Malformed:
    if name == "done":
        return DoneAction()
    if name == "shell":
        command = given["command"].strip()
        return ShellAction(command) if command else Malformed("the command is empty.")
    path = given["path"]
    if (fault := path_fault(path)) is not None:
        return Malformed(fault)
    if name == "write_file":
        return WriteAction(path, given["content"])
    old = given["search"].removesuffix("\n")
    if not old:
        return Malformed("search is empty: to make a file, use write_file.")
    return EditAction(path, ((old, given["replace"].removesuffix("\n")),))
