"""What a run may send to a language model, and the most that it can cost."""

import json
import unicodedata
from pathlib import Path
from typing import Any, Literal

import pytest

from models.schemas.model_call import Wire
from workers.model_gateway.body_parsing import MOST_VALUES, parse_body
from workers.model_gateway.configuration import Provider, ServedModel
from workers.model_gateway.field_checks import FieldRefused
from workers.model_gateway.field_rules import check_fields
from workers.model_gateway.request_preparing import (
    PROMPT_TOKENS,
    TOOL_PROMPT_TOKENS,
    PreparedRequest,
    prepare_request,
)

PROVIDER = Provider(wire="openai", base_url="http://127.0.0.1:9/v1")
BLIND = ServedModel(provider="near", most_output_tokens=100)
SEEING = BLIND.model_copy(update={"image_tokens": 2_000, "document_tokens": 300_000})
PIXELS = "iVBORw0KGgo" * 900
IMAGE = {"type": "base64", "media_type": "image/png", "data": PIXELS}
PDF = {"type": "base64", "media_type": "application/pdf", "data": PIXELS}
ADDRESS = f"data:image/png;base64,{PIXELS}"


def said(*content: object, role: str = "user") -> dict[str, object]:
    return {"messages": [{"role": role, "content": list(content)}]}


def answered(*content: object) -> dict[str, object]:
    return said({"type": "tool_result", "tool_use_id": "t", "content": list(content)})


def chat_image(url: object) -> dict[str, object]:
    return said({"type": "image_url", "image_url": {"url": url}})


def item(**fields: object) -> dict[str, object]:
    return {"input": [fields]}


def tool_output(*parts: object) -> dict[str, object]:
    return item(type="function_call_output", call_id="c", output=list(parts))


def called(**fields: object) -> dict[str, object]:
    return {"messages": [{"role": "assistant", "tool_calls": [fields]}]}


FETCHED = {"type": "url", "url": "http://x/?leak"}
STORED = {"type": "file", "file_id": "file_1"}
FAR = {"$defs": {"a": [{"$ref": "http://x/?leak"}]}}
CITED = {"type": "url_citation", "url": "http://x/?leak"}

