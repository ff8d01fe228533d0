"""Server-sent events: whole events out of pieces of bytes. Pure."""

import json
import re
from typing import cast

from models.limitless_json import read_limitless

_END = re.compile(rb"\r?\n\r?\n|\r\r")
LONGEST_END = 4
_LINE = re.compile(rb"\r\n|\n|\r")


class EventSplitter:
    """Takes bytes as they come and gives whole events."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The events that `data` completes, each without the empty line that ends it."""
        # No end lies in what was there before; of one that begins there, all but a byte may.
        new = max(0, len(self._rest) - LONGEST_END + 1)
        self._rest += data
        whole, begin = list[bytes](), 0
        for end in _END.finditer(self._rest, new):
            whole.append(bytes(self._rest[begin : end.start()]))
            begin = end.end()
        del self._rest[:begin]
        return [one for one in whole if one.strip()]


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
    return json_object(event_data(event))


def json_object(data: bytes) -> dict[str, object] | None:
    """The JSON object in `data`, None where it is another thing or none."""
    try:
        value = read_limitless(data)
    except ValueError:
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def as_event(value: object, kind: str = "") -> bytes:
    """An event that says `value`."""
    head = f"event: {kind}\n".encode() if kind else b""
    return head + b"data: " + json.dumps(value, separators=(",", ":")).encode()
