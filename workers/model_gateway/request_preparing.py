"""From what a client sent to what the provider is asked, and the most that it can cost. Pure."""

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from models.schemas.model_call import Wire
from workers.model_gateway.configuration import Provider, ServedModel
from workers.model_gateway.field_checks import FieldRefused, Inline
from workers.model_gateway.field_rules import check_fields
from workers.model_gateway.usage_reading import object_at

PROMPT_TOKENS = 50
"""What a provider writes around a request: who speaks, where a message ends."""
TOOL_PROMPT_TOKENS = 1_000
"""Providers write a prompt of their own where there are tools."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """What the provider is asked: `content`, as bytes of JSON.

    `read` and `written` are upper bounds of its tokens; `hide_usage`: the client did not ask for
    the usage of its stream.
    """

    content: bytes
    streamed: bool
    read: int
    written: int
    hide_usage: bool


def prepare_request(
    wire: Wire, sent: Mapping[str, object], model: ServedModel, provider: Provider
) -> PreparedRequest:
    """What to ask. Raises FieldRefused."""
    body, found = _allowed(wire, sent, model)
    streamed = body.get("stream", False) is True
    written = _limit_output(wire, body, model, provider)
    hide_usage = False
    if wire == "openai-chat" and streamed:
        options = object_at(body, "stream_options")
        hide_usage = options.get("include_usage") is not True
        body["stream_options"] = {**options, "include_usage": True}
    if wire == "openai-responses":
        # Not to be stored is not its default.
        body["store"] = False
    content = _as_content(body)
    read = _most_read(body, content, model) + _most_of_inlines(found, model)
    return PreparedRequest(content, streamed, read, written, hide_usage)


def counted_content(wire: Wire, sent: Mapping[str, object], model: ServedModel) -> bytes:
    """What a provider is asked that only counts its tokens. Raises FieldRefused."""
    body, _ = _allowed(wire, sent, model)
    return _as_content(body)


def _allowed(
    wire: Wire, sent: Mapping[str, object], model: ServedModel
) -> tuple[dict[str, object], list[Inline]]:
    """The fields that go to the provider, and the images and documents in them."""
    held = {name: value for name, value in sent.items() if name not in model.drop}
    found = check_fields(wire, held)
    body = {name: value for name, value in held.items() if value is not None}
    body["model"] = model.upstream or sent["model"]
    return body, found


def _as_content(body: Mapping[str, object]) -> bytes:
    """The bytes of `body`: what was checked is what the provider reads."""
    try:
        return _json(body).encode()
    except RecursionError:
        raise FieldRefused("body", "is nested too deeply") from None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _most_read(body: Mapping[str, object], content: bytes, model: ServedModel) -> int:
    """The most tokens that all text can be: no token has less than a byte, of the text as it is or
    as tokenizers write it anew first. Tools count twice: providers write them anew as well."""
    tools = body.get("tools")
    size = _text_size(content) + (_text_size(_json(tools).encode()) if tools else 0)
    prompts = PROMPT_TOKENS + (TOOL_PROMPT_TOKENS if tools else 0)
    return math.ceil(size / model.bytes_per_token) + prompts


def _text_size(content: bytes) -> int:
    """The most bytes of a text as it is, in NFC or in NFKC. Each character for itself: to normalise
    a text takes the square of the marks in a row, and nobody else works meanwhile."""
    if content.isascii():
        return len(content)
    return sum(times * _most_bytes(one) for one, times in Counter(content.decode()).items())


def _most_bytes(character: str) -> int:
    """Of one character, whatever stands beside it: composed, it is never longer than its parts."""
    anew = unicodedata.normalize("NFKD", character)
    if not any(map(unicodedata.combining, anew)):
        # No mark that follows takes it apart, as none does with a syllable of Hangul.
        anew = unicodedata.normalize("NFKC", character)
    return max(len(character.encode()), len(anew.encode()))


def _most_of_inlines(found: list[Inline], model: ServedModel) -> int:
    """What images and documents add to the bytes of their data, which are counted as text too."""
    tokens = {"image": model.image_tokens, "document": model.document_tokens}
    total = 0.0
    for one in found:
        most = tokens[one.kind]
        if most is None:
            why = f"the gateway's file has no {one.kind}_tokens for this model"
            raise FieldRefused(one.path, f"may not be sent: {why}")
        total += most - one.size / model.bytes_per_token
    return math.ceil(total)


def _limit_output(
    wire: Wire, body: dict[str, object], model: ServedModel, provider: Provider
) -> int:
    """Cap the output in `body`, in the field that the provider heeds; the cap."""
    names = output_limits(wire, provider)
    given = [name for name in names if name in body]
    if len(given) > 1:
        raise FieldRefused("max_tokens", "max_completion_tokens is given too: keep one")
    preferred = names[0]
    name = given[0] if given else preferred
    default = model.default_output_tokens or model.most_output_tokens
    asked = body.get(name, default)
    if not isinstance(asked, int) or asked < 1:
        raise FieldRefused(name, "must be a whole number above 0")
    body.pop(name, None)
    body[preferred] = min(asked, model.most_output_tokens)
    return min(asked, model.most_output_tokens)


def output_limits(wire: Wire, provider: Provider) -> tuple[str, ...]:
    """The fields that limit the output, first the one that the provider heeds."""
    if wire == "openai-chat":
        known = ("max_completion_tokens", "max_tokens")
        return tuple(sorted(known, key=lambda name: name != provider.output_limit_field))
    return ("max_output_tokens",) if wire == "openai-responses" else ("max_tokens",)
