"""What a gateway must not forget when it ends: grants, calls begun, calls settled.

One file of JSON lines for each grant. A line is written before what it speaks of goes on, so that
a gateway which was killed knows afterwards what it had promised. No key is in there, only hashes.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

ENDING = ".jsonl"

Entry = dict[str, object]


class Journal:
    """The files below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def write(self, grant: str, entry: Entry) -> None:
        """Add one line. Raises OSError."""
        line = json.dumps(entry, separators=(",", ":"))
        with (self.folder / f"{grant}{ENDING}").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def read_all(self) -> Iterator[tuple[str, list[Entry]]]:
        """Every grant with its lines, in the order in which they were opened."""
        told = {path.name.removesuffix(ENDING): _lines(path) for path in self._files()}
        yield from sorted(
            ((grant, lines) for grant, lines in told.items() if lines),
            key=lambda one: opened_at(one[1][0]),
        )

    def remove(self, grant: str) -> None:
        """Forget a grant."""
        (self.folder / f"{grant}{ENDING}").unlink(missing_ok=True)

    def _files(self) -> Iterator[Path]:
        return self.folder.glob(f"*{ENDING}")


def opened_at(first: Entry) -> float:
    """When a grant was opened, by the first line of it, in epoch seconds; 0 where it tells none."""
    opened = first.get("opened")
    return float(opened) if isinstance(opened, (int, float)) else 0.0


def _lines(path: Path) -> list[Entry]:
    """The whole lines; the last may be a part of one."""
    lines: list[Entry] = []
    for text in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        with suppress(ValueError, RecursionError):
            value = cast("object", json.loads(text))
            if isinstance(value, dict):
                lines.append(cast("Entry", value))
    return lines
