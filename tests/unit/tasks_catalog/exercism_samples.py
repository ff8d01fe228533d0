"""Exercises in the layout of Exercism, as small as they can be."""

import json
from pathlib import Path

INSTRUCTIONS = "# Instructions\n\nAdd two numbers.\n"


def write_exercise(root: Path, slug: str, files: dict[str, str], **config: list[str]) -> Path:
    """Write an exercise; `config` are the lists of files in its configuration."""
    folder = root / slug
    whole = {
        ".docs/instructions.md": INSTRUCTIONS,
        ".meta/config.json": json.dumps({"authors": [], "files": config}),
        **files,
    }
    for name, text in whole.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def python_exercise(root: Path, slug: str = "adder", **more: str) -> Path:
    """One in Python, with a helper for its tests."""
    files = {
        "adder.py": "def add(a, b):\n    pass\n",
        "adder_test.py": "import unittest\n\nfrom adder import add\n"
        "from test_data import CASES\n\n\n"
        "class AdderTest(unittest.TestCase):\n"
        "    def test_small(self):\n        self.assertEqual(add(1, 2), 3)\n\n"
        "    def test_cases(self):\n        for a, b, c in CASES:\n"
        "            self.assertEqual(add(a, b), c)\n",
        "test_data.py": "CASES = [(1, 1, 2), (-1, 1, 0)]\n",
        ".meta/example.py": "def add(a, b):\n    return a + b\n",
        ".docs/introduction.md": "# Introduction\n\nNumbers.\n",
        **more,
    }
    return write_exercise(
        root,
        slug,
        files,
        solution=["adder.py"],
        test=["adder_test.py"],
        example=[".meta/example.py"],
    )


def go_exercise(root: Path) -> Path:
    """One in Go, whose cases lie in a file that its configuration doesn't call a test."""
    files = {
        "go.mod": "module adder\n\ngo 1.18\n",
        "adder.go": 'package adder\n\nfunc Add(a, b int) int { panic("to do") }\n',
        "kinds.go": "package adder\n\ntype Case struct{ a, b, sum int }\n",
        "adder_test.go": 'package adder\n\nimport "testing"\n\n'
        "func TestAdd(t *testing.T) {\n\tfor _, c := range cases {\n"
        "\t\tif Add(c.a, c.b) != c.sum {\n\t\t\tt.Error(c)\n\t\t}\n\t}\n}\n",
        "cases_test.go": "package adder\n\nvar cases = []Case{{1, 2, 3}}\n",
        ".meta/example.go": "package adder\n\nfunc Add(a, b int) int { return a + b }\n",
    }
    return write_exercise(
        root,
        "adder",
        files,
        solution=["adder.go"],
        test=["adder_test.go"],
        example=[".meta/example.go"],
        editor=["kinds.go", "cases_test.go"],
        invalidator=["go.mod"],
    )


def rust_exercise(root: Path, *, dependencies: str = "", **more: str) -> Path:
    """One in Rust."""
    files = {
        "Cargo.toml": f'[package]\nname = "space-adder"\nedition = "2021"\n{dependencies}',
        "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    todo!()\n}\n",
        "tests/adder.rs": "use space_adder::*;\n\n#[test]\nfn small() {\n"
        "    assert_eq!(add(1, 2), 3);\n}\n\n#[test]\n#[ignore]\nfn negative() {\n"
        "    assert_eq!(add(-1, -2), -3);\n}\n",
        ".meta/example.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n",
        **more,
    }
    return write_exercise(
        root,
        "space-adder",
        files,
        solution=["src/lib.rs", "Cargo.toml"],
        test=[name for name in files if name.startswith("tests/")],
        example=[".meta/example.rs"],
    )


def javascript_exercise(root: Path) -> Path:
    """One in JavaScript."""
    files = {
        "package.json": '{"name": "adder", "devDependencies": {"jest": "*"}}\n',
        "adder.js": "export const add = () => {\n  throw new Error('to do');\n};\n",
        "adder.spec.js": "import { add } from './adder';\n\ndescribe('adder', () => {\n"
        "  test('small', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n\n"
        "  xtest('negative', () => {\n    expect(add(-1, -2)).toBe(-3);\n  });\n});\n",
        ".meta/proof.ci.js": "export const add = (a, b) => a + b;\n",
    }
    return write_exercise(
        root,
        "adder",
        files,
        solution=["adder.js"],
        test=["adder.spec.js"],
        example=[".meta/proof.ci.js"],
    )
