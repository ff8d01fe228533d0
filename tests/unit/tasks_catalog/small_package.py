"""A sound task package of two languages, small enough to break in every way."""

import json
from pathlib import Path
from typing import Any

MANIFEST = """\
schema = 1
kind = "ticket"
id = "adder"
title = "Adds numbers"
version = 1
languages = ["alpha", "beta"]
protected = ["run_tests.sh", "tests/"]

[limits]
agent_wall_s = 60

[[checks]]
id = "shown-sum"
visibility = "visible"
title = "Adds two small numbers"

[[checks]]
id = "hidden-sum"
visibility = "hidden"
title = "Adds two negative numbers"

[[checks]]
id = "hidden-zero"
visibility = "hidden"
title = "Adds nothing at all"

[starter]
fails = ["hidden-sum"]

[[faults]]
id = "drops-sign"
kind = "missing_guard"
title = "The sign is dropped"
required = ["hidden-sum"]
permitted = ["hidden-zero"]
"""

LANGUAGE = """\
schema = 1
id = "{id}"
title = "The language {id}"
files = ["*.txt"]

[toolchain]
candidates = ["tool"]
version = ["{{tool}}", "--version"]
version_pattern = '(\\d+)'
minimum = "1"

[probe_files]
"main.txt" = "ready"

[control_files]
"main.txt" = "control"

[run]
argv = ["{{tool}}", "/w/main.txt"]

[test]
argv = ["sh", "run_tests.sh"]
"""

PATCH = """\
--- a/main.txt
+++ b/main.txt
@@ -1,2 +1,2 @@
 first
-solved
+solved without sign
"""


def check(check_id: str, title: str, stdin: str, stdout: list[Any]) -> dict[str, Any]:
    """One check record."""
    return {
        "id": check_id,
        "title": title,
        "transport": "process",
        "input": {"stdin": stdin},
        "expect": {"exit": 0, "stdout": stdout},
        "compare": {"kind": "json-lines"},
    }


VISIBLE = [check("shown-sum", "Adds two small numbers", "1 2\n", [3])]
HIDDEN = [
    check("hidden-sum", "Adds two negative numbers", "-1000001 -2000002 -3000003\n", [-6000006]),
    check(
        "hidden-zero", "Adds nothing at all", "\n", [{"answer": 0, "of": "nothing", "n": [0] * 30}]
    ),
]


def write_package(root: Path, name: str = "adder") -> Path:
    """Write the package below `root`; its folder."""
    package = root / name
    files: dict[str, str] = {
        "task.toml": MANIFEST,
        "public/ticket.md": "# Adder\n\nAdd the numbers of every line.\n",
        "public/visible_checks.json": json.dumps(VISIBLE),
        "sealed/hidden_checks.json": json.dumps(HIDDEN),
    }
    for language in ("alpha", "beta"):
        files |= {
            f"public/{language}/main.txt": "first\nunsolved\n",
            f"public/{language}/run_tests.sh": "exit 0\n",
            f"public/{language}/tests/one.txt": "1\n",
            f"sealed/{language}/reference/main.txt": "first\nsolved\n",
            f"sealed/{language}/faults/drops-sign.patch": PATCH,
        }
    for path, text in files.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text)
    return package


def write_languages(root: Path) -> Path:
    """Write the definitions of the two languages; their folder."""
    folder = root / "languages"
    folder.mkdir()
    for language in ("alpha", "beta"):
        (folder / f"{language}.toml").write_text(LANGUAGE.format(id=language))
    return folder
