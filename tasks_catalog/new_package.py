"""Writes a new task package: it validates, and its gate is red until there is a solution.

The starter of every language is the probe program of its definition, which prints `ready`. The
one hidden check asks for more; the reference, beside which a fault is planted, does not do it yet.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from models.errors import Refused
from models.schemas.language import LanguageDefinition
from tasks_catalog.loading import (
    HIDDEN_FILE,
    MANIFEST_FILE,
    TICKET_FILE,
    VISIBLE_FILE,
    fault_patch,
    reference_folder,
    starter_folder,
)

SHOWN, ASKED, FAULT = "shown-example", "asked-behaviour", "example-fault"
NOTES = "SOLUTION.md"
UNSOLVED = "Not solved yet: let this folder hold the files that solve the ticket.\n"
SPOILED = "Spoiled: let this patch plant one fault in the solution.\n"

MANIFEST = f"""\
schema = 1
kind = "ticket"
id = "{{id}}"
title = "What is to be repaired or built, in one line"
version = 1
tags = []
languages = [{{languages}}]
# Put back before grading: a file, or a folder with its slash.
protected = ["run_tests.sh"]

[limits]
agent_wall_s = 900
build_wall_s = 120
check_wall_s = 10
memory_mb = 512

# Every check of the plan, in the order in which reports list them. Each has its record, with the
# same title, in public/visible_checks.json or sealed/hidden_checks.json.
[[checks]]
id = "{SHOWN}"
visibility = "visible"
title = "An example that the ticket shows"

[[checks]]
id = "{ASKED}"
visibility = "hidden"
title = "Something that the ticket says and no example shows"

# The hidden checks that the untouched starter fails, the same in every language.
[starter]
fails = ["{ASKED}"]

# Each planted fault is one patch per language on the reference, and fails exactly these checks.
[[faults]]
id = "{FAULT}"
kind = "missing_guard"
title = "What the fault does wrong"
required = ["{ASKED}"]
"""

TICKET = """\
# A title

## What this program is for

It prints `ready`.

## What is wrong

Say what has been reported.

## Rules

Say everything that a check asks, in the same words for every language.
"""

README = "# A small project\n\nSay what the files are for.\n"

RUN_TESTS = """\
#!/bin/sh
# The developer test command: let it run what the ticket's examples show.
set -eu
cd "$(dirname "$0")"
"""


def write_new_package(
    folder: Path, task: str, definitions: Iterable[LanguageDefinition]
) -> tuple[Path, ...]:
    """Write the package of `task` into `folder`/`task`, whole or not at all.

    Returns the paths of its files relative to `folder`, sorted. Raises Refused where something is
    there already or nothing can be written.
    """
    package = folder / task
    if package.exists():
        raise Refused(f"{package} is there already.", remedy="Choose another name or folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as draft:
            whole = Path(draft) / task
            for path, text in _files(whole, task, list(definitions)):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            shutil.move(whole, package)
    except OSError as error:
        raise Refused(
            f"{package} can't be written: {error.strerror}.",
            remedy="Name a folder that you can write, with --into.",
        ) from error
    return tuple(sorted(p.relative_to(folder) for p in package.rglob("*") if p.is_file()))


def _files(
    package: Path, task: str, definitions: list[LanguageDefinition]
) -> Iterator[tuple[Path, str]]:
    names = ", ".join(f'"{definition.id}"' for definition in definitions)
    yield package / MANIFEST_FILE, MANIFEST.format(id=task, languages=names)
    yield package / TICKET_FILE, TICKET
    shown = _check(SHOWN, "An example that the ticket shows", "", "ready\n")
    title = "Something that the ticket says and no example shows"
    asked = _check(ASKED, title, "what the program is given\n", "what it has to answer\n")
    yield package / VISIBLE_FILE, _as_json([shown])
    yield package / HIDDEN_FILE, _as_json([asked])
    for definition in definitions:
        yield from _variant_files(package, definition)


def _variant_files(package: Path, definition: LanguageDefinition) -> Iterator[tuple[Path, str]]:
    starter = starter_folder(package, definition.id)
    yield starter / "README.md", README
    yield starter / "run_tests.sh", RUN_TESTS
    for name, text in definition.probe_files.items():
        yield starter / name, text
    yield reference_folder(package, definition.id) / NOTES, UNSOLVED
    patch = f"--- a/{NOTES}\n+++ b/{NOTES}\n@@ -1 +1 @@\n-{UNSOLVED}+{SPOILED}"
    yield fault_patch(package, definition.id, FAULT), patch


def _check(check: str, title: str, stdin: str, stdout: str) -> dict[str, object]:
    return {
        "id": check,
        "title": title,
        "transport": "process",
        "input": {"argv": [], "stdin": stdin, "files": {}},
        "expect": {"exit": 0, "stdout": stdout},
        "compare": {"kind": "text"},
    }


def _as_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
