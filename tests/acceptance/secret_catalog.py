"""A task whose every secret is a string that exists nowhere else, so that it can be looked for."""

import json
import secrets
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import tasks_catalog

LANGUAGES = {"python": "main.py", "javascript": "main.js"}
TASK = "adding"
STARTER = {
    "python": "import sys\nfor line in sys.stdin:\n    print(0)\n",
    "javascript": "const text = require('fs').readFileSync(0, 'utf8')\n"
    "for (const line of text.split('\\n').slice(0, -1)) console.log(0)\n",
}
SOLVED = {
    "python": "import sys\nfor line in sys.stdin:\n    a, b = line.split()\n"
    "    print(int(a) + int(b))\n",
    "javascript": "const text = require('fs').readFileSync(0, 'utf8')\n"
    "for (const line of text.split('\\n').slice(0, -1)) {\n"
    "  const [a, b] = line.split(' ').map(Number)\n  console.log(a + b)\n}\n",
}
COMMENT = {"python": "#", "javascript": "//"}


def _number() -> int:
    return 10**11 + secrets.randbelow(10**11)


@dataclass(frozen=True)
class Secrets:
    """What an agent's machine must not know; made anew for each test."""

    check: str = field(default_factory=lambda: f"hidden-{secrets.token_hex(6)}")
    title: str = field(default_factory=lambda: f"About {secrets.token_hex(6)}")
    fault: str = field(default_factory=lambda: f"fault-{secrets.token_hex(6)}")
    line: str = field(default_factory=lambda: f"solved by {secrets.token_hex(6)}")
    pair: tuple[int, int] = field(default_factory=lambda: (_number(), _number()))

    @property
    def answer(self) -> int:
        """The expected value of the hidden check."""
        return sum(self.pair)

    @property
    def all(self) -> list[str]:
        """The hidden check, its inputs and its answer, a line of the reference, the fault."""
        asked = [self.check, self.title, *map(str, self.pair), str(self.answer)]
        return [*asked, self.line, self.fault]


def write_secret_catalog(root: Path, known: Secrets) -> None:
    """Write `root/tasks` with the one task, and `root/languages`."""
    (root / "languages").mkdir(parents=True)
    definitions = Path(tasks_catalog.__file__).parent / "languages"
    for language in LANGUAGES:
        shutil.copy(definitions / f"{language}.toml", root / "languages")
    task = root / "tasks" / TASK
    texts = {
        "task.toml": _manifest(known),
        "public/ticket.md": "Print the sum of the two numbers of each line.\n",
        "public/visible_checks.json": _records("two-zeros", "Nothing and nothing", "0 0\n", 0),
        "sealed/hidden_checks.json": _records(
            known.check, known.title, f"{known.pair[0]} {known.pair[1]}\n", known.answer
        ),
    }
    for language, file in LANGUAGES.items():
        line = f"{COMMENT[language]} {known.line}\n"
        texts[f"public/{language}/{file}"] = STARTER[language]
        texts[f"sealed/{language}/reference/{file}"] = line + SOLVED[language]
        texts[f"sealed/{language}/faults/{known.fault}.patch"] = _patch(language, file, line)
    for name, text in texts.items():
        (task / name).parent.mkdir(parents=True, exist_ok=True)
        (task / name).write_text(text)


def _patch(language: str, file: str, first: str) -> str:
    before = [first, *SOLVED[language].splitlines(keepends=True)]
    after = [line.replace("+ int(b)", "- int(b)").replace("a + b", "a - b") for line in before]
    pairs = zip(before, after, strict=True)
    body = "".join(f" {old}" if old == new else f"-{old}+{new}" for old, new in pairs)
    count = len(before)
    return f"--- a/{file}\n+++ b/{file}\n@@ -1,{count} +1,{count} @@\n{body}"


def _records(check: str, title: str, stdin: str, answer: int) -> str:
    record = {
        "id": check,
        "title": title,
        "transport": "process",
        "input": {"argv": [], "stdin": stdin, "files": {}},
        "expect": {"exit": 0, "stdout": [answer]},
        "compare": {"kind": "json-lines"},
    }
    return json.dumps([record])


def _manifest(known: Secrets) -> str:
    return f"""\
schema = 1
kind = "ticket"
id = "{TASK}"
title = "Sums of two numbers"
version = 1
languages = ["python", "javascript"]

[limits]
agent_wall_s = 60
check_wall_s = 2
memory_mb = 256

[[checks]]
id = "two-zeros"
visibility = "visible"
title = "Nothing and nothing"

[[checks]]
id = "{known.check}"
visibility = "hidden"
title = "{known.title}"

[starter]
fails = ["{known.check}"]

[[faults]]
id = "{known.fault}"
kind = "wrong_constant"
title = "{known.fault}"
required = ["{known.check}"]
"""
