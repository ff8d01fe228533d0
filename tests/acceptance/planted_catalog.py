"""One sound task in two languages, and copies of it with one thing wrong in each."""

import json
from pathlib import Path

MANIFEST = """
schema = 1
kind = "ticket"
id = "{task}"
title = "Sums of lines"
version = 1
languages = ["javascript", "python"]

[limits]
agent_wall_s = 60
memory_mb = 128

[[checks]]
id = "shown-sum"
visibility = "visible"
title = "shown sum"

[[checks]]
id = "hidden-negative"
visibility = "hidden"
title = "hidden negative"

[[checks]]
id = "hidden-large"
visibility = "hidden"
title = "hidden large"

[starter]
fails = ["hidden-negative", "hidden-large"]

[[faults]]
id = "drops-sign"
kind = "missing_guard"
title = "The sign is dropped"
required = ["hidden-negative"]
"""
CHECKS = {
    "shown-sum": ("1 2\n", "3\n"),
    "hidden-negative": ("-5 1\n7\n", "-4\n7\n"),
    "hidden-large": ("900 100\n", "1000\n"),
}

PYTHON = """\
import sys

for line in sys.stdin:
    print(sum(int(word) for word in line.split()))
"""
JAVASCRIPT = """\
const lines = require("node:fs").readFileSync(0, "utf8").split("\\n").slice(0, -1);
for (const line of lines) {
  const numbers = line.split(" ").map(Number);
  console.log(String(numbers.reduce((sum, one) => sum + one, 0)));
}
"""
PYTHON_STARTER = """\
import sys

for line in sys.stdin:
    print(sum(abs(int(word)) for word in line.split()) % 1000)
"""
JAVASCRIPT_STARTER = JAVASCRIPT.replace("sum + one, 0)", "sum + Math.abs(one), 0) % 1000")
PYTHON_PATCH = """\
--- a/main.py
+++ b/main.py
@@ -1,4 +1,4 @@
 import sys
 
 for line in sys.stdin:
-    print(sum(int(word) for word in line.split()))
+    print(sum(abs(int(word)) for word in line.split()))
"""
JAVASCRIPT_PATCH = """\
--- a/main.js
+++ b/main.js
@@ -2,4 +2,4 @@
 for (const line of lines) {
-  const numbers = line.split(" ").map(Number);
+  const numbers = line.split(" ").map((word) => Math.abs(Number(word)));
   console.log(String(numbers.reduce((sum, one) => sum + one, 0)));
 }
"""
HARMLESS_PATCH = JAVASCRIPT_PATCH.replace("Math.abs(Number(word))", "Number(word)")
PRINTED = "String(numbers.reduce((sum, one) => sum + one, 0))"
IN_ANOTHER_FORM = 'numbers.reduce((sum, one) => sum + one, 0).toLocaleString("en-US")'
COIN = """\
import os
import sys

coin = os.urandom(1)[0] % 2
for line in sys.stdin:
    print(sum(int(word) for word in line.split()) + coin)
"""
COIN_PATCH = """\
--- a/main.py
+++ b/main.py
@@ -3,4 +3,4 @@
 
 coin = os.urandom(1)[0] % 2
 for line in sys.stdin:
-    print(sum(int(word) for word in line.split()) + coin)
+    print(sum(abs(int(word)) for word in line.split()))
"""
SLOW = "import time\n\ntime.sleep(1)\n" + PYTHON
SLOW_PATCH = """\
--- a/main.py
+++ b/main.py
@@ -1,7 +1,4 @@
-import time
-
-time.sleep(1)
 import sys
 
 for line in sys.stdin:
-    print(sum(int(word) for word in line.split()))
+    print(sum(abs(int(word)) for word in line.split()))
"""


def write_planted(root: Path) -> None:
    """Write `root/tasks/<what is wrong>`: each task is sound but for that."""
    tasks = root / "tasks"
    write_sound(tasks / "sound")
    write_sound(tasks / "stricter-javascript")
    for name in ("reference/main.js", "faults/drops-sign.patch"):
        file = tasks / "stricter-javascript" / "sealed" / "javascript" / name
        _replace(file, PRINTED, IN_ANOTHER_FORM)
    write_sound(tasks / "surviving-fault")
    patch = tasks / "surviving-fault" / "sealed" / "javascript" / "faults" / "drops-sign.patch"
    patch.write_text(HARMLESS_PATCH)
    write_sound(tasks / "easy-starter")
    _replace(tasks / "easy-starter" / "public" / "python" / "main.py", " % 1000", "")


def write_flaky(task: Path) -> None:
    """A reference in Python that gives the right answer every other time."""
    write_sound(task)
    (task / "sealed" / "python" / "reference" / "main.py").write_text(COIN)
    (task / "sealed" / "python" / "faults" / "drops-sign.patch").write_text(COIN_PATCH)


def write_slow(task: Path) -> None:
    """A reference in Python that takes its time, and a fault that doesn't."""
    write_sound(task)
    (task / "sealed" / "python" / "reference" / "main.py").write_text(SLOW)
    (task / "sealed" / "python" / "faults" / "drops-sign.patch").write_text(SLOW_PATCH)


def write_sound(task: Path) -> None:
    """The task with nothing wrong in it, called like its folder."""
    records = [_check(check, *texts) for check, texts in CHECKS.items()]
    files = {
        "task.toml": MANIFEST.format(task=task.name),
        "public/ticket.md": "Print the sum of the numbers of each line.\n",
        "public/visible_checks.json": json.dumps(records[:1]),
        "public/python/main.py": PYTHON_STARTER,
        "public/javascript/main.js": JAVASCRIPT_STARTER,
        "sealed/hidden_checks.json": json.dumps(records[1:]),
        "sealed/python/reference/main.py": PYTHON,
        "sealed/python/faults/drops-sign.patch": PYTHON_PATCH,
        "sealed/javascript/reference/main.js": JAVASCRIPT,
        "sealed/javascript/faults/drops-sign.patch": JAVASCRIPT_PATCH,
    }
    for name, text in files.items():
        (task / name).parent.mkdir(parents=True, exist_ok=True)
        (task / name).write_text(text)


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _check(check_id: str, stdin: str, stdout: str) -> dict[str, object]:
    return {
        "id": check_id,
        "title": check_id.replace("-", " "),
        "transport": "process",
        "input": {"stdin": stdin},
        "expect": {"exit": 0, "stdout": stdout},
        "compare": {"kind": "text"},
    }
