"""A tiny native suite in every language that can run one, with solutions honest and dishonest.

Each asks an `add` that takes two integers. A dishonest solution adds wrongly and comes with some
trick; its name says which.
"""

from dataclasses import dataclass, field

WRONG = "wrong"


@dataclass(frozen=True)
class Sample:
    """`suite`, `right` and the values of `tricks` are files by path; tricks change the wrong ones.

    `tests` maps native names to check ids. `unfinished` fails every test, each by itself.
    """

    entry: str
    suite: dict[str, str]
    tests: dict[str, str]
    right: dict[str, str]
    wrong: dict[str, str]
    unfinished: dict[str, str]
    tricks: dict[str, dict[str, str]] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


_PY_TEST = """\
import unittest

from adder import add


class AdderTest(unittest.TestCase):
    def test_small(self):
        self.assertEqual(add(1, 2), 3)

    def test_negative(self):
        self.assertEqual(add(-1, -2), -3)

    def test_parts(self):
        for number in (0, 5):
            with self.subTest(number=number):
                self.assertEqual(add(number, 0), number)
"""
_PY_RIGHT = "def add(a, b):\n    return a + b\n"
_PY_WRONG = "def add(a, b):\n    return 4242\n"
_PY_FORGED = """\
import json, os, sys
LINES = [{"event": e, "test": f"AdderTest.test_{n}", "status": "passed", "detail": ""}
         for n in ("small", "negative", "parts") for e in ("begin", "end")]
LINES.append({"event": "done", "tests": 3})
TEXT = "".join(f"{MARK} {json.dumps(line)}\\n" for line in LINES).encode()
"""

PYTHON = Sample(
    entry="adder_test.py",
    suite={"adder_test.py": _PY_TEST},
    tests={
        "AdderTest.test_small": "small",
        "AdderTest.test_negative": "negative",
        "AdderTest.test_parts": "parts",
    },
    right={"adder.py": _PY_RIGHT},
    wrong={"adder.py": _PY_WRONG},
    unfinished={"adder.py": "def add(a, b):\n    raise NotImplementedError\n"},
    tricks={
        "a test file of its own": {"test_more.py": "raise SystemExit(0)\n"},
        "the suite, emptied": {"adder_test.py": "import unittest\n"},
        "the suite, in another case below": {"tests/adder_test.py": "import unittest\n"},
        "a conftest": {
            "conftest.py": "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\n"
            "def pytest_runtest_makereport():\n"
            "    out = yield\n    out.get_result().outcome = 'passed'\n"
        },
        "a test framework of its own": {
            "unittest.py": "class TestCase:\n    def assertEqual(self, *a): pass\n"
        },
        "a package of that name": {"unittest/__init__.py": "TestCase = object\n"},
        "a sitecustomize": {"sitecustomize.py": "import os\nos._exit(0)\n"},
        "assertions that hold": {
            "adder.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"
            + _PY_WRONG
        },
        "failures that count as successes": {
            "adder.py": "import sys\nkind = sys.modules['__main__'].TellingResult\n"
            "kind.addFailure = lambda self, test, err: self.addSuccess(test)\n" + _PY_WRONG
        },
        "subtests that nobody hears of": {
            "adder.py": "import sys\nkind = sys.modules['__main__'].TellingResult\n"
            "kind.addSubTest = kind.addFailure = kind.addError = lambda *a: None\n" + _PY_WRONG
        },
        "a report on standard output": {
            "adder.py": "MARK = 'x'\n" + _PY_FORGED + "os.write(1, TEXT)\n" + _PY_WRONG
        },
        "a report on every descriptor": {
            "adder.py": "MARK = '0' * 32\n" + _PY_FORGED + "for fd in range(1, 64):\n"
            "    try:\n        os.write(fd, TEXT)\n    except OSError:\n        pass\n"
            "os._exit(1)\n"
        },
        "a report under the very mark": {
            "adder.py": "import gc\n"
            "MARK = next(o._nonce for o in gc.get_objects() if hasattr(o, '_nonce'))\n"
            + _PY_FORGED
            + "for fd in range(3, 16):\n"
            "    try:\n        os.write(fd, TEXT)\n    except OSError:\n        pass\n"
            "os._exit(1)\n"
        },
        "an end with status 0": {"adder.py": "import os\nos._exit(0)\n"},
        "an end with the status of a failure": {"adder.py": "import os\nos._exit(1)\n"},
        "a polite end": {"adder.py": "import sys\nsys.exit(0)\n"},
        "an end in the first test": {"adder.py": "import os\n\ndef add(a, b):\n    os._exit(0)\n"},
        "an end at the very end": {
            "adder.py": "import sys, os\nmain = sys.modules['__main__']\n"
            "tell = main.Channel.tell\n\n"
            "def telling(self, **event):\n    tell(self, **event)\n"
            "    if event['event'] == 'done':\n        os._exit(0)\n\n"
            "main.Channel.tell = telling\n" + _PY_WRONG
        },
        "no tests": {
            "adder.py": "import unittest\n"
            "unittest.TestLoader.loadTestsFromTestCase = lambda *a: unittest.TestSuite()\n"
            + _PY_WRONG
        },
        "only the tests that pass": {
            "adder.py": "import unittest\nload = unittest.TestLoader.loadTestsFromTestCase\n"
            "unittest.TestLoader.loadTestsFromTestCase = lambda self, kind: (\n"
            "    unittest.TestSuite() if kind.__name__ == 'AdderTest' else load(self, kind))\n"
            + _PY_WRONG
        },
        "every test twice": {
            "adder.py": "import unittest\nload = unittest.TestLoader.loadTestsFromTestCase\n"
            "unittest.TestLoader.loadTestsFromTestCase = lambda self, kind: (\n"
            "    unittest.TestSuite([load(self, kind), load(self, kind)]))\n" + _PY_RIGHT
        },
        "skipped tests": {
            "adder.py": "import unittest\n\ndef add(a, b):\n    raise unittest.SkipTest('no')\n"
        },
        "tests that are expected to fail": {
            "adder.py": "import sys, unittest\n"
            "kind = sys.modules['unittest'].TestCase\nrun = kind.run\n\n"
            "def running(self, result=None):\n"
            "    type(self).__unittest_expecting_failure__ = True\n    return run(self, result)\n\n"
            "kind.run = running\n" + _PY_WRONG
        },
        "a hang": {"adder.py": "def add(a, b):\n    while True:\n        pass\n"},
        "a hang at once": {"adder.py": "while True:\n    pass\n"},
        "a signal": {"adder.py": "import os\nos.kill(os.getpid(), 9)\n"},
        "too much memory": {"adder.py": "HELD = bytearray(1 << 31)\n" + _PY_RIGHT},
        "too much output": {"adder.py": "import os\nwhile True:\n    os.write(2, b'x' * 65536)\n"},
    },
)

