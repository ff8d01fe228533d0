"""Writes the answer that a check expects, as a program would print it. Pure."""

import json

from pydantic import JsonValue

from models.schemas.check import Check


def answer_bytes(check: Check) -> bytes:
    """Bytes that the check accepts: the shortest way to write its expected answer."""
    expected = check.expect.stdout
    if check.compare.kind == "text":
        return str(expected).encode("utf-8")
    lines = expected if check.compare.kind == "json-lines" else [expected]
    return b"".join(map(json_line, lines if isinstance(lines, list) else [lines]))


def json_line(value: JsonValue) -> bytes:
    """`value` as one line of JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