WAYS_OUT: list[tuple[Wire, str, dict[str, object]]] = [
    ("openai-chat", "messages[0].content[0].image_url.url", chat_image("http://x/?leak")),
    ("openai-chat", "messages[0].content[0].image_url.url", chat_image("data:text/html,x")),
    ("openai-chat", "messages[0].content[0].image_url.url", chat_image({"file_id": "f"})),
    ("openai-chat", "messages[0].content[0].type", said({"type": "file"})),
    ("openai-chat", "messages[0].content[0].type", said({"type": "input_audio"})),
    ("openai-chat", "messages[0].content[0].text", said({"type": "text", "text": FETCHED})),
    ("openai-chat", "messages[0].audio", {"messages": [{"role": "user", "audio": {"id": "a"}}]}),
    ("openai-chat", "messages[0].name", {"messages": [{"role": "user", "name": [1]}]}),
    (
        "openai-chat",
        "messages[0].reasoning_content",
        {"messages": [{"role": "user", "reasoning_content": FETCHED}]},
    ),
    ("openai-chat", "messages[0].role", {"messages": [{"content": "x"}]}),
    (
        "openai-chat",
        "messages[0].tool_calls[0].function.arguments",
        called(id="c", function={"name": "f", "arguments": FETCHED}),
    ),
    ("openai-chat", "tools[0].type", {"tools": [{"type": "mcp", "server_url": "http://x"}]}),
    (
        "openai-chat",
        "tools[0].function.parameters",
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": FAR}}]},
    ),
    ("openai-chat", "tool_choice.type", {"tool_choice": {"type": "web_search"}}),
    (
        "openai-chat",
        "response_format.json_schema.schema",
        {"response_format": {"type": "json_schema", "json_schema": {"schema": FAR}}},
    ),
    ("openai-chat", "prediction", {"prediction": {"type": "content", "content": "x"}}),
    ("openai-chat", "modalities", {"modalities": ["audio"]}),
    ("openai-chat", "temperature", {"temperature": FETCHED}),
    ("openai-responses", "input[0].role", item(id="msg_1")),
    ("openai-responses", "input[0].role", item(type="message", id="msg_1")),
    ("openai-responses", "input[0].content", item(role="user", id="msg_1")),
    ("openai-responses", "input[0].type", item(type="item_reference", id="msg_1")),
    ("openai-responses", "input[0].type", item(type=None, id="msg_1")),
    ("openai-responses", "input[0].type", item(type="file_search_call", id="fs_1")),
    ("openai-responses", "input[0].type", item(type="mcp_approval_response", approve=True)),
    ("openai-responses", "input[0].encrypted_content", item(type="reasoning", id="rs", summary=[])),
    ("openai-responses", "input[0].call_id", item(type="function_call", id="fc_1")),
    (
        "openai-responses",
        "input[0].output",
        item(type="custom_tool_call_output", id="o_1", call_id="c"),
    ),
    ("openai-responses", "input[0].content[0].type", item(role="user", content=[STORED])),
    (
        "openai-responses",
        "input[0].content[0].file_id",
        item(role="user", content=[{"type": "input_image", "file_id": "f"}]),
    ),
    (
        "openai-responses",
        "input[0].content[0].annotations",
        item(role="a", content=[{"type": "output_text", "text": "", "annotations": [CITED]}]),
    ),
    (
        "openai-responses",
        "input[0].output[0].image_url",
        tool_output({"type": "input_image", "image_url": "https://x/?leak"}),
    ),
    (
        "openai-responses",
        "input[0].output[0].type",
        tool_output({"type": "input_file", "file_url": "https://x/"}),
    ),
    ("openai-responses", "instructions", {"instructions": [STORED]}),
    ("openai-responses", "prompt", {"prompt": {"id": "pmpt_1"}}),
    ("openai-responses", "tool_choice.type", {"tool_choice": {"type": "file_search", "name": "x"}}),
    ("openai-responses", "text.format.type", {"text": {"format": {"type": "remote"}}}),
    ("openai-responses", "reasoning.previous", {"reasoning": {"previous": "rs_1"}}),
    ("openai-responses", "include[0]", {"include": ["file_search_call.results"]}),
    ("anthropic", "messages[0].content[0].source.type", said({"type": "image", "source": FETCHED})),
    ("anthropic", "messages[0].content[0].source.type", said({"type": "image", "source": STORED})),
    (
        "anthropic",
        "messages[0].content[0].content[0].source.type",
        answered({"type": "document", "source": FETCHED}),
    ),
    (
        "anthropic",
        "messages[0].content[0].content[0].type",
        answered({"type": "search_result", "source": "http://x"}),
    ),
    (
        "anthropic",
        "messages[0].content[0].source.media_type",
        said({"type": "image", "source": PDF}),
    ),
    (
        "anthropic",
        "messages[0].content[0].source.data",
        said({"type": "image", "source": {**IMAGE, "data": "http://x"}}),
    ),
    ("anthropic", "messages[0].content[0].type", said({"type": "container_upload"})),
    ("anthropic", "messages[0].content[0].type", said({"type": "server_tool_use"})),
    (
        "anthropic",
        "messages[0].content[0].citations[0].type",
        said({"type": "text", "text": "x", "citations": [CITED]}),
    ),
    (
        "anthropic",
        "messages[0].content[0].cache_control.ttl",
        said({"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}),
    ),
    ("anthropic", "system[0].type", {"system": [{"type": "image", "source": FETCHED}]}),
    ("anthropic", "tools[0].type", {"tools": [{"type": "code_execution_20250825", "name": "c"}]}),
    ("anthropic", "tools[0].input_schema", {"tools": [{"name": "f", "input_schema": FAR}]}),
    ("anthropic", "tool_choice.type", {"tool_choice": {"type": "web_search"}}),
    ("anthropic", "thinking.container", {"thinking": {"type": "adaptive", "container": "c"}}),
]


@pytest.mark.parametrize(("wire", "field", "body"), WAYS_OUT)
def test_every_way_out_is_refused_by_its_path(
    wire: Wire, field: str, body: dict[str, object]
) -> None:
    with pytest.raises(FieldRefused) as refused:
        check_fields(wire, {"model": "m", **body})
    assert refused.value.field == field


def test_what_real_programs_send_passes() -> None:
    """The forms of Codex 0.171 and Claude Code 2.1, less what the gateway's file drops."""
    for name in ("codex", "claude_code"):
        told = json.loads((Path(__file__).parent / "requests" / f"{name}.json").read_text())
        assert check_fields(told["wire"], told["body"]) == []


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a": 1e999}',
        b'{"a": [-1e999]}',
        b'{"a": Infinity}',
        b'{"model": "cheap", "model": "dear"}',
        b'{"messages": [{"role": "user", "role": "system"}]}',
        b'{"a": "\\uD800"}',
        b'{"a": "\xed\xa0\x80"}',
        '{"a": 1}'.encode("utf-16"),
        b"\xef\xbb\xbf{}",
        b'{"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": [' + b"[]," * MOST_VALUES + b"1]}",
    ],
)
def test_what_two_readers_could_understand_differently_is_refused(raw: bytes) -> None:
    with pytest.raises(FieldRefused):
        parse_body(raw)


