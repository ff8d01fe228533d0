"""What a request may hold, in each format. Pure.

Everything else is refused by name: provider-side tools, stored conversations and remote files are
ways out of the sandbox, and a memory from one run to the next.
"""

from collections.abc import Callable, Mapping
from typing import cast

from models.schemas.model_call import Wire

Rule = Callable[[str, object], None]
"""Takes a path and what lies there; raises FieldRefused."""

DROPPABLE = frozenset(
    {
        "metadata",
        "user",
        "safety_identifier",
        "prompt_cache_key",
        "prompt_cache_retention",
        "client_metadata",
        "service_tier",
        "context_management",
        "output_config",
        "diagnostics",
    }
)
"""Fields without which a request asks the same."""


class FieldRefused(Exception):
    """`field` is the path of what a request may not hold."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field


def check_fields(wire: Wire, body: Mapping[str, object]) -> None:
    """Raises FieldRefused for the first thing in `body` that no run may send."""
    _check_keys("", body, FIELDS[wire])


def _any(path: str, value: object) -> None:
    """Plain settings: numbers, texts and what is made of them."""
    del path, value


def _only(*allowed: object) -> Rule:
    def check(path: str, value: object) -> None:
        if value not in allowed or (isinstance(value, bool) != isinstance(allowed[0], bool)):
            told = ", ".join(repr(one) for one in allowed)
            raise FieldRefused(path, f"may only be {told}")

    return check


def _check_keys(path: str, value: object, rules: Mapping[str, Rule]) -> None:
    if not isinstance(value, Mapping):
        raise FieldRefused(path or "body", "must be an object")
    for name, held in cast("Mapping[str, object]", value).items():
        where = f"{path}.{name}" if path else name
        rule = rules.get(name)
        # Clients write null for what they don't mean.
        if rule is None and held is not None:
            raise FieldRefused(where, "may not be sent through this gateway")
        if rule is not None and held is not None:
            rule(where, held)


def _object(rules: Mapping[str, Rule]) -> Rule:
    return lambda path, value: _check_keys(path, value, rules)


def _each(rule: Rule) -> Rule:
    def check(path: str, value: object) -> None:
        if not isinstance(value, list):
            raise FieldRefused(path, "must be a list")
        for place, one in enumerate(cast("list[object]", value)):
            rule(f"{path}[{place}]", one)

    return check


def _text_or(rule: Rule) -> Rule:
    def check(path: str, value: object) -> None:
        if not isinstance(value, str):
            rule(path, value)

    return check


def _by_type(kinds: Mapping[str, Mapping[str, Rule]], otherwise: str = "") -> Rule:
    """Objects told apart by their `type`; `otherwise` is that of those without one."""

    def check(path: str, value: object) -> None:
        if not isinstance(value, Mapping):
            raise FieldRefused(path, "must be an object")
        held = cast("Mapping[str, object]", value)
        kind = held.get("type", otherwise)
        rules = kinds.get(kind) if isinstance(kind, str) else None
        if rules is None:
            raise FieldRefused(f"{path}.type", f"{kind!r} may not be sent through this gateway")
        _check_keys(path, held, {"type": _any, **rules})

    return check


def _inline(path: str, value: object) -> None:
    if not isinstance(value, str) or not value.startswith("data:"):
        raise FieldRefused(path, "must hold the data itself (data:…), no address")


def _plain(*names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, _any)


_CHAT_PART = _by_type(
    {
        "text": _plain("text", "cache_control"),
        "refusal": _plain("refusal"),
        "image_url": {"image_url": _object({"url": _inline, "detail": _any})},
    }
)
_CALLED = _by_type(
    {
        "function": {"id": _any, "index": _any, "function": _object(_plain("name", "arguments"))},
        "custom": {"id": _any, "index": _any, "custom": _object(_plain("name", "input"))},
    },
    "function",
)
_CHAT_MESSAGE = _object(
    {
        **_plain("role", "name", "tool_call_id", "refusal", "reasoning", "reasoning_content"),
        "content": _text_or(_each(_CHAT_PART)),
        "tool_calls": _each(_CALLED),
    }
)
_CHAT_TOOL = _by_type(
    {
        "function": {"function": _object(_plain("name", "description", "parameters", "strict"))},
        "custom": {"custom": _object(_plain("name", "description", "format"))},
    }
)
_CHAT: dict[str, Rule] = {
    **_plain("model", "temperature", "top_p", "top_k", "min_p", "seed", "stop", "stream"),
    **_plain("max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty"),
    **_plain("repetition_penalty", "logit_bias", "logprobs", "top_logprobs", "response_format"),
    **_plain("reasoning_effort", "verbosity", "tool_choice", "parallel_tool_calls"),
    "messages": _each(_CHAT_MESSAGE),
    "tools": _each(_CHAT_TOOL),
    "stream_options": _object(_plain("include_usage", "include_obfuscation")),
    "n": _only(1),
    "store": _only(False),
}

_RESPONSE_PART = _by_type(
    {
        "input_text": _plain("text"),
        "output_text": _plain("text", "annotations", "logprobs"),
        "refusal": _plain("refusal"),
        "summary_text": _plain("text"),
        "reasoning_text": _plain("text"),
        "input_image": {"image_url": _inline, "detail": _any},
    }
)
_RESPONSE_PARTS = _text_or(_each(_RESPONSE_PART))
_RESPONSE_ITEM = _by_type(
    {
        "message": {**_plain("id", "role", "status", "phase"), "content": _RESPONSE_PARTS},
        "function_call": _plain("id", "call_id", "name", "arguments", "status"),
        "function_call_output": {**_plain("id", "call_id", "status"), "output": _RESPONSE_PARTS},
        "custom_tool_call": _plain("id", "call_id", "name", "input", "status"),
        "custom_tool_call_output": {
            **_plain("id", "call_id", "status"),
            "output": _RESPONSE_PARTS,
        },
        "reasoning": {
            **_plain("id", "encrypted_content", "status"),
            "summary": _each(_RESPONSE_PART),
            "content": _each(_RESPONSE_PART),
        },
    },
    "message",
)
_RESPONSES: dict[str, Rule] = {
    **_plain("model", "instructions", "temperature", "top_p", "stream", "max_output_tokens"),
    **_plain("parallel_tool_calls", "reasoning", "text", "truncation", "top_logprobs"),
    "tool_choice": _text_or(_object(_plain("type", "name"))),
    "input": _text_or(_each(_RESPONSE_ITEM)),
    "tools": _each(
        _by_type(
            {
                "function": _plain("name", "description", "parameters", "strict"),
                "custom": _plain("name", "description", "format"),
            }
        )
    ),
    "include": _each(_only("reasoning.encrypted_content", "message.output_text.logprobs")),
    "stream_options": _object(_plain("include_obfuscation")),
    "store": _only(False),
    "background": _only(False),
}

_SOURCE = _by_type({"base64": _plain("media_type", "data"), "text": _plain("media_type", "data")})
_INLINE_BLOCKS: dict[str, Mapping[str, Rule]] = {
    "text": _plain("text", "cache_control", "citations"),
    "image": {"source": _SOURCE, "cache_control": _any},
    "document": {"source": _SOURCE, **_plain("title", "context", "citations", "cache_control")},
}
_BLOCK = _by_type(
    {
        **_INLINE_BLOCKS,
        "thinking": _plain("thinking", "signature"),
        "redacted_thinking": _plain("data"),
        "tool_use": _plain("id", "name", "input", "cache_control"),
        "tool_result": {
            **_plain("tool_use_id", "is_error", "cache_control"),
            "content": _text_or(_each(_by_type(_INLINE_BLOCKS))),
        },
    }
)
_ANTHROPIC: dict[str, Rule] = {
    **_plain("model", "max_tokens", "stop_sequences", "stream", "temperature", "top_k", "top_p"),
    **_plain("tool_choice", "thinking"),
    "system": _text_or(_each(_by_type({"text": _plain("text", "cache_control")}))),
    "messages": _each(_object({"role": _any, "content": _text_or(_each(_BLOCK))})),
    "tools": _each(
        _by_type(
            {"custom": _plain("name", "description", "input_schema", "cache_control", "strict")},
            "custom",
        )
    ),
}

FIELDS: dict[Wire, dict[str, Rule]] = {
    "openai-chat": _CHAT,
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
}
