"""Finds the tests in a file of Rust's own test framework. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.native_test import FoundTest

NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|r(\#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'""", re.DOTALL
)
TOKEN = re.compile(r"#\s*!?\s*\[|\bmod\s+(\w+)\s*\{|\bfn\s+(\w+)|\bmacro_rules!|[{};]")


@dataclass(slots=True)
class _Reading:
    """`groups` are the open modules with the depth at which each was opened; None is one that is
    left out."""

    groups: list[tuple[str | None, int]] = field(default_factory=list[tuple[str | None, int]])
    depth: int = 0
    attributes: list[str] = field(default_factory=list[str])


def rust_tests(text: str) -> list[FoundTest]:
    """The test functions, in order, but for those that a feature or a platform has to switch on.

    Raises NotImportable where tests are made by macros, so that their names don't stand there.
    """
    code = NO_CODE.sub(" ", text)
    return list(_tests(code, _Reading()))


def _tests(code: str, reading: _Reading) -> Iterator[FoundTest]:
    place = 0
    while found := TOKEN.search(code, place):
        place = found.end()
        token = found[0]
        if token.startswith("#"):
            place = _closing(code, place)
            reading.attributes.append(code[found.end() : place - 1])
            continue
        if token == "macro_rules!":
            place = _after_macro(code, place)
        elif found[1]:
            left_out = any(one.startswith("cfg") for one in reading.attributes)
            reading.groups.append((None if left_out else found[1], reading.depth))
            reading.depth += 1
        elif found[2]:
            yield from _test(found[2], reading)
        else:
            _step(token, reading)
        reading.attributes.clear()


def _test(name: str, reading: _Reading) -> Iterator[FoundTest]:
    kinds = [attribute.split("(")[0].strip() for attribute in reading.attributes]
    groups = [group for group, _ in reading.groups]
    if "test" not in kinds or "cfg" in kinds or None in groups:
        return
    path = (*(group for group in groups if group), name)
    yield FoundTest("::".join(path), path)


def _step(token: str, reading: _Reading) -> None:
    if token == "{":
        reading.depth += 1
    elif token == "}":
        reading.depth -= 1
        if reading.groups and reading.groups[-1][1] == reading.depth:
            reading.groups.pop()


def _closing(code: str, place: int) -> int:
    """Behind the bracket that closes the one before `place`."""
    depth = 1
    while depth and place < len(code):
        depth += {"[": 1, "]": -1}.get(code[place], 0)
        place += 1
    return place


def _after_macro(code: str, place: int) -> int:
    depth, start = 0, place
    while place < len(code):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        place += 1
        if depth == 0 and code[place - 1] == "}":
            break
    if re.search(r"#\s*\[\s*test\s*\]", code[start:place]):
        raise NotImportable("a macro makes its tests, so their names can't be read")
    return place
