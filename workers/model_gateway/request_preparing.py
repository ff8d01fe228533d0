"""From what a client sent to what the provider is asked, and the most that it can cost. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from models.schemas.model_call import Wire
from workers.model_gateway.configuration import Provider, ServedModel
from workers.model_gateway.field_rules import FieldRefused, check_fields
from workers.model_gateway.usage_reading import object_at

TOOL_PROMPT_TOKENS = 1_000
"""Providers write a prompt of their own where there are tools."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """What the provider is asked.

    `read` and `written` are upper bounds of its tokens; `hide_usage`: the client did not ask for
    the usage of its stream.
    """

    body: dict[str, object]
    streamed: bool
    read: int
    written: int
    hide_usage: bool


def prepare_request(
    wire: Wire, sent: Mapping[str, object], size: int, model: ServedModel, provider: Provider
) -> PreparedRequest:
    """What to ask; `size` counts the bytes of `sent`. Raises FieldRefused."""
    held = {name: value for name, value in sent.items() if name not in model.drop}
    check_fields(wire, held)
    body = {name: value for name, value in held.items() if value is not None}
    body["model"] = model.upstream or sent["model"]
    streamed = body.get("stream", False)
    if not isinstance(streamed, bool):
        raise FieldRefused("stream", "must be true or false")
    written = _limit_output(wire, body, model, provider)
    hide_usage = False
    if wire == "openai-chat" and streamed:
        options = object_at(body, "stream_options")
        hide_usage = options.get("include_usage") is not True
        body["stream_options"] = {**options, "include_usage": True}
    if wire == "openai-responses":
        # Not to be stored is not its default.
        body["store"] = False
    tools = TOOL_PROMPT_TOKENS if body.get("tools") else 0
    read = math.ceil(size / model.bytes_per_token) + tools
    return PreparedRequest(body, streamed, read, written, hide_usage)


def _limit_output(
    wire: Wire, body: dict[str, object], model: ServedModel, provider: Provider
) -> int:
    """Cap the output in `body`, in the field that the provider heeds; the cap."""
    names = {
        "openai-chat": ("max_completion_tokens", "max_tokens"),
        "openai-responses": ("max_output_tokens",),
        "anthropic": ("max_tokens",),
    }[wire]
    given = [name for name in names if name in body]
    if len(given) > 1:
        raise FieldRefused("max_tokens", "max_completion_tokens is given too: keep one")
    preferred = provider.output_limit_field if wire == "openai-chat" else names[0]
    name = given[0] if given else preferred
    default = model.default_output_tokens or model.most_output_tokens
    asked = body.get(name, default)
    if isinstance(asked, bool) or not isinstance(asked, int) or asked < 1:
        raise FieldRefused(name, "must be a whole number above 0")
    body.pop(name, None)
    body[preferred] = min(asked, model.most_output_tokens)
    return min(asked, model.most_output_tokens)
