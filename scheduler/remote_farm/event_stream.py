"""Server-sent events, as lines come in. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerEvent:
    """One event; `id` is that of the newest event that had one, `data` its lines joined."""

    name: str
    data: str
    id: str


def events_in(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """The events of a stream (HTML standard, 9.2.6); comments and unknown fields are left out.

    An event that the stream broke off is none.
    """
    name, data, last_id = "", list[str](), ""
    for line in lines:
        if not line:
            if data:
                yield ServerEvent(name or "message", "\n".join(data), last_id)
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id" and "\0" not in value:
            last_id = value
