"""The tree reads like a table of contents, and stays that way."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("models", "tasks_catalog", "workers", "scheduler")
DATA = (
    "tasks_catalog/bundled",
    "tasks_catalog/template",
    "tasks_catalog/languages",
    "models/migrations/versions",
)
BANNED_NAMES = {"utils", "util", "helpers", "common", "manager", "service", "misc", "core"}
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50


def tracked() -> list[str]:
    """Every file that is, or is about to be, part of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def code_files(*packages: str) -> Iterator[Path]:
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.relative_to(ROOT).as_posix().startswith(DATA):
                yield path


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_the_top_level_holds_only_what_the_layout_names() -> None:
    folders = {name.split("/")[0] for name in tracked() if "/" in name}
    assert folders == {*PACKAGES, "deploy", "tests", ".ci"}


def test_every_package_is_linted_for_layers() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(config["tool"]["importlinter"]["root_packages"]) == set(PACKAGES)


@pytest.mark.parametrize("package", [*PACKAGES, "tests"])
def test_every_code_folder_has_an_init_file_that_exports_nothing(package: str) -> None:
    for folder in {path.parent for path in code_files(package)}:
        init = folder / "__init__.py"
        assert init.is_file(), f"{folder.relative_to(ROOT)} has no __init__.py"
        body = ast.parse(init.read_text()).body
        others = [n for n in body if not (isinstance(n, ast.Expr))]
        if folder.relative_to(ROOT).as_posix() == "models/tables":
            others = [n for n in others if not isinstance(n, ast.Import | ast.ImportFrom)]
        assert not others, f"{init.relative_to(ROOT)} does more than say what it is"
        assert ast.get_docstring(ast.parse(init.read_text())), f"{init} has no docstring"


def test_names_say_what_a_file_does() -> None:
    for path in code_files(*PACKAGES):
        for part in path.relative_to(ROOT).with_suffix("").parts:
            assert part not in BANNED_NAMES, path


def test_modules_and_functions_stay_small() -> None:
    long: list[str] = []
    for path in code_files(*PACKAGES):
        lines = len(path.read_text().splitlines())
        if lines > MAX_MODULE_LINES:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines")
        for function in functions(path):
            length = (function.end_lineno or 0) - function.lineno + 1
            if length > MAX_FUNCTION_LINES:
                long.append(f"{path.relative_to(ROOT)}:{function.name}: {length} lines")
    assert not long, "\n".join(long)


def test_only_the_settings_read_the_environment() -> None:
    reads = re.compile(r"os\.environ|os\.getenv|from os import environ")
    for path in code_files(*PACKAGES):
        if path != ROOT / "models" / "settings.py":
            assert not reads.search(path.read_text()), path.relative_to(ROOT)


def test_only_the_transaction_commits() -> None:
    for path in code_files(*PACKAGES):
        if path != ROOT / "models" / "storage" / "transaction.py":
            assert ".commit()" not in path.read_text(), path.relative_to(ROOT)


def test_every_module_and_public_function_says_what_it_is() -> None:
    silent: list[str] = []
    for path in code_files(*PACKAGES):
        tree = ast.parse(path.read_text())
        if not ast.get_docstring(tree):
            silent.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if named and not node.name.startswith("_") and not ast.get_docstring(node):
                silent.append(f"{path.relative_to(ROOT)}:{node.name}")
    assert not silent, "\n".join(silent)


def test_a_deferred_import_gives_its_reason() -> None:
    bare: list[str] = []
    for path in code_files(*PACKAGES):
        lines = path.read_text().splitlines()
        head = "\n".join(lines[:12])
        if "Imports inside functions:" in head:
            continue
        for function in functions(path):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    near = "\n".join(lines[max(0, node.lineno - 4) : node.lineno])
                    if "#" not in near:
                        bare.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not bare, "\n".join(bare)


def test_nothing_names_a_machine_path_or_a_registry_host() -> None:
    banned = re.compile(
        r"/work/(?:main|shared)|\.library|pypi\.org|files\.pythonhosted|registry\.npmjs"
        r"|proxy\.golang|crates\.io|repo1?\.maven|deb\.debian"
    )
    for name in tracked():
        if name == "tests/architecture/test_layout.py":
            continue
        try:
            text = (ROOT / name).read_text()
        except UnicodeDecodeError:
            continue
        found = banned.search(text)
        assert not found, f"{name} names {found.group(0) if found else ''}"
