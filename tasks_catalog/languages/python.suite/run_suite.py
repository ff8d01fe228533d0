"""Runs a unittest suite and tells on its first standard output what became of every test.

The order is a JSON object on standard input: `nonce`, `folder`, `entries` (files below the folder).
Every line of the report is the nonce, a blank and a JSON object. The report's channel is moved
away before any code of the workspace is loaded, so that what that code prints lands elsewhere.
"""

import json
import os
import sys
import types
import unittest
from collections.abc import Iterator

Caught = tuple[type[BaseException], BaseException, types.TracebackType] | tuple[None, None, None]
SKIPPED, PASSED, FAILED, ERROR = "skipped", "passed", "failed", "error"
WORST_FIRST = [ERROR, FAILED, SKIPPED, PASSED]


class Channel:
    """Writes lines of the report, each whole and at once."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._descriptor = os.dup(1)
        os.dup2(2, 1)

    def tell(self, **event: object) -> None:
        line = f"{self._nonce} {json.dumps(event)}\n".encode()
        while line:
            line = line[os.write(self._descriptor, line) :]


class TellingResult(unittest.TestResult):
    """Tells the beginning and the end of every test; the worst that is said of a test counts."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel
        self._said: list[tuple[str, str]] = []
        self.ended = 0
        self.flawless = True

    def startTest(self, test: unittest.TestCase) -> None:
        self._said = []
        self._channel.tell(event="begin", test=name_of(test))

    def stopTest(self, test: unittest.TestCase) -> None:
        worst = min(self._said, key=lambda said: WORST_FIRST.index(said[0]))
        self.flawless = self.flawless and worst[0] == PASSED
        self.ended += 1
        self._channel.tell(event="end", test=name_of(test), status=worst[0], detail=worst[1])

    def _say(self, status: str, detail: str = "") -> None:
        self._said.append((status, detail))

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._say(PASSED)

    def addFailure(self, test: unittest.TestCase, err: Caught) -> None:
        self._say(FAILED, "an assertion does not hold")

    def addError(self, test: unittest.TestCase, err: Caught) -> None:
        self._say(ERROR, f"it ended with {err[0].__name__ if err[0] else 'an exception'}")

    def addSubTest(
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: Caught | None
    ) -> None:
        if err is not None and err[0] is not None:
            add = self.addFailure if issubclass(err[0], AssertionError) else self.addError
            add(subtest, err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._say(SKIPPED)

    def addExpectedFailure(self, test: unittest.TestCase, err: Caught) -> None:
        self._say(SKIPPED)

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self._say(FAILED, "it was to fail")


def name_of(test: unittest.TestCase) -> str:
    """`Class.method`, which a subclass of the same name in another file would share."""
    return f"{type(test).__qualname__}.{getattr(test, '_testMethodName', '')}"


def load(folder: str, entry: str) -> types.ModuleType:
    """The module in a file, executed from its text alone."""
    path = f"{folder}/{entry}"
    name = entry.rpartition("/")[2].removesuffix(".py")
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    exec(code, module.__dict__)
    return module


def tests_of(module: types.ModuleType) -> Iterator[unittest.TestSuite]:
    """A suite for each class of tests that the module itself defines, in its order."""
    loader = unittest.TestLoader()
    for kind in list(vars(module).values()):
        if (
            isinstance(kind, type)
            and issubclass(kind, unittest.TestCase)
            and kind.__module__ == module.__name__
        ):
            yield loader.loadTestsFromTestCase(kind)


def main() -> int:
    """Run the whole suite; 0 only if every test passed."""
    order = json.loads(sys.stdin.buffer.read())
    channel = Channel(order.pop("nonce"))
    folder = order["folder"]
    sys.path[0] = folder
    suites: list[unittest.TestSuite] = []
    for entry in order["entries"]:
        suites += tests_of(load(folder, entry))
    result = TellingResult(channel)
    unittest.TestSuite(suites).run(result)
    channel.tell(event="done", tests=result.ended)
    return 0 if result.flawless else 1


if __name__ == "__main__":
    status = main()
    # What was left to be done at the end of the program is not run.
    sys.stderr.flush()
    os._exit(status)
