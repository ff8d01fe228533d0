"""Server-sent events: whole events out of pieces of bytes. Pure."""

import json
import re
from collections.abc import Iterator
from typing import cast

_END = re.compile(rb"\r?\n\r?\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")


class EventSplitter:
    """Takes bytes as they come and gives whole events."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The events that `data` completes, each without the empty line that ends it."""
        self._rest += data
        *whole, self._rest = _END.split(self._rest)
        yield from (one for one in whole if one.strip())


def event_data(event: bytes) -> bytes:
    """What the event says: its `data` lines."""
    return b"\n".join(_field(event, b"data"))


def event_kind(event: bytes) -> str:
    """What the event calls itself, empty where it does not."""
    return b"".join(_field(event, b"event")[-1:]).decode("utf-8", "replace")


def _field(event: bytes, wanted: bytes) -> list[bytes]:
    told = (line.partition(b":") for line in _LINE.split(event))
    return [value.removeprefix(b" ") for name, _, value in told if name == wanted]


def data_object(event: bytes) -> dict[str, object] | None:
    """The JSON object that the event says, None where it says another thing."""
    try:
        value = cast("object", json.loads(event_data(event)))
    except ValueError:
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def as_event(value: object, kind: str = "") -> bytes:
    """An event that says `value`."""
    head = f"event: {kind}\n".encode() if kind else b""
    return head + b"data: " + json.dumps(value, separators=(",", ":")).encode()
