"""Lines of a record as text for a row: a tenth of their size, and no file each."""

import base64
import zlib

from models.records.refusal import Reason, RecordRefused

MOST_BYTES = 256 << 20
"""A few kilobytes can say that they are more than any memory holds."""


def packed(lines: list[bytes]) -> str:
    """The lines, compressed."""
    return base64.b64encode(zlib.compress(b"\n".join(lines))).decode()


def unpacked(text: str) -> list[bytes]:
    """What `packed` was given. Raises RecordRefused (not_a_record) for what it did not make."""
    reading = zlib.decompressobj()
    try:
        data = reading.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
    except (ValueError, zlib.error) as error:
        raise _unfit(f"can't be unpacked: {error}") from error
    if not reading.eof or reading.unused_data:
        raise _unfit("have no end where they should")
    return data.split(b"\n")


def _unfit(why: str) -> RecordRefused:
    return RecordRefused(Reason.NOT_A_RECORD, f"packed lines {why}.")
