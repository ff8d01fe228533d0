"""Lines of a record as text for a row: a tenth of their size, and no file each."""

import base64
import zlib


def packed(lines: list[bytes]) -> str:
    """The lines, compressed."""
    return base64.b64encode(zlib.compress(b"\n".join(lines))).decode()


def unpacked(text: str) -> list[bytes]:
    """What `packed` was given."""
    return zlib.decompress(base64.b64decode(text)).split(b"\n")
