"""What a provider says that a reply used and why it ended, in each format. Pure."""

from collections.abc import Mapping
from typing import cast

from models.schemas.model_call import Stop, TokenUsage, Wire

Json = Mapping[str, object]
NOTHING: Json = {}
MOST_TOKENS = 10**9
"""No reply has so many: whoever tells more tells nothing, and the sums of a campaign stay exact."""

_CHAT_STOPS: dict[str, Stop] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "refusal",
    "error": "error",
}
_ANTHROPIC_STOPS: dict[str, Stop] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}
_INCOMPLETE: dict[str, Stop] = {"max_output_tokens": "length", "content_filter": "refusal"}


def usage_of(wire: Wire, usage: object) -> TokenUsage | None:
    """The five counts of a provider's usage object; None where it is none or makes no sense."""
    if not isinstance(usage, Mapping):
        return None
    held = cast("Json", usage)
    if wire == "anthropic":
        return _anthropic(held)
    names = ("prompt", "completion") if wire == "openai-chat" else ("input", "output")
    return _openai(held, *names)


def _anthropic(usage: Json) -> TokenUsage | None:
    fresh, written = count_at(usage, "input_tokens"), count_at(usage, "output_tokens")
    if fresh is None or written is None:
        return None
    return TokenUsage(
        input_uncached=fresh,
        cache_read=count_at(usage, "cache_read_input_tokens") or 0,
        cache_write=count_at(usage, "cache_creation_input_tokens") or 0,
        output=written,
    )


def _openai(usage: Json, read_name: str, written_name: str) -> TokenUsage | None:
    read, written = (
        count_at(usage, f"{read_name}_tokens"),
        count_at(usage, f"{written_name}_tokens"),
    )
    if read is None or written is None:
        return None
    inputs = object_at(usage, f"{read_name}_tokens_details")
    outputs = object_at(usage, f"{written_name}_tokens_details")
    cached = min(read, count_at(inputs, "cached_tokens") or 0)
    stored = min(read - cached, count_at(inputs, "cache_write_tokens") or 0)
    thought = min(written, count_at(outputs, "reasoning_tokens") or 0)
    return TokenUsage(
        input_uncached=read - cached - stored,
        cache_read=cached,
        cache_write=stored,
        output=written - thought,
        reasoning=thought,
    )


def stop_of(wire: Wire, reply: Json) -> Stop:
    """Why a whole reply ended."""
    if wire == "openai-chat":
        return chat_stop(reply)
    if wire == "anthropic":
        return anthropic_stop(reply.get("stop_reason"))
    return _response_stop(reply)


def chat_stop(reply: Json) -> Stop:
    """Of the first choice of a chat completion, or of a chunk of one; unknown: it goes on."""
    choice = _first(reply.get("choices"))
    stop = _known(_CHAT_STOPS, choice.get("finish_reason"), "unknown")
    message = object_at(choice, "message")
    return "refusal" if stop == "stop" and message.get("refusal") else stop


def anthropic_stop(reason: object) -> Stop:
    """Of Anthropic's `stop_reason`."""
    return _known(_ANTHROPIC_STOPS, reason, "unknown")


def _response_stop(reply: Json) -> Stop:
    status = reply.get("status")
    if status == "incomplete":
        reason = object_at(reply, "incomplete_details").get("reason")
        return _known(_INCOMPLETE, reason, "length")
    if status != "completed":
        return "error" if status == "failed" else "unknown"
    output = reply.get("output")
    items = cast("list[object]", output) if isinstance(output, list) else []
    kinds = [_mapping(item).get("type") for item in items]
    if "function_call" in kinds or "custom_tool_call" in kinds:
        return "tool"
    parts = [_first(_mapping(item).get("content")).get("type") for item in items]
    return "refusal" if "refusal" in parts else "stop"


def _known(stops: Mapping[str, Stop], reason: object, other: Stop) -> Stop:
    """A provider may name any JSON as the reason."""
    return stops.get(reason, other) if isinstance(reason, str) else other


def object_at(holder: Json, name: str) -> Json:
    """The object under `name`; an empty one where there is none."""
    return _mapping(holder.get(name))


def _mapping(value: object) -> Json:
    return cast("Json", value) if isinstance(value, Mapping) else NOTHING


def _first(value: object) -> Json:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return _mapping(items[0]) if items else NOTHING


def count_at(holder: Json, name: str) -> int | None:
    """The tokens that `name` tells; None where it tells nothing that anybody can have counted."""
    value = holder.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None
