"""The rows of a backup as files: JSON lines, compressed; the first line names the columns."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import cast

from models.errors import InputFault, InvalidInput
from models.schemas.backup import KeptTable

SUFFIX = ".jsonl.gz"


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> KeptTable:
    """Write a table's rows to `path`. Raises OSError."""
    hashed, lines = hashlib.sha256(), 0
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for row in chain([columns], rows):
            line = json.dumps(list(row), ensure_ascii=False).encode() + b"\n"
            hashed.update(line)
            packed.write(line)
            lines += 1
    return KeptTable(rows=lines - 1, digest=f"sha256:{hashed.hexdigest()}")


def read_rows(path: Path) -> tuple[list[str], Iterator[list[object]]]:
    """The columns and the rows that `write_rows` wrote. Raises OSError, ValueError, EOFError."""
    lines = _lines(path)
    columns = cast("list[str]", json.loads(next(lines)))
    return columns, (cast("list[object]", json.loads(line)) for line in lines)


def check_rows(path: Path, kept: KeptTable) -> InputFault | None:
    """What is wrong with a table's file, None where it is as it was written."""
    hashed, lines = hashlib.sha256(), 0
    try:
        for line in _lines(path):
            hashed.update(line)
            lines += 1
    except (OSError, EOFError, zlib.error) as error:
        return InputFault(str(path), f"can't be read: {error}", "take another backup")
    if (lines - 1, f"sha256:{hashed.hexdigest()}") != (kept.rows, kept.digest):
        return InputFault(str(path), "is not what was written", "take another backup")
    return None


def refuse_faults(where: str, faults: Iterable[InputFault | None]) -> None:
    """Raises InvalidInput with all faults that there are."""
    if found := [fault for fault in faults if fault is not None]:
        raise InvalidInput(where, found)


def _lines(path: Path) -> Iterator[bytes]:
    with gzip.open(path, "rb") as file:
        yield from file