def prepared(wire: Wire, body: dict[str, Any], model: ServedModel = BLIND) -> PreparedRequest:
    return prepare_request(wire, {"model": "m", **body}, model, PROVIDER)


def test_the_provider_reads_what_was_checked() -> None:
    """Whatever blanks and escapes the client wrote."""
    raw = b' { "model" : "m",\n"messages":[{"role":"user","content":"\\u00e9\\/x"}], "n" : null } '
    asked = prepare_request("openai-chat", parse_body(raw), BLIND, PROVIDER)
    assert json.loads(asked.content) == {
        "model": "m",
        "messages": [{"role": "user", "content": "é/x"}],
        "max_completion_tokens": 100,
    }
    assert (
        asked.content
        == json.dumps(json.loads(asked.content), ensure_ascii=False, separators=(",", ":")).encode()
    )


def test_no_text_has_more_tokens_than_are_held_for_it() -> None:
    # One of these is eighteen letters for tokenizers that write texts anew.
    for text in ("!?" * 500, "\ufdfa" * 500, "\U0001f9ea" * 500, "\u00e9" * 500):
        asked = prepared("openai-responses", {"input": text, "max_output_tokens": 7})
        most = max(len(unicodedata.normalize(form, text).encode()) for form in ("NFC", "NFKC"))
        assert asked.read >= most + PROMPT_TOKENS
        assert asked.written == 7
    tools = [{"type": "function", "name": "look", "parameters": {"type": "object"}}]
    told = prepared("openai-responses", {"input": "x"})
    with_tools = prepared("openai-responses", {"input": "x", "tools": tools})
    assert with_tools.read >= told.read + TOOL_PROMPT_TOKENS + 2 * len(json.dumps(tools)) - 40
    generous = BLIND.model_copy(update={"bytes_per_token": 4.0})
    assert prepared("openai-responses", {"input": "x" * 4_000}, generous).read < 1_100


def test_no_text_is_written_anew_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks in the wrong order take the square of their number, while nothing else goes on."""
    normalize, normalized = unicodedata.normalize, list[int]()

    def counted(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
        normalized.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", counted)
    text = "\u0301" * 5_000 + "\u0316" * 5_000
    assert prepared("openai-responses", {"input": text}).read >= 20_000
    assert sum(normalized) < 100, "each character that is there, once"


def test_a_syllable_of_hangul_is_held_as_one() -> None:
    text = "\ud55c\uae00" * 500
    asked = prepared("openai-responses", {"input": text})
    assert asked.read < len(text.encode()) + PROMPT_TOKENS + 100


@pytest.mark.parametrize(
    ("wire", "body", "most"),
    [
        ("openai-chat", chat_image(ADDRESS), 2_000),
        ("openai-responses", tool_output({"type": "input_image", "image_url": ADDRESS}), 2_000),
        ("anthropic", said(*[{"type": "image", "source": IMAGE}] * 3), 6_000),
        ("anthropic", answered({"type": "document", "source": PDF}), 300_000),
    ],
)
def test_images_and_documents_are_held_by_the_file_or_not_sent(
    wire: Wire, body: dict[str, Any], most: int
) -> None:
    with pytest.raises(FieldRefused, match=r"the gateway's file has no (image|document)_tokens"):
        prepared(wire, body)
    asked = prepared(wire, body, SEEING)
    assert most < asked.read < most + 600, "not by their bytes"


def test_what_only_looks_like_an_image_is_held_as_text() -> None:
    made_up = {"type": "tool_use", "id": "t", "name": "n", "input": {"type": "image", "s": IMAGE}}
    assert prepared("anthropic", said(made_up), SEEING).read > len(PIXELS)
    plain = {"type": "text", "media_type": "text/plain", "data": PIXELS}
    document = said({"type": "document", "source": plain})
    assert prepared("anthropic", document, SEEING).read > len(PIXELS)
