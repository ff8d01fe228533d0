"""A catalogue whose tasks cost as little as a sandboxed program can: one `echo` for each check."""

import json
from pathlib import Path

LANGUAGE_ID = "plain"
LANGUAGE = """
schema = 1
id = "plain"
title = "Plain"
files = ["*"]

[toolchain]
candidates = ["/usr/bin/env"]
version = ["{tool}", "--version"]
version_pattern = 'coreutils\\) (\\d+\\.\\d+)'
minimum = "1.0"

[probe_files]
"program.txt" = "nothing to build"

[control_files]
"program.txt" = "nothing to build"

[run]
argv = ["/bin/echo", "ready"]

[test]
argv = ["/bin/true"]
"""


def write_catalog(root: Path, check_counts: tuple[int, ...]) -> tuple[Path, Path]:
    """Tasks `trivial-<n>` with n checks each; returns (tasks folder, languages folder)."""
    languages = root / "languages"
    languages.mkdir(parents=True)
    (languages / "plain.toml").write_text(LANGUAGE)
    for count in check_counts:
        _write_task(root / "tasks" / f"trivial-{count}", count)
    return root / "tasks", languages


def _write_task(folder: Path, count: int) -> None:
    starter = folder / "public" / "plain"
    reference = folder / "sealed" / "plain" / "reference"
    for tree in (starter, reference):
        tree.mkdir(parents=True)
    for number in range(10):
        (starter / f"file-{number}.txt").write_text(f"file {number}\n" * 40)
    (reference / "file-0.txt").write_text("done\n")
    (folder / "public" / "ticket.md").write_text("Do nothing.\n")
    checks = [_check(number) for number in range(1, count + 1)]
    (folder / "public" / "visible_checks.json").write_text(json.dumps(checks[:1]))
    (folder / "sealed" / "hidden_checks.json").write_text(json.dumps(checks[1:]))
    (folder / "task.toml").write_text(_manifest(folder.name, count))


def _check(number: int) -> dict[str, object]:
    return {
        "id": f"echo-{number}",
        "title": "It prints one word",
        "transport": "process",
        "input": {"argv": [], "stdin": "", "files": {}},
        "expect": {"exit": 0, "stdout": "ready\n"},
        "compare": {"kind": "text"},
    }


def _manifest(task: str, count: int) -> str:
    lines = [
        "schema = 1",
        'kind = "ticket"',
        f'id = "{task}"',
        'title = "Nothing to do"',
        "version = 1",
        'languages = ["plain"]',
        "[limits]",
        "agent_wall_s = 60",
    ]
    for number in range(1, count + 1):
        visibility = "visible" if number == 1 else "hidden"
        lines += [
            "[[checks]]",
            f'id = "echo-{number}"',
            f'visibility = "{visibility}"',
            'title = "It prints one word"',
        ]
    lines += ["[starter]", 'fails = ["echo-1"]']
    return "\n".join(lines) + "\n"
