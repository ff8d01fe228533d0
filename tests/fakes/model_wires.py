"""What providers of language models send, in each of their formats, for one scripted reply."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from models.schemas.model_call import TokenUsage, Wire

PATHS: dict[str, Wire] = {
    "/v1/chat/completions": "openai-chat",
    "/v1/responses": "openai-responses",
    "/v1/messages": "anthropic",
}
RAW = "stands for JSON"
PIECES = 4
"""A text is streamed in so many pieces, or fewer."""


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants to be run; `arguments` as JSON text, malformed if need be."""

    name: str
    arguments: str
    id: str = "call_1"


@dataclass(frozen=True)
class Reply:
    """What the model says, and how badly the line behaves meanwhile.

    `usage` None: words are counted. `cut_after`: the connection is closed after so many events of
    a stream, or in the middle of a body. `silent_after`: after so many events of a stream no more
    comes until the client leaves. `delay_s`: before the first byte; `pause_s`: before each
    event of a stream. `raw` is JSON that takes the place of the text RAW in a body.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: TokenUsage | None = None
    stop: Literal["stop", "length", "tool", "refusal"] = "stop"
    cut_after: int | None = None
    silent_after: int | None = None
    delay_s: float = 0.0
    pause_s: float = 0.0
    raw: str = ""


@dataclass(frozen=True)
class Ask:
    """One request as it came in. `turn` counts the replies that its conversation already has."""

    wire: Wire
    model: str
    body: dict[str, Any]
    key: str
    turn: int
    streamed: bool
    text: str = field(repr=False, default="")


def read_ask(wire: Wire, body: dict[str, Any], key: str) -> Ask:
    """The parts of a request that scripts go by."""
    told = body.get("input") if wire == "openai-responses" else body.get("messages")
    turns = told if isinstance(told, list) else []
    turn = sum(1 for one in turns if one.get("role") == "assistant")
    text = json.dumps(body, ensure_ascii=False)
    return Ask(wire, str(body.get("model")), body, key, turn, bool(body.get("stream")), text)


def counted(ask: Ask, reply: Reply) -> TokenUsage:
    """What the model read and wrote: as scripted, or one token for each word; Anthropic's count
    has no reasoning of its own, OpenAI's none for writing to a cache."""
    usage = reply.usage
    if usage is None:
        written = [reply.text, *(call.arguments for call in reply.tool_calls)]
        usage = TokenUsage(
            input_uncached=len(ask.text.split()), output=sum(len(one.split()) for one in written)
        )
    if ask.wire == "anthropic":
        return usage.model_copy(update={"output": usage.output + usage.reasoning, "reasoning": 0})
    return usage.model_copy(
        update={"input_uncached": usage.input_uncached + usage.cache_write, "cache_write": 0}
    )


def whole(ask: Ask, reply: Reply) -> dict[str, Any]:
    """The body of a reply that is not streamed."""
    usage = counted(ask, reply)
    if ask.wire == "openai-chat":
        return _chat_body(ask, reply, usage)
    if ask.wire == "openai-responses":
        return _response(ask, reply, usage)
    return _message(ask, reply, _anthropic_usage(usage))


def events(ask: Ask, reply: Reply) -> Iterator[bytes]:
    """The events of a streamed reply."""
    usage = counted(ask, reply)
    if ask.wire == "openai-chat":
        yield from _chat_events(ask, reply, usage)
    elif ask.wire == "openai-responses":
        yield from _response_events(ask, reply, usage)
    else:
        yield from _message_events(ask, reply, usage)


def error_body(wire: Wire, status: int, message: str) -> dict[str, Any]:
    """An error as the provider words it."""
    kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    if wire == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // PIECES))
    return [text[at : at + size] for at in range(0, len(text), size)]


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _event(value: dict[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + _data(value)


def _chat_usage(usage: TokenUsage) -> dict[str, Any]:
    read = usage.input_uncached + usage.cache_read
    written = usage.output + usage.reasoning
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


CHAT_FINISH = {
    "stop": "stop",
    "length": "length",
    "tool": "tool_calls",
    "refusal": "content_filter",
}


def _chat_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(reply.tool_calls)
    ]


def _chat_body(ask: Ask, reply: Reply, usage: TokenUsage) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.tool_calls:
        message["tool_calls"] = _chat_calls(reply)
    finish = CHAT_FINISH[reply.stop]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{ask.turn + 1}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": ask.model,
        "choices": [choice],
        "usage": _chat_usage(usage),
    }


