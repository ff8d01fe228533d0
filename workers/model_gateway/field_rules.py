"""What a request may hold, in each format. Pure.

Everything else is refused by name: provider-side tools, stored conversations and remote files are
ways out of the sandbox, and a memory from one run to the next. What may be there is told down to
its last value; only what a provider shows to the model as it is may be anything.
"""

from collections.abc import Mapping

from models.schemas.model_call import Wire
from workers.model_gateway.field_checks import (
    IMAGES,
    Inline,
    Place,
    Rule,
    base64_data,
    by_type,
    data,
    each,
    empty,
    fields,
    flag,
    image_address,
    number,
    only,
    schema,
    shape,
    text,
    text_or,
)

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


def check_fields(wire: Wire, body: Mapping[str, object]) -> list[Inline]:
    """The images and documents in `body`. Raises FieldRefused for the first thing in it that no run
    may send."""
    found: list[Inline] = []
    shape(FIELDS[wire])(Place(found), body)
    return found


# What is kept in a cache for an hour is dearer than the price table can say.
_CACHE = shape({"type": only("ephemeral"), "ttl": only("5m")})

_CHAT_PART = by_type(
    {
        "text": shape({"text": text, "cache_control": _CACHE}, "text"),
        "refusal": shape({"refusal": text}),
        "image_url": shape(
            {"image_url": shape({"url": image_address, "detail": text}, "url")}, "image_url"
        ),
    }
)
_CALLED = by_type(
    {
        "function": shape(
            {
                "id": text,
                "index": number,
                "function": shape(fields(text, "name", "arguments"), "name"),
            },
            "function",
        ),
        "custom": shape(
            {"id": text, "index": number, "custom": shape(fields(text, "name", "input"), "name")},
            "custom",
        ),
    },
    "function",
)
_CHAT_MESSAGE = shape(
    {
        **fields(text, "role", "name", "tool_call_id"),
        **fields(text, "refusal", "reasoning", "reasoning_content"),
        "content": text_or(each(_CHAT_PART)),
        "tool_calls": each(_CALLED),
    },
    "role",
)
_TOOL_FIELDS = {**fields(text, "name", "description"), "strict": flag}
_FUNCTION = {**_TOOL_FIELDS, "parameters": schema}
_GRAMMAR = fields(text, "syntax", "definition")
_CHAT_TOOL = by_type(
    {
        "function": shape({"function": shape(_FUNCTION, "name")}, "function"),
        "custom": shape(
            {
                "custom": shape(
                    {
                        **fields(text, "name", "description"),
                        "format": by_type(
                            {"text": shape({}), "grammar": shape({"grammar": shape(_GRAMMAR)})}
                        ),
                    },
                    "name",
                )
            },
            "custom",
        ),
    }
)
_NAMED = shape({"name": text}, "name")
_CHAT_CHOICE = by_type(
    {"function": shape({"function": _NAMED}), "custom": shape({"custom": _NAMED})}
)
_JSON_SCHEMA = {**_TOOL_FIELDS, "schema": schema}
_CHAT: dict[str, Rule] = {
    **fields(text, "model", "reasoning_effort", "verbosity"),
    **fields(number, "temperature", "top_p", "top_k", "min_p", "seed", "top_logprobs"),
    **fields(number, "max_tokens", "max_completion_tokens"),
    **fields(number, "presence_penalty", "frequency_penalty", "repetition_penalty"),
    **fields(flag, "stream", "logprobs", "parallel_tool_calls"),
    "stop": text_or(each(text)),
    "logit_bias": data,
    "response_format": by_type(
        {
            **fields(shape({}), "text", "json_object"),
            "json_schema": shape({"json_schema": shape(_JSON_SCHEMA)}),
        }
    ),
    "tool_choice": text_or(_CHAT_CHOICE),
    "messages": each(_CHAT_MESSAGE),
    "tools": each(_CHAT_TOOL),
    "stream_options": shape(fields(flag, "include_usage", "include_obfuscation")),
    "n": only(1),
    "store": only(False),
}

