"""The file that holds the contents of a snapshot while it is made."""

from tempfile import SpooledTemporaryFile

_IN_MEMORY_BYTES = 4 * 2**20


def open_pack() -> "SpooledTemporaryFile[bytes]":
    """An empty pack, gone when it is closed. Large ones are on disk: what judged code leaves
    behind must not decide how much memory a worker needs."""
    return SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)
