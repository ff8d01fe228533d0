"""One task in a language of shell scripts: what a system leaves behind decides how a check ends."""

import json
from pathlib import Path

LANGUAGE = """
schema = 1
id = "shell"
title = "Shell"
files = ["*.sh"]

[toolchain]
candidates = ["/usr/bin/env"]
version = ["{tool}", "--version"]
version_pattern = 'coreutils\\) (\\d+\\.\\d+)'
minimum = "1.0"

[probe_files]
"main.sh" = "echo ready"

[control_files]
"main.sh" = "exit 0"

[run]
argv = ["/bin/sh", "{work}/main.sh"]
env = { PATH = "/usr/bin:/bin" }

[test]
argv = ["/bin/true"]
env = { PATH = "/usr/bin:/bin" }
"""
TASK, LANGUAGE_ID, CHECK = "say-ready", "shell", "says-ready"
CHECK_WALL_S = 3
"""Shorter than a worker may stand still without losing its lease."""
MANIFEST = f"""
schema = 1
kind = "ticket"
id = "{TASK}"
title = "Say that you are ready"
version = 1
languages = ["{LANGUAGE_ID}"]

[limits]
agent_wall_s = 60
check_wall_s = {CHECK_WALL_S}
memory_mb = 64

[[checks]]
id = "{CHECK}"
visibility = "visible"
title = "It says ready"

[starter]
fails = ["{CHECK}"]
"""


def write_catalog(root: Path) -> tuple[Path, Path]:
    """The catalogue below `root`; returns (tasks folder, languages folder)."""
    languages, task = root / "languages", root / "tasks" / TASK
    starter, reference = task / "public" / "shell", task / "sealed" / "shell" / "reference"
    for folder in (languages, starter, reference):
        folder.mkdir(parents=True)
    (languages / "shell.toml").write_text(LANGUAGE)
    (task / "task.toml").write_text(MANIFEST)
    (task / "public" / "ticket.md").write_text("Let main.sh say that it is ready.\n")
    (task / "public" / "visible_checks.json").write_text(json.dumps([_check()]))
    (task / "sealed" / "hidden_checks.json").write_text("[]")
    (starter / "main.sh").write_text("exit 3\n")
    (reference / "main.sh").write_text("echo ready\n")
    return task.parent, languages


def _check() -> dict[str, object]:
    return {
        "id": CHECK,
        "title": "It says ready",
        "transport": "process",
        "input": {"argv": [], "stdin": "", "files": {}},
        "expect": {"exit": 0, "stdout": "ready\n"},
        "compare": {"kind": "text"},
    }
