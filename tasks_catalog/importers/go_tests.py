"""Finds the tests in files of Go's testing package. Pure."""

import ast
import re

from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.native_test import FoundTest

NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|`[^`]*`|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
TEST = re.compile(r"^func (Test(?![a-z])\w*)\(\w+ \*testing\.T\)", re.MULTILINE)
CONSTRAINT = re.compile(r"^//go:build (.+)$", re.MULTILINE)
ALWAYS_SET = frozenset({"linux", "unix", "gc"})


def go_tests(text: str) -> list[FoundTest]:
    """The top-level tests of a file, in order; none where a build constraint leaves it out.

    Their parts get their names when they run: a test passes if all of its parts do.
    Raises NotImportable.
    """
    constraint = CONSTRAINT.search(text)
    if constraint and not _holds(constraint[1]):
        return []
    names = TEST.findall(NO_CODE.sub("", text))
    return [FoundTest(name, (name.removeprefix("Test").strip("_"),)) for name in names]


def _holds(constraint: str) -> bool:
    """Whether a build constraint holds where no tag is given."""
    spelled = constraint.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    try:
        return _value(ast.parse(spelled.strip(), mode="eval").body)
    except SyntaxError:
        raise NotImportable(f"the build constraint {constraint!r} can't be read") from None


def _value(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        joined = all if isinstance(node.op, ast.And) else any
        return joined([_value(one) for one in node.values])
    if isinstance(node, ast.UnaryOp):
        return not _value(node.operand)
    return isinstance(node, ast.Name) and node.id in ALWAYS_SET
