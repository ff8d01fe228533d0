"""Reads a file that a person names: it may be any file, also one without an end."""

from io import BytesIO, TextIOWrapper
from pathlib import Path

from models.errors import InputFault, InvalidInput


def read_named(file: Path, most: int) -> bytes:
    """What is in `file`, which may have `most` bytes. A pipe is read until its end.

    Raises InvalidInput, naming the file, where there are more, and OSError.
    """
    with file.open("rb") as opened:
        # Bounded by what is read: a pipe or a device tells no size, and a file may grow.
        found = opened.read(most + 1)
        if len(found) <= most:
            return found
        size = file.stat().st_size
    told = f"has {size:,} bytes" if size > most else "goes on"
    fault = InputFault(
        str(file), f"{told}, more than the {most:,} that are read", "name the file that was meant"
    )
    raise InvalidInput("the files", [fault])


def read_named_text(file: Path, most: int) -> str:
    """As `read_named`, of a text in UTF-8 with any line ends. Raises UnicodeDecodeError too."""
    return TextIOWrapper(BytesIO(read_named(file, most)), encoding="utf-8").read()
