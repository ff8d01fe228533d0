"""JSON that a stranger wrote, read whatever the depth of its values and the length of its numbers.

Python's own reader gives up on both, and who wrote them is not always who would be blamed.
"""

import json
import re

DEEPEST = 100
"""What is nested deeper becomes an ellipsis; no reader after this one has to go deeper."""
LONGEST = 4_000
"""Digits of a whole number; what is longer becomes null. Python reads no more than 4,300."""
_NESTED = '"…"'
_MARK = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


def read_limitless(text: str | bytes) -> object:
    """The value that `text` is. Raises ValueError for what is no JSON, and what has no end."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if text.count("[") + text.count("{") > DEEPEST:
        text = _shallow(text)
    return json.loads(text, parse_int=_whole_number)


def _whole_number(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST else None


def _shallow(text: str) -> str:
    """`text` without what is nested too deep."""
    kept: list[str] = []
    depth = begin = 0
    for mark in _MARK.finditer(text):
        match text[mark.start()]:
            case "[" | "{":
                if depth == DEEPEST:
                    kept.append(text[begin : mark.start()])
                depth += 1
            case "]" | "}":
                depth -= 1
                if depth == DEEPEST:
                    kept.append(_NESTED)
                    begin = mark.end()
            case _:
                pass
    if depth > DEEPEST:
        raise ValueError("it has no end")
    return "".join([*kept, text[begin:]])
