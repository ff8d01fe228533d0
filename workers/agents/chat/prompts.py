"""Every word that a language model is told by the farm. Pure."""

from collections.abc import Sequence

from models.schemas.chat_settings import ChatSettings

SHOWN = 8_000
"""Characters of a command's output that the model is shown: half from each end."""
SHOWN_FILES = 200_000
"""Characters of the starter's files that a one-shot prompt holds at most."""

LOOP = """\
You are a programmer at work in a folder on a Linux machine without a network. You are given a \
ticket. Work on it step by step until it is done. Nobody answers questions. What you leave in the \
folder is checked by tests that you don't see.
"""
TEXT_ACTIONS = """\
Every reply holds exactly one action: a fenced block that begins with one of these four lines. You \
may think aloud outside of it.

```shell
commands for /bin/sh; each reply starts a new shell in the working folder
```

```write path/of/file
the whole new content of the file
```

```edit path/of/file
<<<<<<< SEARCH
whole lines, exactly as they stand in the file, and only once
=======
the lines that are to stand there instead
>>>>>>> REPLACE
```

```done
```

Where the content holds a line of three backquotes, begin and end the block with four.
"""
TOOL_ACTIONS = """\
Every reply calls exactly one of your tools. Each call of shell starts a new shell in the working \
folder.
"""
GATED = """\
Say done only when the work is done: it is accepted only while the tests of the folder pass.
"""
UNGATED = """\
Say done when the work is done.
"""
ONE_SHOT = """\
You are a programmer. You are given a ticket and the files of a folder. Answer in one reply that \
holds every file that must be changed or added, whole, each in a fenced block like this:

```write path/of/file
the whole new content of the file
```

Where the content holds a line of three backquotes, begin and end the block with four. You may \
think aloud outside of the blocks. Nothing is run before your work is checked, by tests that you \
don't see.
"""


def system_prompt(settings: ChatSettings) -> str:
    """How the model is to work."""
    if settings.mode == "one-shot":
        return ONE_SHOT
    actions = TOOL_ACTIONS if settings.tools else TEXT_ACTIONS
    return f"{LOOP}\n{actions}\n{GATED if settings.done_gate else UNGATED}"


def first_message(
    settings: ChatSettings, ticket: str, command: str, files: Sequence[tuple[str, str | None]]
) -> str:
    """The ticket, how the tests are run, and the files of the starter: (path, text).

    The text is None for what is no text; in the mode loop only the paths are told.
    """
    told = f"# Ticket\n\n{ticket.rstrip()}\n\n# Folder\n\n"
    if settings.mode == "one-shot":
        return told + _whole_files(files)
    paths = "\n".join(path for path, _ in files)
    return f"{told}`{command}` runs its tests. It holds:\n\n{paths}\n"


def _whole_files(files: Sequence[tuple[str, str | None]]) -> str:
    parts: list[str] = []
    room = SHOWN_FILES
    for path, text in files:
        if text is None or len(text) > room:
            parts.append(f"`{path}` is {'no text' if text is None else 'too long to be shown'}.\n")
            continue
        room -= len(text)
        fence = "````" if "```" in text else "```"
        end = "" if text.endswith("\n") or not text else "\n"
        parts.append(f"{path}:\n\n{fence}\n{text}{end}{fence}\n")
    return "\n".join(parts)


def command_result(output: str, ended: str) -> str:
    """What a command printed and how it ended."""
    return f"{_shortened(output)}\n[{ended}]".lstrip("\n")


def tests_fail(output: str) -> str:
    """Done is not accepted."""
    return f"You said done, but the tests of the folder fail. Go on.\n\n{_shortened(output)}"


def nudge(why: str, settings: ChatSettings) -> str:
    """A reply held nothing that could be done."""
    if settings.mode == "one-shot":
        how = "Answer again with every file, each in a block that begins with ```write PATH."
    elif settings.tools:
        how = "Call exactly one tool."
    else:
        how = "Answer with exactly one block: ```shell, ```write PATH, ```edit PATH or ```done."
    return f"Your reply could not be used: {why} {how}"


def _shortened(text: str) -> str:
    text = text.rstrip()
    if len(text) <= SHOWN:
        return text
    half = SHOWN // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters left out ...]\n{text[-half:]}"
