"""Finds the tests in specs as Jest takes them. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.native_test import FoundTest

SEPARATOR = " > "
GROUPS = frozenset({"describe", "xdescribe"})
TESTS = frozenset({"test", "it", "xtest", "xit"})
LEFT_OUT = frozenset({"skip", "todo"})
MISSING_MATCHERS = frozenset(
    [
        "toHaveProperty",
        "toMatchObject",
        "toHaveBeenCalled",
        "toHaveBeenCalledTimes",
        "toHaveBeenCalledWith",
        "toHaveBeenLastCalledWith",
        "toHaveBeenNthCalledWith",
        "toHaveReturned",
        "toHaveReturnedTimes",
        "toHaveReturnedWith",
        "toHaveLastReturnedWith",
        "toHaveNthReturnedWith",
        "toMatchSnapshot",
        "toMatchInlineSnapshot",
        "toThrowErrorMatchingSnapshot",
        "toThrowErrorMatchingInlineSnapshot",
    ]
)
"""Those of Jest that the farm's runner of specs doesn't have."""

MATCHER = re.compile(r"\.(to[A-Z]\w*)\s*\(")
MOCKS = re.compile(r"\bjest\.(\w+)|\bexpect\.(\w+)")
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)
    |(?P<regex>(?<=[(,=:\[!&|?{};\n])[ ]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/\w*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<sign>[^\s])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\n|.)", re.DOTALL)
CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def javascript_tests(text: str) -> list[FoundTest]:
    """The tests of a spec, in order, named as the farm's runner names them.

    Raises NotImportable where a title is worked out when the spec runs, and where the spec asks
    for more than that runner has.
    """
    _refuse_unknown(text)
    seen = Counter[str]()
    tests: list[FoundTest] = []
    for path in _paths(_tokens(text)):
        name = SEPARATOR.join(path)
        seen[name] += 1
        numbered = f"{name} #{seen[name]}" if seen[name] > 1 else name
        tests.append(FoundTest(numbered, path))
    return tests


def _refuse_unknown(text: str) -> None:
    matchers = MISSING_MATCHERS.intersection(MATCHER.findall(text))
    mocks = {f"jest.{one}" if one else f"expect.{other}" for one, other in MOCKS.findall(text)}
    if unknown := sorted(matchers | mocks):
        raise NotImportable(f"the farm's runner of specs has no {', '.join(unknown)}")


@dataclass(slots=True)
class _Group:
    """A `describe` that is open; None is the title of one that is left out."""

    title: str | None
    depth: int


@dataclass(slots=True)
class _Reading:
    tokens: list[tuple[str, str]]
    place: int = 0
    depth: int = 0
    groups: list[_Group] = field(default_factory=list[_Group])

    def next_is(self, sign: str) -> bool:
        return self.tokens[self.place : self.place + 1] == [("sign", sign)]


def _tokens(text: str) -> list[tuple[str, str]]:
    found = ((match.lastgroup or "", match[0]) for match in TOKEN.finditer(text))
    return [token for token in found if token[0] != "comment"]


def _paths(tokens: list[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    reading = _Reading(tokens)
    before = ""
    while reading.place < len(tokens):
        kind, word = tokens[reading.place]
        reading.place += 1
        if kind == "name" and word in GROUPS | TESTS and before != ".":
            yield from _declaration(reading, word)
        elif kind == "sign":
            _count(reading, word)
        before = word


def _declaration(reading: _Reading, word: str) -> Iterator[tuple[str, ...]]:
    variant = ""
    if reading.next_is("."):
        variant = reading.tokens[reading.place + 1][1]
        reading.place += 2
    if not reading.next_is("("):
        return
    if variant not in {"", "only"} | LEFT_OUT:
        raise NotImportable(f"{word}.{variant} works out titles when it runs")
    title = None if variant in LEFT_OUT else _title(reading, reading.place + 1)
    if word in GROUPS:
        reading.groups.append(_Group(title, reading.depth))
        return
    path = [group.title for group in reading.groups] + [title]
    if None not in path:
        yield tuple(one for one in path if one is not None)


def _title(reading: _Reading, place: int) -> str:
    kind, word = reading.tokens[place] if place < len(reading.tokens) else ("", "")
    following = reading.tokens[place + 1 : place + 2]
    is_whole = following == [("sign", ",")]
    if kind != "text" or not is_whole or (word.startswith("`") and "${" in word):
        raise NotImportable("a title is worked out when the spec runs")
    return ESCAPE.sub(_unescaped, word[1:-1])


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "ux" and len(code) > 1:
        return chr(int(code[1:].strip("{}"), 16))
    return CONTROLS.get(code, code)


def _count(reading: _Reading, sign: str) -> None:
    if sign == "(":
        reading.depth += 1
    elif sign == ")":
        reading.depth -= 1
        while reading.groups and reading.groups[-1].depth >= reading.depth:
            reading.groups.pop()
