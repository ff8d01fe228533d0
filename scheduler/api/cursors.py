"""Opaque marks of how far a list was read. Each holds a key, so that a page costs what it shows."""

import base64
import binascii
import re

from models.errors import InputFault, InvalidInput

WITHIN = re.compile(r"([a-z]+):([0-9]{1,18})")


def cursor_at(kind: str, key: int) -> str:
    """The mark behind the item `key` of the list `kind`, for URLs."""
    return base64.urlsafe_b64encode(f"{kind}:{key}".encode()).decode().rstrip("=")


def key_in(cursor: str | None, kind: str) -> int | None:
    """The key that `cursor_at` put in. Raises InvalidInput for anything else."""
    if cursor is None:
        return None
    padded = cursor + "=" * (-len(cursor) % 4)
    try:
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    found = WITHIN.fullmatch(text)
    if found is None or found[1] != kind:
        remedy = "take it from `next` of the page before, or leave it out"
        fault = InputFault("query.cursor", "no cursor of this list", remedy)
        raise InvalidInput("the request", [fault])
    return int(found[2])