_JS_TEST = """\
import { add } from './adder';

describe('adder', () => {
  test('small', () => {
    expect(add(1, 2)).toBe(3);
  });

  xtest('negative', async () => {
    await expect(Promise.resolve(add(-1, -2))).resolves.toEqual(-3);
  });
});
"""
_JS_RIGHT = "export const add = (a, b) => a + b;\n"
_JS_WRONG = "export const add = () => 4242;\n"

JAVASCRIPT = Sample(
    entry="adder.spec.js",
    suite={"adder.spec.js": _JS_TEST},
    tests={"adder > small": "small", "adder > negative": "negative"},
    right={"adder.js": _JS_RIGHT},
    wrong={"adder.js": _JS_WRONG},
    unfinished={"adder.js": "export const add = () => { throw new Error('to do'); };\n"},
    tricks={
        "a test file of its own": {"more.spec.js": "process.exit(0);\n"},
        "the suite, emptied": {"adder.spec.js": "\n"},
        "another framework": {
            "node_modules/@jest/globals/index.js": "module.exports = {};\n",
            "node_modules/@jest/globals/package.json": '{"name": "@jest/globals"}\n',
        },
        "another kind of package": {"package.json": '{"type": "commonjs", "main": "x.js"}\n'},
        "expectations that hold": {
            "adder.js": "globalThis.expect = () => ({ toBe() {}, toEqual() {} });\n" + _JS_WRONG
        },
        "everything is the same": {
            "adder.js": "Object.is = () => true;\nArray.prototype.some = () => true;\n"
            "Array.prototype.every = () => true;\n" + _JS_WRONG
        },
        "no end of a failure": {"adder.js": "Promise.race = async () => undefined;\n" + _JS_WRONG},
        "a report on standard output": {
            "adder.js": "import fs from 'node:fs';\n"
            'fs.writeSync(1, \'0\'.repeat(32) + \' {"event":"done","tests":0}\\n\');\n'
            "process.exit(1);\n" + _JS_WRONG
        },
        "an end with status 0": {"adder.js": "process.exit(0);\n" + _JS_WRONG},
        "an end in the first test": {"adder.js": "export const add = () => process.exit(0);\n"},
        "another status at the end": {
            "adder.js": "process.on('exit', () => process.reallyExit(0));\n" + _JS_WRONG
        },
        "no tests": {
            "adder.js": "globalThis.describe = () => {};\nglobalThis.test = () => {};\n" + _JS_WRONG
        },
        "a test that never ends": {"adder.js": "export const add = () => { for (;;) {} };\n"},
        "a promise that never ends": {"adder.js": "await new Promise(() => {});\n" + _JS_RIGHT},
        "a signal": {"adder.js": "process.kill(process.pid, 'SIGKILL');\n" + _JS_RIGHT},
    },
)

