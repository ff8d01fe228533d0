"""Writes a developer test command that shows a program the examples of its task. Pure."""

import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from models.schemas.language import BuildStep, Invocation, LanguageDefinition, Tool

EXAMPLES = "tests/examples"
PLACES = {"work": ".", "build": '"$out"', "cache": '"$out/cache"'}
OF_SANDBOXES = frozenset({"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"})
"""What a definition sets because a sandbox has nothing of it; a developer's machine has its own."""


def example_files(examples: Iterable[tuple[str, str, str]]) -> dict[str, bytes]:
    """The files of examples (name, standard input, expected output)."""
    files: dict[str, bytes] = {}
    for name, given, expected in examples:
        files[f"{EXAMPLES}/{name}.in"] = given.encode()
        files[f"{EXAMPLES}/{name}.out"] = expected.encode()
    return files


def example_runner(definition: LanguageDefinition) -> str:
    """A shell script that builds the program and holds its answers against every example.

    Tools are looked for on the path, under the last name that the definition has for them.
    """
    build = definition.build
    steps = [] if build is None else [_command(build, definition)]
    return "\n".join(
        [
            "#!/bin/sh",
            "set -eu",
            "out=$(mktemp -d)",
            "trap 'rm -rf \"$out\"' EXIT",
            *steps,
            f"for given in {EXAMPLES}/*.in; do",
            f'    {_command(definition.run, definition)} < "$given" > "$out/answer"',
            '    cmp "$out/answer" "${given%.in}.out"',
            "done",
            "",
        ]
    )


def _command(step: BuildStep | Invocation, definition: LanguageDefinition) -> str:
    tools: Mapping[str, Tool] = {"tool": definition.toolchain, **definition.toolchain.companions}
    names = {name: PurePosixPath(tool.candidates[-1]).name for name, tool in tools.items()}
    variables = [f"{name}={text}" for name, text in step.env.items() if name not in OF_SANDBOXES]
    words = ["env", *variables, *step.argv] if variables else step.argv
    return " ".join(_word(word, names) for word in words)


def _word(word: str, names: Mapping[str, str]) -> str:
    """A word of a command line for a shell; folders that only the shell knows stay unquoted."""
    pieces = re.split(r"(\{\w+\})", word)
    filled = [
        {**PLACES, **names}.get(piece[1:-1], piece) if piece.startswith("{") else _quoted(piece)
        for piece in pieces
    ]
    return "".join(filled)


def _quoted(piece: str) -> str:
    return shlex.quote(piece) if piece else ""
