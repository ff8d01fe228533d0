"""Following a streamed reply: what it used, why it ended, what the client is shown. Pure."""

from typing import Protocol

from models.schemas.model_call import Stop, TokenUsage, Wire
from workers.model_gateway.event_stream import as_event, data_object, event_data
from workers.model_gateway.usage_reading import (
    Json,
    anthropic_stop,
    chat_stop,
    object_at,
    stop_of,
    usage_of,
)

LAST_KINDS = (
    b"message_stop",
    b"response.completed",
    b"response.incomplete",
    b"response.failed",
)


def is_end(event: bytes) -> bool:
    """Whether nothing follows this event that belongs to the reply."""
    data = event_data(event).strip()
    if data == b"[DONE]":
        return True
    said = data_object(event) if any(kind in data for kind in LAST_KINDS) else None
    kind = None if said is None else said.get("type")
    return isinstance(kind, str) and kind.encode() in LAST_KINDS


class StreamReader(Protocol):
    """Reads the events of one reply.

    `usage` is None until the provider has told all of it, `read` what it told of the input alone.
    `finished` says that the reply is whole.
    """

    usage: TokenUsage | None
    read: TokenUsage | None
    stop: Stop
    finished: bool

    def show(self, event: bytes) -> bytes | None:
        """Take note of an event; the event for the client, None for none."""
        ...


def stream_reader(wire: Wire, *, hide_usage: bool) -> StreamReader:
    """A reader for one reply; `hide_usage` where the client did not ask for it (openai-chat)."""
    if wire == "openai-chat":
        return _ChatReader(hide_usage=hide_usage)
    return _AnthropicReader() if wire == "anthropic" else _ResponsesReader()


class _ChatReader:
    """The chunk with the usage comes after the one with the reason, and has no choice."""

    def __init__(self, *, hide_usage: bool) -> None:
        self._hide = hide_usage
        self._so_far: TokenUsage | None = None
        self.usage: TokenUsage | None = None
        self.read: TokenUsage | None = None
        self.stop: Stop = "unknown"
        self.finished = False

    def show(self, event: bytes) -> bytes | None:
        if is_end(event):
            self.finished = True
            self.usage = self._so_far
            return event
        chunk = data_object(event)
        if chunk is None:
            return event
        if (stop := chat_stop(chunk)) != "unknown":
            self.stop = stop
        if (usage := usage_of("openai-chat", chunk.get("usage"))) is not None:
            self._count(usage, is_last=self.stop != "unknown" or not chunk.get("choices"))
        if "error" in chunk:
            self.stop = "error"
        if not self._hide or "usage" not in chunk:
            return event
        if not chunk.get("choices"):
            return None
        return as_event({name: value for name, value in chunk.items() if name != "usage"})

    def _count(self, usage: TokenUsage, *, is_last: bool) -> None:
        """Some count in every chunk: before the end that is only what was written so far."""
        self._so_far = usage
        self.read = usage.model_copy(update={"output": 0, "reasoning": 0})
        if is_last:
            self.usage = usage


class _AnthropicReader:
    """Counts are sums so far: a later one takes the place of an earlier one."""

    def __init__(self) -> None:
        self._counts: dict[str, object] = {}
        self.usage: TokenUsage | None = None
        self.read: TokenUsage | None = None
        self.stop: Stop = "unknown"
        self.finished = False

    def show(self, event: bytes) -> bytes | None:
        said = data_object(event)
        if said is None:
            return event
        kind = said.get("type")
        if kind == "message_start":
            self._count(object_at(object_at(said, "message"), "usage"))
            counted = usage_of("anthropic", {**self._counts, "output_tokens": 0})
            self.read = counted
        elif kind == "message_delta":
            self._count(object_at(said, "usage"))
            reason = object_at(said, "delta").get("stop_reason")
            if reason is not None:
                self.stop = anthropic_stop(reason)
                self.usage = usage_of("anthropic", self._counts)
        elif kind == "message_stop":
            self.finished = True
        elif kind == "error":
            self.stop = "error"
        return event

    def _count(self, usage: Json) -> None:
        self._counts |= {name: value for name, value in usage.items() if value is not None}


class _ResponsesReader:
    """The last event holds the whole response."""

    def __init__(self) -> None:
        self.usage: TokenUsage | None = None
        self.read: TokenUsage | None = None
        self.stop: Stop = "unknown"
        self.finished = False

    def show(self, event: bytes) -> bytes | None:
        said = data_object(event)
        kind = None if said is None else said.get("type")
        if said is not None and is_end(event):
            response = object_at(said, "response")
            self.usage = usage_of("openai-responses", response.get("usage"))
            self.stop = stop_of("openai-responses", response)
            self.finished = True
        elif kind == "error":
            self.stop = "error"
        return event
