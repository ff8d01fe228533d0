"""Where an SQLite database lies, without opening it."""

from pathlib import Path

SQLITE = "sqlite:///"


def database_file(url: str) -> Path | None:
    """The file of an SQLite database; None for a database on a server."""
    return Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None


def database_exists(url: str) -> bool:
    """Whether there is something to connect to; a server shows that only when it is asked."""
    file = database_file(url)
    return file is None or file.exists()