_RESPONSE_PART = by_type(
    {
        **fields(shape({"text": text}, "text"), "input_text", "summary_text", "reasoning_text"),
        "output_text": shape({"text": text, **fields(empty, "annotations", "logprobs")}, "text"),
        "refusal": shape({"refusal": text}),
        "input_image": shape({"image_url": image_address, "detail": text}, "image_url"),
    }
)
_RESPONSE_PARTS = text_or(each(_RESPONSE_PART))
_ITEM = fields(text, "id", "status")
_CALL = {**_ITEM, **fields(text, "call_id", "name")}
_OUTPUT = shape({**_ITEM, "call_id": text, "output": _RESPONSE_PARTS}, "call_id", "output")
# An item without what it is about would be read as one that the provider stores.
_RESPONSE_ITEM = by_type(
    {
        "message": shape(
            {**_ITEM, **fields(text, "role", "phase"), "content": _RESPONSE_PARTS},
            "role",
            "content",
        ),
        "function_call": shape({**_CALL, "arguments": text}, "call_id", "name", "arguments"),
        "custom_tool_call": shape({**_CALL, "input": text}, "call_id", "name", "input"),
        **fields(_OUTPUT, "function_call_output", "custom_tool_call_output"),
        "reasoning": shape(
            {
                **_ITEM,
                "encrypted_content": text,
                **fields(each(_RESPONSE_PART), "summary", "content"),
            },
            "encrypted_content",
        ),
    },
    "message",
)
_RESPONSE_TOOL = by_type(
    {
        "function": shape(_FUNCTION, "name"),
        "custom": shape(
            {
                **fields(text, "name", "description"),
                "format": by_type({"text": shape({}), "grammar": shape(_GRAMMAR)}),
            },
            "name",
        ),
    }
)
_RESPONSES: dict[str, Rule] = {
    **fields(text, "model", "instructions", "truncation"),
    **fields(number, "temperature", "top_p", "max_output_tokens", "top_logprobs"),
    **fields(flag, "stream", "parallel_tool_calls"),
    "reasoning": shape(fields(text, "effort", "summary", "generate_summary")),
    "text": shape(
        {
            "verbosity": text,
            "format": by_type(
                {
                    **fields(shape({}), "text", "json_object"),
                    "json_schema": shape(_JSON_SCHEMA),
                }
            ),
        }
    ),
    "tool_choice": text_or(by_type(fields(_NAMED, "function", "custom"))),
    "input": text_or(each(_RESPONSE_ITEM)),
    "tools": each(_RESPONSE_TOOL),
    "include": each(only("reasoning.encrypted_content", "message.output_text.logprobs")),
    "stream_options": shape({"include_obfuscation": flag}),
    "store": only(False),
    "background": only(False),
}

_PLAIN = {"media_type": only("text/plain"), "data": text}
_IMAGE = {"media_type": only(*IMAGES), "data": base64_data("image")}
_PDF = {"media_type": only("application/pdf"), "data": base64_data("document")}
_CITED = shape(
    {
        **fields(text, "cited_text", "document_title"),
        **fields(number, "document_index", "start_char_index", "end_char_index"),
        **fields(number, "start_page_number", "end_page_number"),
        **fields(number, "start_block_index", "end_block_index"),
    }
)
_CITATION = by_type(fields(_CITED, "char_location", "page_location", "content_block_location"))
_INLINE_BLOCKS: dict[str, Rule] = {
    "text": shape({"text": text, "cache_control": _CACHE, "citations": each(_CITATION)}, "text"),
    "image": shape(
        {
            "source": by_type({"base64": shape(_IMAGE, "media_type", "data")}),
            "cache_control": _CACHE,
        },
        "source",
    ),
    "document": shape(
        {
            "source": by_type(
                {
                    "base64": shape(_PDF, "media_type", "data"),
                    "text": shape(_PLAIN, "media_type", "data"),
                }
            ),
            **fields(text, "title", "context"),
            "citations": shape({"enabled": flag}),
            "cache_control": _CACHE,
        },
        "source",
    ),
}
_BLOCK = by_type(
    {
        **_INLINE_BLOCKS,
        "thinking": shape(fields(text, "thinking", "signature"), "thinking"),
        "redacted_thinking": shape({"data": text}, "data"),
        "tool_use": shape(
            {**fields(text, "id", "name"), "input": data, "cache_control": _CACHE}, "id", "name"
        ),
        "tool_result": shape(
            {
                "tool_use_id": text,
                "is_error": flag,
                "cache_control": _CACHE,
                "content": text_or(each(by_type(_INLINE_BLOCKS))),
            },
            "tool_use_id",
        ),
    }
)
_ANTHROPIC_TOOL = by_type(
    {"custom": shape({**_TOOL_FIELDS, "input_schema": schema, "cache_control": _CACHE}, "name")},
    "custom",
)
_ANTHROPIC_CHOICE = by_type(
    fields(shape({"name": text, "disable_parallel_tool_use": flag}), "auto", "any", "tool", "none")
)
_ANTHROPIC: dict[str, Rule] = {
    "model": text,
    **fields(number, "max_tokens", "temperature", "top_k", "top_p"),
    "stop_sequences": each(text),
    "stream": flag,
    "thinking": shape({**fields(text, "type", "display"), "budget_tokens": number}),
    "tool_choice": _ANTHROPIC_CHOICE,
    "system": text_or(each(by_type({"text": _INLINE_BLOCKS["text"]}))),
    "messages": each(shape({"role": text, "content": text_or(each(_BLOCK))}, "role", "content")),
    "tools": each(_ANTHROPIC_TOOL),
}

FIELDS: dict[Wire, dict[str, Rule]] = {
    "openai-chat": _CHAT,
    "openai-responses": _RESPONSES,
    "anthropic": _ANTHROPIC,
}
