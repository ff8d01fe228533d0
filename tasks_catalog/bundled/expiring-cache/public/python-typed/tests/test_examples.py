"""Every example in tests/examples: the program's answers to its commands."""

import subprocess
import sys
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "tests" / "examples"


class ExamplesTest(unittest.TestCase):
    maxDiff = None

    def check(self, name: str) -> None:
        commands = (EXAMPLES / f"{name}.commands.txt").read_bytes()
        expected = (EXAMPLES / f"{name}.answers.txt").read_bytes()
        finished = subprocess.run(
            [sys.executable, "-B", str(PROJECT / "main.py")],
            input=commands,
            stdout=subprocess.PIPE,
            timeout=20,
            check=True,
        )
        self.assertEqual(finished.stdout.decode("utf-8"), expected.decode("utf-8"))

    def test_basic_behaviour(self) -> None:
        self.check("basic-behaviour")

    def test_empty_input(self) -> None:
        self.check("empty-input")


if __name__ == "__main__":
    unittest.main()
