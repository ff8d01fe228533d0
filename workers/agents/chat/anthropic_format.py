"""The messages of Anthropic. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from models.schemas.chat_settings import ChatSettings
from models.schemas.model_call import Stop
from workers.agents.chat.conversation import Conversation, Heard, Said
from workers.agents.chat.json_reading import list_at, read_json, text_at, value_at
from workers.agents.chat.openai_format import argument_schema
from workers.agents.chat.replies import CalledTool, Reply
from workers.agents.chat.tool_grammar import TOOLS

STOPS: dict[str, Stop] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refusal",
}


class AnthropicFormat:
    """Messages."""

    path = "/anthropic/v1/messages"

    def headers(self, key: str) -> dict[str, str]:
        """How the key is shown."""
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def body(
        self, settings: ChatSettings, conversation: Conversation, seed: int | None
    ) -> Mapping[str, object]:
        """The request. The format has no seed."""
        del seed
        body: dict[str, object] = {
            "model": settings.model,
            "system": conversation.system,
            "messages": [_message(one) for one in conversation.messages],
            "max_tokens": settings.reply_tokens,
            "stream": settings.stream,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.tools:
            body["tools"] = [
                {"name": name, "description": told, "input_schema": argument_schema(arguments)}
                for name, (told, arguments) in TOOLS.items()
            ]
        return body

    def whole(self, value: object) -> Reply:
        """The reply in a body that was not streamed."""
        blocks = list_at(value, "content")
        text = "".join(text_at(one, "text") for one in blocks if text_at(one, "type") == "text")
        calls = tuple(
            CalledTool(text_at(one, "id"), text_at(one, "name"), json.dumps(value_at(one, "input")))
            for one in blocks
            if text_at(one, "type") == "tool_use"
        )
        return Reply(text, calls, _stop(text_at(value, "stop_reason")))

    def stream(self) -> "AnthropicStream":
        """A new reply that comes in pieces."""
        return AnthropicStream()


@dataclass
class AnthropicStream:
    """Puts the events of one message together."""

    text: str = ""
    stop: str = ""
    ended: bool = False
    calls: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def take(self, event: object) -> None:
        """One event."""
        index = value_at(event, "index")
        place = index if isinstance(index, int) else 0
        match text_at(event, "type"):
            case "content_block_start":
                block = value_at(event, "content_block")
                self.text += text_at(block, "text")
                if text_at(block, "type") == "tool_use":
                    self.calls[place] = [text_at(block, "id"), text_at(block, "name"), ""]
            case "content_block_delta":
                self.text += text_at(event, "delta", "text")
                if place in self.calls:
                    self.calls[place][2] += text_at(event, "delta", "partial_json")
            case "message_delta":
                self.stop = text_at(event, "delta", "stop_reason") or self.stop
            case "message_stop":
                self.ended = True
            case _:
                pass

    def reply(self) -> Reply:
        """What has come so far."""
        calls = tuple(CalledTool(*self.calls[place]) for place in sorted(self.calls))
        return Reply(self.text, calls, _stop(self.stop) if self.ended else "cut")


def _stop(reason: str) -> Stop:
    return STOPS.get(reason, "unknown" if reason else "cut")


def _message(one: Heard | Said) -> dict[str, object]:
    blocks: list[dict[str, object]]
    if isinstance(one, Said):
        blocks = []
        if one.text.strip():
            blocks.append({"type": "text", "text": one.text})
        blocks += [_tool_use(call) for call in one.calls]
        return {"role": "assistant", "content": blocks}
    if not one.answers:
        return {"role": "user", "content": one.text}
    blocks = [
        {"type": "tool_result", "tool_use_id": call_id, "content": text}
        for call_id, text in one.answers
    ]
    return {"role": "user", "content": blocks}


def _tool_use(call: CalledTool) -> dict[str, object]:
    used = {"type": "tool_use", "id": call.id, "name": call.name}
    return {**used, "input": _object(call.arguments)}


def _object(arguments: str) -> dict[str, object]:
    """What the model wrote as arguments, an empty object where that is none: the format takes no
    other."""
    try:
        value: object = read_json(arguments or "{}")
    except ValueError:
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
