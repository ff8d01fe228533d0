"""A task in a compiled language that every machine has: its compiler is a shell that copies."""

import json
from pathlib import Path

LANGUAGE = r'''
schema = 1
id = "copied"
title = "Shell, compiled by copying"
files = ["*.sh"]

[toolchain]
candidates = ["/usr/bin/env"]
version = ["{tool}", "--version"]
version_pattern = 'coreutils\) (\d+\.\d+)'
minimum = "1.0"

[build]
argv = ["/bin/sh", "-euc", "cp main.sh {build}/program"]

[probe_files]
"main.sh" = "echo ready"

[control_files]
"main.sh" = """
exec 3< /work/control.txt
read mode <&3
case $mode in
exit) ;;
say) cat <&3 ;;
echo) cat ;;
sleep) while :; do sleep 1000; done ;;
table)
    asked=$(cat; echo .)
    while read size length <&3; do
        given=$(head -c $size <&3; echo .)
        if [ "$asked" = "$given" ]; then head -c $length <&3; exit 0; fi
        head -c $length <&3 > /dev/null
    done ;;
esac
"""

[run]
argv = ["/bin/sh", "{build}/program"]

[test]
argv = ["true"]
'''

MANIFEST = """
schema = 1
kind = "ticket"
id = "counting"
title = "Counts lines"
version = 1
languages = ["copied"]
protected = ["tests/"]

[limits]
agent_wall_s = 60
check_wall_s = 20
memory_mb = 64

[[checks]]
id = "shown-lines"
visibility = "visible"
title = "Two lines"

[[checks]]
id = "shown-nothing"
visibility = "visible"
title = "Nothing to print"

[[checks]]
id = "hidden-lines"
visibility = "hidden"
title = "Three lines"

[starter]
fails = ["hidden-lines"]

[[faults]]
id = "one-less"
kind = "boundary"
title = "Counts one line less"
required = ["shown-lines", "hidden-lines"]
"""

PATCH = """\
--- a/main.sh
+++ b/main.sh
@@ -1,2 +1,2 @@
 lines=$(wc -l)
-if [ $lines -gt 0 ]; then echo $lines; fi
+if [ $lines -gt 0 ]; then echo $((lines - 1)); fi
"""

REFERENCE = "lines=$(wc -l)\nif [ $lines -gt 0 ]; then echo $lines; fi\n"
STARTER = "lines=$(wc -l)\nif [ $lines -gt 0 ]; then echo 2; fi\n"


def write_copied_catalog(root: Path) -> None:
    """Write `root/tasks/counting` and `root/languages/copied.toml`."""
    (root / "languages").mkdir(parents=True)
    (root / "languages" / "copied.toml").write_text(LANGUAGE)
    shown = [_check("shown-lines", "Two lines", "a\nb\n", "2\n")]
    shown.append(_check("shown-nothing", "Nothing to print", "", ""))
    hidden = [_check("hidden-lines", "Three lines", "first\nsecond\nthird\n", "3\n")]
    files = {
        "task.toml": MANIFEST,
        "public/ticket.md": "Print how many lines there are, and nothing for none.\n",
        "public/visible_checks.json": json.dumps(shown),
        "public/copied/main.sh": STARTER,
        "public/copied/tests/note.txt": "protected\n",
        "sealed/hidden_checks.json": json.dumps(hidden),
        "sealed/copied/reference/main.sh": REFERENCE,
        "sealed/copied/faults/one-less.patch": PATCH,
    }
    for name, text in files.items():
        path = root / "tasks" / "counting" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _check(check_id: str, title: str, stdin: str, stdout: str) -> dict[str, object]:
    return {
        "id": check_id,
        "title": title,
        "transport": "process",
        "input": {"stdin": stdin},
        "expect": {"exit": 0, "stdout": stdout},
        "compare": {"kind": "text"},
    }
