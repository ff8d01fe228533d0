"""Conversations are written and replies are read in the providers' own formats."""

import json
from typing import Any

import pytest

from models.schemas.chat_settings import ChatSettings
from models.schemas.model_call import Wire
from tests.fakes.model_wires import Ask, Reply, ToolCall, events, read_ask, whole
from workers.agents.chat import replies
from workers.agents.chat.chat_format import ChatFormat
from workers.agents.chat.conversation import Conversation, Heard, Said
from workers.agents.chat.model_client import FORMATS
from workers.model_gateway.field_rules import check_fields

WIRES: tuple[Wire, ...] = ("openai-chat", "anthropic")
CALLED = replies.CalledTool("call_1", "shell", '{"command": "ls"}')
TALK = Conversation(
    "be good",
    (
        Heard("the ticket"),
        Said("I look.", (CALLED,)),
        Heard("", (("call_1", "a.py"),)),
        Said("```done\n```"),
        Heard("not yet"),
    ),
)
REPLIES = [
    Reply(text="```shell\nls -l\n```"),
    Reply(text="I see", tool_calls=(ToolCall("shell", '{"command": "ls"}'),), stop="tool"),
    Reply(text="half of it", stop="length"),
    Reply(text="I will not", stop="refusal"),
    Reply(text=""),
]


def settings(wire: Wire, **more: Any) -> ChatSettings:
    return ChatSettings.model_validate({"model": "m", "wire": wire, **more})


def asked(wire: Wire, *, stream: bool) -> Ask:
    body = FORMATS[wire].body(settings(wire, stream=stream), TALK, None)
    return read_ask(wire, dict(body), "key")


def streamed(format: ChatFormat, lines: list[bytes]) -> replies.Reply:
    stream = format.stream()
    for line in b"".join(lines).decode().splitlines():
        if line.startswith("data:") and "[DONE]" not in line:
            stream.take(json.loads(line.removeprefix("data:")))
    return stream.reply()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("reply", REPLIES)
def test_a_reply_reads_alike_whether_or_not_it_is_streamed(wire: Wire, reply: Reply) -> None:
    format = FORMATS[wire]
    at_once = format.whole(whole(asked(wire, stream=False), reply))
    in_pieces = streamed(format, list(events(asked(wire, stream=True), reply)))
    assert at_once == in_pieces
    assert at_once.text == reply.text
    assert at_once.stop == reply.stop
    calls = [(one.name, json.loads(one.arguments)) for one in at_once.calls]
    assert calls == [(one.name, json.loads(one.arguments)) for one in reply.tool_calls]


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_ends_too_soon_is_a_cut_reply(wire: Wire) -> None:
    told = list(events(asked(wire, stream=True), REPLIES[0]))
    ends = 2 if wire == "anthropic" else 3
    for count in range(len(told) - ends):
        assert streamed(FORMATS[wire], told[:count]).stop == "cut", count
    assert streamed(FORMATS[wire], told).stop == "stop"


def test_an_error_in_a_stream_is_a_cut_reply() -> None:
    told = list(events(asked("openai-chat", stream=True), REPLIES[0]))
    told.append(b'data: {"error": {"message": "gone"}}\n\n')
    assert streamed(FORMATS["openai-chat"], told).stop == "cut"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("value", [None, [], {}, {"choices": [3]}, {"content": "x"}, "x", 5])
def test_whatever_a_provider_sends_is_a_reply(wire: Wire, value: object) -> None:
    assert FORMATS[wire].whole(value).stop in ("cut", "unknown")
    stream = FORMATS[wire].stream()
    stream.take(value)
    assert stream.reply().stop == "cut"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("tools", [False, True])
def test_the_gateway_lets_every_request_through(wire: Wire, tools: bool) -> None:
    more: dict[str, Any] = {"tools": tools, "temperature": 0.5}
    seed = 7 if wire == "openai-chat" else None
    check_fields(wire, FORMATS[wire].body(settings(wire, **more), TALK, seed))


def test_a_conversation_in_chat_completions() -> None:
    chosen = settings("openai-chat", tools=True, seed=3, temperature=0, reply_tokens=99)
    body = FORMATS["openai-chat"].body(chosen, TALK, 5)
    assert (body["seed"], body["temperature"], body["max_completion_tokens"]) == (5, 0, 99)
    assert body["messages"] == [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "the ticket"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "shell", "arguments": '{"command": "ls"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "a.py"},
        {"role": "assistant", "content": "```done\n```"},
        {"role": "user", "content": "not yet"},
    ]


def test_a_conversation_in_messages() -> None:
    body = FORMATS["anthropic"].body(settings("anthropic", tools=True), TALK, None)
    assert body["system"] == "be good"
    assert body["messages"] == [
        {"role": "user", "content": "the ticket"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {
                    "type": "tool_use",
                    "id": "call_1",
                    "name": "shell",
                    "input": {"command": "ls"},
                },
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "a.py"}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "```done\n```"}]},
        {"role": "user", "content": "not yet"},
    ]
