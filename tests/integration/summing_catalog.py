"""A task in Python whose starter holds a drawer of tricks to hand in instead of a solution."""

import json
import shutil
from pathlib import Path

TRICKS = {
    "loops": "while True:\n    pass\n",
    "hoards": "kept = []\nwhile True:\n    kept.append(bytearray(1 << 20))\n",
    "forks": "import os, signal\nwhile os.fork():\n    pass\nsignal.pause()\n",
    "floods": "while True:\n    print('x' * 10_000)\n",
    "raises": "raise SystemExit(3)\n",
    "dies": "import os\nos.kill(os.getpid(), 9)\n",
    "silent": "",
    "forges": (
        "import json, os, sys\n"
        "print(json.dumps({'outcome': 'passed', 'checks': ['shown-sum', 'hidden-sum']}))\n"
        "print('ok', file=sys.stderr)\n"
        "for fd in range(3, 64):\n"
        "    try:\n"
        "        os.write(fd, b'{\"exit-code\": 0}')\n"
        "    except OSError:\n"
        "        pass\n"
    ),
    "garbles": "print('the answer is surely right')\n",
    "solves": (
        "import sys\nfor line in sys.stdin:\n    print(sum(int(word) for word in line.split()))\n"
    ),
}
"""File names below `tricks/` in the starter, each a whole main.py. `forks` has as many children
as it may have, and then is refused one more: only a limit on processes ends it as a crash."""

SECRET = -777000111
"""An expected value of the hidden check, which stands nowhere else."""

MANIFEST = """
schema = 1
kind = "ticket"
id = "summing"
title = "Sums of numbers"
version = 1
languages = ["python"]
protected = ["tests/"]

[limits]
agent_wall_s = 60
check_wall_s = 3
memory_mb = 128

[[checks]]
id = "shown-sum"
visibility = "visible"
title = "Two numbers"

[[checks]]
id = "hidden-sum"
visibility = "hidden"
title = "A negative number"

[starter]
fails = ["shown-sum", "hidden-sum"]

[[faults]]
id = "drops-sign"
kind = "missing_guard"
title = "The sign is dropped"
required = ["hidden-sum"]
"""

PATCH = """\
--- a/main.py
+++ b/main.py
@@ -1,3 +1,3 @@
 import sys
 for line in sys.stdin:
-    print(sum(int(word) for word in line.split()))
+    print(sum(abs(int(word)) for word in line.split()))
"""


def write_catalog(root: Path, languages: Path) -> None:
    """Write `root/tasks/summing` and `root/languages/python.toml`, the latter from `languages`."""
    (root / "languages").mkdir(parents=True)
    shutil.copy(languages / "python.toml", root / "languages")
    task = root / "tasks" / "summing"
    starter = task / "public" / "python"
    reference = task / "sealed" / "python" / "reference"
    faults = task / "sealed" / "python" / "faults"
    for folder in (starter / "tricks", starter / "tests", reference, faults):
        folder.mkdir(parents=True)
    for name, text in TRICKS.items():
        (starter / "tricks" / f"{name}.py").write_text(text)
    (starter / "main.py").write_text("# to be written\n")
    (starter / "tests" / "note.txt").write_text("protected\n")
    (reference / "main.py").write_text(TRICKS["solves"])
    (faults / "drops-sign.patch").write_text(PATCH)
    (task / "task.toml").write_text(MANIFEST)
    (task / "public" / "ticket.md").write_text("Print the sum of each line.\n")
    shown = [_check("shown-sum", "Two numbers", "1 2\n", [3])]
    hidden = [
        _check("hidden-sum", "A negative number", f"1 2\n-5 1\n{SECRET - 1} 1\n", [3, -4, SECRET])
    ]
    (task / "public" / "visible_checks.json").write_text(json.dumps(shown))
    (task / "sealed" / "hidden_checks.json").write_text(json.dumps(hidden))


def _check(check_id: str, title: str, stdin: str, stdout: list[int]) -> dict[str, object]:
    return {
        "id": check_id,
        "title": title,
        "transport": "process",
        "input": {"stdin": stdin},
        "expect": {"exit": 0, "stdout": stdout},
        "compare": {"kind": "json-lines"},
    }
