"""Plain columns for a terminal, and JSON for a program."""

import re
import sys
from collections.abc import Iterable, Sequence

from pydantic_core import to_json

from models.plain_text import one_line

UNPRINTED = re.compile("[\x7f-\x9f]")
"""Control characters that JSON may hold as they are, and that terminals obey."""


def columns(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Left-aligned columns, two spaces apart, under a head; numbers are right-aligned."""
    cells = [[_text(value) for value in row] for row in rows]
    numeric = [
        bool(cells)
        and all(row[place].replace(".", "").isdigit() or not row[place] for row in cells)
        for place in range(len(head))
    ]
    widths = [
        max(len(title), *(len(row[place]) for row in cells)) if cells else len(title)
        for place, title in enumerate(head)
    ]

    def line(row: Sequence[str]) -> str:
        padded = [
            value.rjust(width) if right else value.ljust(width)
            for value, width, right in zip(row, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(head), *(line(row) for row in cells)])


def _text(value: object) -> str:
    return "" if value is None else one_line(str(value))


def print_json(value: object) -> None:
    """Print a value, schemas inside it included, as one JSON document."""
    text = to_json(value, indent=2).decode()
    sys.stdout.write(UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")
