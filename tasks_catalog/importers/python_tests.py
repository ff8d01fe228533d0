"""Finds the tests in files of Python's unittest. Pure."""

import ast
from collections.abc import Iterator

from tasks_catalog.importers.import_report import NotImportable
from tasks_catalog.importers.native_test import FoundTest

PREFIX = "test"


def python_tests(text: str) -> list[FoundTest]:
    """The test methods of every class that is a TestCase, in order. Raises NotImportable."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise NotImportable(f"line {error.lineno} of its tests is no Python") from None
    methods: dict[str, list[str]] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_test_case(node, methods):
            inherited = [name for base in _base_names(node) for name in methods.get(base, [])]
            methods[node.name] = list(dict.fromkeys([*inherited, *_own_methods(node)]))
    return [
        FoundTest(f"{kind}.{name}", (kind, name.removeprefix(PREFIX).strip("_") or name))
        for kind, names in methods.items()
        for name in names
    ]


def _is_test_case(node: ast.ClassDef, known: dict[str, list[str]]) -> bool:
    return any(base == "TestCase" or base in known for base in _base_names(node))


def _base_names(node: ast.ClassDef) -> Iterator[str]:
    for base in node.bases:
        if isinstance(base, ast.Name):
            yield base.id
        elif isinstance(base, ast.Attribute):
            yield base.attr


def _own_methods(node: ast.ClassDef) -> Iterator[str]:
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name.startswith(PREFIX):
            yield item.name
