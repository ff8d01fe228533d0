"""Finds the line of a field in a TOML text, so that a fault can point at it."""

import re

TABLE = re.compile(r"^\s*\[(?P<many>\[)?\s*(?P<name>[A-Za-z0-9_.\-\"' ]+?)\s*\]")
KEY = re.compile(r"^\s*(?P<key>[A-Za-z0-9_\-]+|\"[^\"]*\"|'[^']*')\s*(?:\.[^=]*)?=")


def field_lines(text: str) -> dict[str, int]:
    """Line numbers, from 1, of tables and keys by dotted path, `systems[0].agent` for arrays.

    Lines inside multi-line strings may be taken for keys; the first line of a path wins, so
    that this never hides a real one above it.
    """
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if table := TABLE.match(line):
            prefix = _table_path(table, counts)
            lines.setdefault(prefix, number)
        elif key := KEY.match(line):
            name = key["key"].strip("\"'")
            lines.setdefault(f"{prefix}.{name}" if prefix else name, number)
    return lines


def _table_path(table: re.Match[str], counts: dict[str, int]) -> str:
    """The path of a table header; a table below an array belongs to its last element."""
    parts = [part.strip().strip("\"'") for part in table["name"].split(".")]
    path = ""
    for depth, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        last = depth == len(parts) - 1
        if last and table["many"]:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = f"{path}[{counts[path]}]"
    return path


def place_of(path: str, lines: dict[str, int]) -> str:
    """`path (line n)`, with the line of the nearest enclosing field that is written down."""
    known = path
    while known:
        if known in lines:
            return f"{path} (line {lines[known]})"
        known = known[: max(known.rfind("."), known.rfind("["), 0)]
    return path
