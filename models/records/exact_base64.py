"""Reads base64 that has one form only: no bit of it may be changed and still mean the same."""

import base64


def read_base64(text: str) -> bytes:
    """The bytes that `text` stands for. Raises ValueError for whatever `b64encode` would write
    otherwise: the unused bits of its last letter are not zero, or it is none."""
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("base64 of another form")
    return data
