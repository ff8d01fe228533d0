"""Actions as fenced blocks in the text of a reply. Pure.

A block begins with a line of three or more backquotes, directly followed by one of the words
`shell`, `write PATH`, `edit PATH` and `done`, and ends with a line of as many backquotes and
nothing else. What lies between is taken as it stands; where it holds a line of three backquotes,
more of them are needed outside. Everything else in a reply, other blocks included, is only talk.

    ```shell                 commands for /bin/sh
    ```write PATH            the whole new content of a file
    ```edit PATH             one or more times:  <<<<<<< SEARCH
                                                 lines that stand in the file exactly once
                                                 =======
                                                 lines that are to stand there instead
                                                 >>>>>>> REPLACE
    ```done                  nothing more to do
"""

import re
from dataclasses import dataclass

from models.doubles import doubles
from workers.agents.chat.actions import (
    Action,
    DoneAction,
    EditAction,
    Malformed,
    ShellAction,
    WriteAction,
    path_fault,
)
from workers.agents.line_hunks import Hunk

OPENING = re.compile(r"^(`{3,})([^`]*)$")
WORDS = ("shell", "write", "edit", "done")
SEARCH, BETWEEN, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
NO_ACTION = "there is no action in it."
FILES_ONLY = "only write blocks count here."


@dataclass(frozen=True, slots=True)
class _Block:
    word: str
    rest: str
    lines: tuple[str, ...]
    closed: bool


def read_action(text: str) -> Action | Malformed:
    """The one action of a reply."""
    found = read_actions(text)
    if isinstance(found, Malformed):
        return found
    first, *others = found
    if others:
        return Malformed(f"there are {len(found)} actions in it, but one reply holds one action.")
    return first


def read_files(text: str) -> tuple[WriteAction, ...] | Malformed:
    """All files of a reply that holds the whole answer."""
    found = read_actions(text)
    if isinstance(found, Malformed):
        return found
    files = tuple(one for one in found if isinstance(one, WriteAction))
    if len(files) < len([one for one in found if not isinstance(one, DoneAction)]):
        return Malformed(FILES_ONLY)
    doubled = sorted(doubles(one.path for one in files))
    if doubled:
        return Malformed(f"{', '.join(doubled)} is written twice.")
    return files if files else Malformed("there is no file in it.")


def read_actions(text: str) -> tuple[Action, ...] | Malformed:
    """Every action of a reply, in order; at least one."""
    actions: list[Action] = []
    for block in _blocks(text.split("\n")):
        read = _action(block)
        if isinstance(read, Malformed):
            return read
        actions.append(read)
    return tuple(actions) if actions else Malformed(NO_ACTION)


def _blocks(lines: list[str]) -> list[_Block]:
    """The blocks that begin with one of WORDS; others are passed over with all that they hold."""
    found: list[_Block] = []
    at = 0
    while at < len(lines):
        opened = OPENING.match(lines[at].rstrip())
        at += 1
        if opened is None:
            continue
        fence, (word, _, rest) = opened.group(1), opened.group(2).partition(" ")
        ends = (n for n in range(at, len(lines)) if _closes(lines[n], fence))
        end = next(ends, None)
        if word in WORDS:
            inner = tuple(lines[at : len(lines) if end is None else end])
            found.append(_Block(word, rest.strip(), inner, end is not None))
        at = len(lines) if end is None else end + 1
    return found


def _closes(line: str, fence: str) -> bool:
    bare = line.rstrip()
    return len(bare) >= len(fence) and not bare.strip("`")


def _action(block: _Block) -> Action | Malformed:
    if not block.closed:
        return Malformed(f"its {block.word} block is not closed by a line of as many backquotes.")
    if block.word == "done":
        return DoneAction()
    if block.word == "shell":
        command = "\n".join(block.lines).strip()
        return ShellAction(command) if command else Malformed("its shell block is empty.")
    if (fault := path_fault(block.rest)) is not None:
        return Malformed(f"its {block.word} block names no file: {fault}")
    if block.word == "write":
        return WriteAction(block.rest, "".join(f"{line}\n" for line in block.lines))
    hunks = _hunks(block.lines)
    return hunks if isinstance(hunks, Malformed) else EditAction(block.rest, hunks)


def _hunks(lines: tuple[str, ...]) -> tuple[Hunk, ...] | Malformed:
    hunks: list[Hunk] = []
    rest = [*lines]
    while any(line.strip() for line in rest):
        if rest[0].strip() == "":
            rest = rest[1:]
            continue
        parts = _one_hunk(rest)
        if parts is None:
            return Malformed(
                f"its edit block is not made of {SEARCH}, lines, {BETWEEN}, lines, {REPLACE}."
            )
        old, new, rest = parts
        if not "".join(old):
            return Malformed("its edit block looks for no line.")
        hunks.append(("\n".join(old), "\n".join(new)))
    return tuple(hunks) if hunks else Malformed("its edit block is empty.")


def _one_hunk(lines: list[str]) -> tuple[list[str], list[str], list[str]] | None:
    """What is looked for, what replaces it, and the lines after; None where it is not so made."""
    if lines[0].rstrip() != SEARCH:
        return None
    marks = [line.rstrip() for line in lines]
    if BETWEEN not in marks:
        return None
    middle = marks.index(BETWEEN)
    if REPLACE not in marks[middle:]:
        return None
    end = marks.index(REPLACE, middle)
    return lines[1:middle], lines[middle + 1 : end], lines[end + 1 :]
