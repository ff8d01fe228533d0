"""Every example in tests/examples: the program's answers to its requests."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "tests" / "examples"


class ExamplesTest(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        requests = (EXAMPLES / f"{name}.requests.jsonl").read_bytes()
        expected = (EXAMPLES / f"{name}.answers.jsonl").read_text(encoding="utf-8")
        finished = subprocess.run(
            [sys.executable, "-B", str(PROJECT / "main.py")],
            input=requests,
            stdout=subprocess.PIPE,
            timeout=20,
            check=True,
        )
        self.assertEqual(
            [json.loads(line) for line in finished.stdout.decode("utf-8").splitlines()],
            [json.loads(line) for line in expected.splitlines()],
        )

    def test_basic_behaviour(self):
        self.check("basic-behaviour")

    def test_empty_input(self):
        self.check("empty-input")


if __name__ == "__main__":
    unittest.main()
