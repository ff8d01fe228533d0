"""The chain of events: each line names the SHA-256 of the one before."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from models.canonical import canonical_bytes
from models.records.canonical_lines import read_canonical, writable
from models.records.refusal import Reason, RecordRefused, first_fault
from models.schemas.record_event import EventType, RecordEvent

BEGIN = "0" * 64
"""What the first line names as the one before."""
Source = Literal["recorder", "grader"]


@dataclass(frozen=True, slots=True)
class Moment:
    """When, in milliseconds: since the epoch, and since the stage began."""

    t: int
    mono: int


@dataclass(slots=True)
class EventChain:
    """The lines of one record as they are written, without line ends."""

    run: str
    src: Source
    lines: list[bytes] = field(default_factory=list[bytes])

    @property
    def head(self) -> str:
        """The SHA-256 of the last line."""
        return line_digest(self.lines[-1]) if self.lines else BEGIN

    def add(
        self,
        kind: EventType,
        body: Mapping[str, Any],
        at: Moment,
        actor: tuple[str, str],
        cause: int | None = None,
    ) -> int:
        """Append an event; returns its `seq`. What `body` can't hold exactly becomes text."""
        seq = len(self.lines)
        event = {
            "v": 1,
            "run": self.run,
            "seq": seq,
            "prev": self.head,
            "t": at.t,
            "mono": at.mono,
            "src": self.src,
            "actor": {"kind": actor[0], "id": actor[1]},
            "type": kind.value,
            "cause": cause,
            "body": writable(dict(body)),
        }
        self.lines.append(canonical_bytes(event))
        return seq


def line_digest(line: bytes) -> str:
    """SHA-256 of a line without its end, in hexadecimal."""
    return hashlib.sha256(line).hexdigest()


def joined(lines: list[bytes]) -> bytes:
    """The lines as a file, each with its end."""
    return b"".join(line + b"\n" for line in lines)


def split_lines(data: bytes) -> list[bytes]:
    """The lines of a file. Raises RecordRefused (line_end) where the last one has no end."""
    if not data.endswith(b"\n"):
        raise RecordRefused(Reason.LINE_END, "events.jsonl does not end with a line end.")
    return data[:-1].split(b"\n")


def read_chain(lines: list[bytes]) -> list[RecordEvent]:
    """Every event. Raises RecordRefused for lines that are not canonical, are no events (also
    one caused by itself or a later one), or are not the chain that they say they are."""
    events: list[RecordEvent] = []
    before = BEGIN
    for seq, line in enumerate(lines):
        event = _read_event(line, f"line {seq + 1} of events.jsonl")
        if (event.seq, event.prev) != (seq, before) or event.run != (events or [event])[0].run:
            raise RecordRefused(
                Reason.BROKEN_CHAIN,
                f"line {seq + 1} of events.jsonl (seq {event.seq}) does not follow the line "
                "before: a line was taken out, moved or put in.",
            )
        if event.cause is not None and not 0 <= event.cause < seq:
            raise RecordRefused(
                Reason.NOT_AN_EVENT,
                f"line {seq + 1} of events.jsonl: cause: {event.cause} is no earlier event's seq.",
            )
        before = line_digest(line)
        events.append(event)
    return events


def _read_event(line: bytes, what: str) -> RecordEvent:
    try:
        return RecordEvent.model_validate(read_canonical(line, what), strict=True)
    except ValidationError as error:
        raise RecordRefused(Reason.NOT_AN_EVENT, f"{what}: {first_fault(error)}.") from error