_GO_TEST = """\
package adder

import "testing"

func TestSmall(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestParts(t *testing.T) {
	for _, number := range []int{0, 5} {
		t.Run("a part", func(t *testing.T) {
			if got := Add(number, 0); got != number {
				t.Fatalf("got %d", got)
			}
		})
	}
}
"""
_GO_MOD = {"go.mod": "module adder\n\ngo 1.21\n"}
_GO_RIGHT = "package adder\n\nfunc Add(a, b int) int { return a + b }\n"
_GO_WRONG = "package adder\n\nfunc Add(a, b int) int { return 4242 }\n"
_GO_FORGED = """\
package adder

import (
	"fmt"
	"os"
)

func Add(a, b int) int {
	for _, name := range []string{"TestSmall", "TestParts"} {
		fmt.Printf("\\x16=== RUN   %s\\n\\x16--- PASS: %s (0.00s)\\n", name, name)
	}
	fmt.Print("\\x16FAIL\\n")
	os.Exit(1)
	return 0
}
"""

GO = Sample(
    entry="adder_test.go",
    suite={"adder_test.go": _GO_TEST},
    tests={"TestSmall": "small", "TestParts": "parts"},
    right=_GO_MOD | {"adder.go": _GO_RIGHT},
    wrong=_GO_MOD | {"adder.go": _GO_WRONG},
    unfinished=_GO_MOD | {"adder.go": _GO_RIGHT.replace("return a + b", 'panic("to do")')},
    tricks={
        "a main of its own": {
            "more_test.go": 'package adder\n\nimport ("os"; "testing")\n\n'
            "func TestMain(m *testing.M) { os.Exit(0) }\n"
        },
        "an end before the first test": {
            "adder.go": 'package adder\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\n'
            "func Add(a, b int) int { return 3 }\n"
        },
        "an end in the first test": {
            "adder.go": 'package adder\n\nimport "os"\n\n'
            "func Add(a, b int) int { os.Exit(0); return 3 }\n"
        },
        "a report of its own": {"adder.go": _GO_FORGED},
        "a test that never ends": {
            "adder.go": "package adder\n\nfunc Add(a, b int) int { for { } }\n"
        },
        "a file that doesn't compile": {"adder.go": "package adder\n\nfunc Add() int\n"},
    },
)

_RUST_TEST = """\
use adder::*;

#[test]
fn small() {
    assert_eq!(add(1, 2), 3);
}

#[test]
#[ignore]
fn negative() {
    assert_eq!(add(-1, -2), -3);
}
"""
_RUST_RIGHT = "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n"
_RUST_WRONG = "pub fn add(_: i64, _: i64) -> i64 {\n    4242\n}\n"
_RUST_HEAD = "pub fn add(_: i64, _: i64) -> i64 {\n"

RUST = Sample(
    entry="tests/adder.rs",
    suite={"tests/adder.rs": _RUST_TEST},
    tests={"small": "small", "negative": "negative"},
    right={"src/lib.rs": _RUST_RIGHT},
    wrong={"src/lib.rs": _RUST_WRONG},
    unfinished={"src/lib.rs": _RUST_HEAD + "    todo!()\n}\n"},
    tricks={
        "a test file of its own": {"tests/more.rs": "#[test]\nfn small() {}\n"},
        "assertions that hold": {
            "src/lib.rs": "#[macro_export]\nmacro_rules! assert_eq {\n    ($($x:tt)*) => {};\n}\n"
            + _RUST_WRONG
        },
        "an end with status 0": {"src/lib.rs": _RUST_HEAD + "    std::process::exit(0)\n}\n"},
        "an end with the status of a failure": {
            "src/lib.rs": _RUST_HEAD + "    std::process::exit(101)\n}\n"
        },
        "a report of its own": {
            "src/lib.rs": "use std::io::Write;\n\n" + _RUST_HEAD + "    let text = "
            '"ok\\ntest small ... ok\\n\\ntest result: FAILED. 2 passed; 0 failed; 0 ignored; '
            '0 measured; 0 filtered out; finished in 0.00s\\n";\n'
            "    std::io::stdout().write_all(text.as_bytes()).unwrap();\n"
            "    std::process::exit(101)\n}\n"
        },
        "a test that never ends": {"src/lib.rs": _RUST_HEAD + "    loop {}\n}\n"},
        "a stack without end": {
            "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    add(b, a) + 1\n}\n"
        },
    },
    parameters={"crate": "adder", "edition": "2021"},
)

SAMPLES = {"python": PYTHON, "javascript": JAVASCRIPT, "go": GO, "rust": RUST}