def _chat_events(ask: Ask, reply: Reply, usage: TokenUsage) -> Iterator[bytes]:
    told = bool((ask.body.get("stream_options") or {}).get("include_usage"))

    def chunk(choices: list[dict[str, Any]], used: dict[str, Any] | None = None) -> bytes:
        value: dict[str, Any] = {
            "id": f"chatcmpl-{ask.turn + 1}",
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": ask.model,
            "choices": choices,
        }
        return _data({**value, "usage": used} if told else value)

    def delta(part: dict[str, Any], finish: str | None = None) -> bytes:
        return chunk([{"index": 0, "delta": part, "finish_reason": finish}])

    yield delta({"role": "assistant", "content": ""})
    for piece in _pieces(reply.text):
        yield delta({"content": piece})
    for call in _chat_calls(reply):
        yield delta({"tool_calls": [call]})
    yield delta({}, CHAT_FINISH[reply.stop])
    if told:
        yield chunk([], _chat_usage(usage))
    yield b"data: [DONE]\n\n"


def _output_items(ask: Ask, reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.text or not reply.tool_calls:
        kind = "refusal" if reply.stop == "refusal" else "output_text"
        name = "refusal" if reply.stop == "refusal" else "text"
        part = {"type": kind, name: reply.text, "annotations": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{ask.turn + 1}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    for call in reply.tool_calls:
        items.append(
            {
                "type": "function_call",
                "id": f"fc_{ask.turn + 1}_{len(items)}",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.arguments,
                "status": "completed",
            }
        )
    return items


def _response(ask: Ask, reply: Reply, usage: TokenUsage) -> dict[str, Any]:
    cut = reply.stop == "length"
    read = usage.input_uncached + usage.cache_read
    written = usage.output + usage.reasoning
    return {
        "id": f"resp_{ask.turn + 1}",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": ask.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": _output_items(ask, reply),
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning},
            "total_tokens": read + written,
        },
    }


def _response_events(ask: Ask, reply: Reply, usage: TokenUsage) -> Iterator[bytes]:
    done = _response(ask, reply, usage)
    begun = {**done, "status": "in_progress", "output": [], "usage": None}
    yield _event({"type": "response.created", "response": begun})
    for index, item in enumerate(done["output"]):
        place = {"output_index": index}
        yield _event({"type": "response.output_item.added", **place, "item": item})
        if item["type"] == "message":
            for piece in _pieces(reply.text):
                where = {**place, "item_id": item["id"], "content_index": 0}
                yield _event({"type": "response.output_text.delta", **where, "delta": piece})
        yield _event({"type": "response.output_item.done", **place, "item": item})
    kind = "response.incomplete" if reply.stop == "length" else "response.completed"
    yield _event({"type": kind, "response": done})


ANTHROPIC_STOP = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool": "tool_use",
    "refusal": "refusal",
}


def _anthropic_usage(usage: TokenUsage, output: int | None = None) -> dict[str, int]:
    return {
        "input_tokens": usage.input_uncached,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output if output is None else output,
    }


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for call in reply.tool_calls:
        arguments = json.loads(call.arguments)
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    return blocks


def _message(ask: Ask, reply: Reply, usage: dict[str, int]) -> dict[str, Any]:
    return {
        "id": f"msg_{ask.turn + 1}",
        "type": "message",
        "role": "assistant",
        "model": ask.model,
        "content": _blocks(reply),
        "stop_reason": ANTHROPIC_STOP[reply.stop],
        "stop_sequence": None,
        "usage": usage,
    }


def _message_events(ask: Ask, reply: Reply, usage: TokenUsage) -> Iterator[bytes]:
    begun = _message(ask, reply, _anthropic_usage(usage, min(1, usage.output)))
    begun |= {"content": [], "stop_reason": None}
    yield _event({"type": "message_start", "message": begun})
    yield _event({"type": "ping"})
    for index, block in enumerate(_blocks(reply)):
        yield from _block_events(index, block)
    # The counts of a stream are sums so far: adding them up would be wrong.
    for output in (usage.output // 2, usage.output):
        stop = ANTHROPIC_STOP[reply.stop] if output == usage.output else None
        delta = {"stop_reason": stop, "stop_sequence": None}
        yield _event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}})
    yield _event({"type": "message_stop"})


def _block_events(index: int, block: dict[str, Any]) -> Iterator[bytes]:
    place = {"index": index}
    if block["type"] == "text":
        empty, kind, name, text = {"type": "text", "text": ""}, "text_delta", "text", block["text"]
    else:
        empty, kind, name = {**block, "input": {}}, "input_json_delta", "partial_json"
        text = json.dumps(block["input"])
    yield _event({"type": "content_block_start", **place, "content_block": empty})
    for piece in _pieces(text):
        delta = {"type": kind, name: piece}
        yield _event({"type": "content_block_delta", **place, "delta": delta})
    yield _event({"type": "content_block_stop", **place})
