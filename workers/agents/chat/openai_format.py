"""The chat completions of OpenAI, which most other providers and local servers speak too. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from models.schemas.chat_settings import ChatSettings
from models.schemas.model_call import Stop
from workers.agents.chat.conversation import Conversation, Heard, Said
from workers.agents.chat.json_reading import is_object, list_at, text_at, value_at
from workers.agents.chat.replies import CalledTool, Reply
from workers.agents.chat.tool_grammar import TOOLS

FINISHES: dict[str, Stop] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool",
    "function_call": "tool",
    "content_filter": "refusal",
    "error": "error",
}


class OpenAiFormat:
    """Chat completions."""

    path = "/openai/v1/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """How the key is shown."""
        return {"Authorization": f"Bearer {key}"}

    def body(
        self, settings: ChatSettings, conversation: Conversation, seed: int | None
    ) -> Mapping[str, object]:
        """The request."""
        body: dict[str, object] = {
            "model": settings.model,
            "messages": [
                {"role": "system", "content": conversation.system},
                *(part for one in conversation.messages for part in _messages(one)),
            ],
            "max_completion_tokens": settings.reply_tokens,
            "stream": settings.stream,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if seed is not None:
            body["seed"] = seed
        if settings.tools:
            body["tools"] = [_tool(name) for name in TOOLS]
        return body

    def whole(self, value: object) -> Reply:
        """The reply in a body that was not streamed."""
        message = value_at(value, "choices", 0, "message")
        calls = tuple(
            CalledTool(
                text_at(call, "id"),
                text_at(call, "function", "name"),
                text_at(call, "function", "arguments"),
            )
            for call in list_at(message, "tool_calls")
        )
        finish = text_at(value, "choices", 0, "finish_reason")
        return _reply(text_at(message, "content"), text_at(message, "refusal"), calls, finish)

    def stream(self) -> "OpenAiStream":
        """A new reply that comes in pieces."""
        return OpenAiStream()


@dataclass
class OpenAiStream:
    """Puts the chunks of one completion together."""

    text: str = ""
    refusal: str = ""
    finish: str = ""
    broken: bool = False
    calls: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def take(self, event: object) -> None:
        """One chunk."""
        self.broken = self.broken or value_at(event, "error") is not None
        choice = value_at(event, "choices", 0)
        delta = value_at(choice, "delta")
        self.text += text_at(delta, "content")
        self.refusal += text_at(delta, "refusal")
        self.finish = text_at(choice, "finish_reason") or self.finish
        for call in list_at(delta, "tool_calls"):
            index = value_at(call, "index")
            place = index if isinstance(index, int) else 0
            held = self.calls.setdefault(place, ["", "", ""])
            held[0] = text_at(call, "id") or held[0]
            held[1] += text_at(call, "function", "name")
            held[2] += text_at(call, "function", "arguments")

    def reply(self) -> Reply:
        """What has come so far."""
        calls = tuple(CalledTool(*self.calls[place]) for place in sorted(self.calls))
        return _reply(self.text, self.refusal, calls, "" if self.broken else self.finish)


def _reply(text: str, refusal: str, calls: tuple[CalledTool, ...], finish: str) -> Reply:
    if refusal:
        return Reply(refusal, calls, "refusal")
    return Reply(text, calls, FINISHES.get(finish, "unknown" if finish else "cut"))


def _messages(one: Heard | Said) -> Iterator[dict[str, object]]:
    if isinstance(one, Said):
        told: dict[str, object] = {"role": "assistant", "content": one.text}
        if one.calls:
            told["tool_calls"] = [_call(call) for call in one.calls]
        yield told
        return
    for call_id, text in one.answers:
        yield {"role": "tool", "tool_call_id": call_id, "content": text}
    if not one.answers:
        yield {"role": "user", "content": one.text}


def _call(call: CalledTool) -> dict[str, object]:
    # Some servers read them again, and fail where they can't.
    arguments = call.arguments if is_object(call.arguments) else "{}"
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def _tool(name: str) -> dict[str, object]:
    told, arguments = TOOLS[name]
    function = {"name": name, "description": told, "parameters": argument_schema(arguments)}
    return {"type": "function", "function": function}


def argument_schema(arguments: Mapping[str, str]) -> dict[str, object]:
    """The JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": told} for name, told in arguments.items()
        },
        "required": list(arguments),
        "additionalProperties": False,
    }
