"""The gateway's pure rules: budgets, prices, usage, waiting time, events, fields."""

import itertools
import json
import time
import unicodedata
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InvalidInput
from models.schemas.model_call import TokenUsage, total_usage
from tests.fakes.model_wires import PATHS, Ask, Reply, ToolCall, counted, events, whole
from workers.model_gateway.budget_book import BudgetBook, Hold
from workers.model_gateway.configuration import Provider, ServedModel, parse_configuration
from workers.model_gateway.event_stream import EventSplitter, as_event, data_object
from workers.model_gateway.field_checks import FieldRefused
from workers.model_gateway.field_rules import FIELDS, check_fields
from workers.model_gateway.price_table import Price, PriceTable
from workers.model_gateway.request_preparing import PROMPT_TOKENS, prepare_request
from workers.model_gateway.retry_rules import pause_before
from workers.model_gateway.secrets_filter import SecretsFilter
from workers.model_gateway.stream_cleaning import MOST_HELD, StreamCleaner, clean_reply
from workers.model_gateway.stream_reading import stream_reader
from workers.model_gateway.usage_reading import count_at, stop_of, usage_of
from workers.model_gateway.waiting_time import CallTime, Phase, WaitingTime

COUNTS = st.integers(0, 10**7)
USAGES = st.builds(
    TokenUsage,
    input_uncached=COUNTS,
    cache_read=COUNTS,
    cache_write=COUNTS,
    output=COUNTS,
    reasoning=COUNTS,
)
RATES = st.one_of(st.none(), st.integers(0, 10**8))
PRICES = st.builds(
    Price,
    model=st.just("m"),
    valid_from=st.dates(date(2020, 1, 1), date(2030, 1, 1)),
    input=st.integers(0, 10**8),
    output=st.integers(0, 10**8),
    cache_read=RATES,
    cache_write=RATES,
    reasoning=RATES,
)
FORMS: tuple[Literal["NFC", "NFKC"], ...] = ("NFC", "NFKC")
WIRES = tuple(PATHS.values())
HOLDS = st.builds(Hold, st.integers(0, 100), st.integers(0, 100))


MARKED = st.text(
    st.sampled_from("ae\u00e0\u1ec7\u0301\u0316\u0323\u0327\u0344\u0958\u093c\u212b\ufdfa\u2460")
    | st.sampled_from(
        "\u1100\u1161\u11a8\uac00\ud55c\u304c\u3099\uff9e\u09c7\u09be\u0ccb\U0001d15e"
    )
    | st.characters(exclude_categories=["Cs"]),
    max_size=40,
)


@given(MARKED)
def test_no_normal_form_of_a_text_has_more_bytes_than_tokens_are_held(text: str) -> None:
    """Whatever marks follow whatever characters, in any order."""
    provider = Provider(wire="openai", base_url="http://127.0.0.1:9/v1")
    model = ServedModel(provider="near", most_output_tokens=100)
    asked = prepare_request("openai-responses", {"model": "m", "input": text}, model, provider)
    written = asked.content.decode()
    for form in FORMS:
        assert asked.read >= len(unicodedata.normalize(form, written).encode()) + PROMPT_TOKENS
    assert asked.read >= len(asked.content) + PROMPT_TOKENS


@given(
    st.integers(0, 300),
    st.integers(0, 300),
    st.lists(st.tuples(HOLDS, st.floats(0, 1), st.booleans()), max_size=60),
)
def test_a_budget_holds_whatever_runs_beside(
    cost: int, tokens: int, calls: list[tuple[Hold, float, bool]]
) -> None:
    """Calls begin and end in any order; none uses more than it held."""
    book = BudgetBook(cost, tokens)
    open_calls: list[tuple[Hold, float]] = []

    def end() -> None:
        hold, part = open_calls.pop(0)
        book.settle(hold, int(hold.cost_microusd * part), int(hold.tokens * part))

    for hold, part, ends in calls:
        if book.lacks(hold) is None:
            book.reserve(hold)
            open_calls.append((hold, part))
        if ends and open_calls:
            end()
        assert book.spent_cost <= cost
        assert book.spent_tokens <= tokens
    while open_calls:
        end()
    assert book.calls == 0
    assert book.spent_cost <= cost
    assert book.spent_tokens <= tokens
    if book.spent_cost < cost and book.spent_tokens < tokens:
        assert book.lacks(Hold(1, 1)) is None, "nothing stays held"


@given(PRICES, USAGES)
def test_no_usage_costs_more_than_what_was_held_for_it(price: Price, usage: TokenUsage) -> None:
    read = usage.input_uncached + usage.cache_read + usage.cache_write
    assert price.cost(usage) <= price.most(read, usage.output + usage.reasoning)


@given(PRICES, st.lists(USAGES, max_size=5))
def test_costs_are_rounded_up_call_by_call(price: Price, usages: list[TokenUsage]) -> None:
    apart = sum(price.cost(usage) for usage in usages)
    together = price.cost(total_usage(usages))
    assert together <= apart <= together + len(usages)


@given(
    st.lists(PRICES, max_size=6, unique_by=lambda price: price.valid_from),
    st.dates(date(2019, 1, 1), date(2031, 1, 1)),
)
def test_the_newest_price_that_is_valid_holds(prices: list[Price], day: date) -> None:
    table = PriceTable(prices)
    found = table.at("m", day)
    valid = [price.valid_from for price in prices if price.valid_from <= day]
    assert (found.valid_from if found else None) == max(valid, default=None)
    assert table.at("other", day) is None
    assert PriceTable(prices[::-1]).digest == table.digest


def reply_of(text: str, stop: Any, usage: TokenUsage, *, tool: bool) -> Reply:
    calls = (ToolCall("look", '{"a": 1}'),) if tool else ()
    return Reply(text, calls, usage, stop)


@given(
    st.sampled_from(WIRES),
    st.text(max_size=40),
    st.sampled_from(["stop", "length", "refusal"]),
    USAGES,
    st.booleans(),
    st.lists(st.integers(1, 200), max_size=30),
)
def test_a_stream_tells_the_same_as_the_whole_reply_however_it_is_cut_into_pieces(
    wire: Any, text: str, stop: Any, usage: TokenUsage, tool: bool, sizes: list[int]
) -> None:
    if tool:
        stop = "tool"
    body = {"stream_options": {"include_usage": True}}
    ask = Ask(wire, "m", body, "key", 0, streamed=True)
    reply = reply_of(text, stop, usage, tool=tool)
    at_once = whole(ask, reply)
    expected = counted(ask, reply)
    assert usage_of(wire, at_once["usage"]) == expected
    reader = stream_reader(wire, hide_usage=True)
    splitter = EventSplitter()
    data, shown = b"".join(events(ask, reply)), []
    for size in [*sizes, len(data)]:
        piece, data = data[:size], data[size:]
        shown += [reader.show(event) for event in splitter.feed(piece)]
    assert reader.finished
    assert reader.usage == expected
    assert reader.stop == stop_of(wire, at_once) == stop
    if wire == "openai-chat":
        assert not [event for event in shown if event and b'"usage"' in event]


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\n\n"]), max_size=20), st.data())
def test_events_end_where_they_end_in_the_whole(pieces: list[bytes], data: st.DataObject) -> None:
    sent = b"".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=8)))
    splitter, told = EventSplitter(), list[bytes]()
    for begin, end in pairwise([0, *cuts, len(sent)]):
        told += splitter.feed(sent[begin:end])
    assert told == EventSplitter().feed(sent)
    assert b"".join(told).count(b"a") <= sent.count(b"a")


def test_counts_before_the_end_of_a_stream_are_not_what_it_cost() -> None:
    """Some providers count in every chunk."""

    def chunk(written: int, finish: str | None = None, *, choices: bool = True) -> bytes:
        usage = {"prompt_tokens": 9, "completion_tokens": written}
        choice = [{"index": 0, "delta": {"content": "x"}, "finish_reason": finish}]
        return as_event({"choices": choice if choices else [], "usage": usage})

    def read(*told: bytes) -> tuple[TokenUsage | None, TokenUsage | None]:
        reader = stream_reader("openai-chat", hide_usage=False)
        for event in told:
            reader.show(event)
        return reader.usage, reader.read

    asked = TokenUsage(input_uncached=9)
    whole = asked.model_copy(update={"output": 3})
    assert read(chunk(1), chunk(2)) == (None, asked)
    assert read(chunk(1), chunk(3, "stop")) == (whole, asked)
    assert read(chunk(1), chunk(2, "stop"), chunk(3, choices=False)) == (whole, asked)
    assert read(chunk(1), chunk(3, "of its own"), b"data: [DONE]") == (whole, asked)


def test_a_long_event_in_small_pieces_takes_time_by_its_length() -> None:
    def seconds(pieces: int) -> float:
        splitter, began = EventSplitter(), time.process_time()
        for _ in range(pieces):
            assert not splitter.feed(b"x" * 1_024)
        return time.process_time() - began

    # Sixteen times as much; what looks at everything again needs 256 times as long.
    assert seconds(8_000) < 80 * max(seconds(500), 0.001)


PHASES = st.lists(st.tuples(st.sampled_from(Phase), st.integers(0, 20)), min_size=1, max_size=6)


@given(st.lists(st.tuples(st.integers(0, 50), PHASES), max_size=8))
def test_a_run_waits_while_a_call_of_it_waits_and_none_is_at_work(
    calls: list[tuple[int, list[tuple[Phase, int]]]],
) -> None:
    """Told second by second, whatever overlaps and in whichever order it is told."""
    events: list[tuple[int, int, Phase | None]] = []
    seconds: dict[bool, set[int]] = {True: set(), False: set()}
    for number, (began, phases) in enumerate(calls):
        at = began
        for left, (phase, length) in zip(range(len(phases), 0, -1), phases, strict=True):
            events.append((at, number, phase))
            # What is sent last and never answered is nobody's waiting.
            is_work = phase is Phase.AT_WORK or (phase is Phase.SENT and left == 1)
            seconds[is_work] |= set(range(at, at + length))
            at += length
        events.append((at, number, None))
    time, open_calls = WaitingTime(), dict[int, CallTime]()
    time.carry(5)
    for at, number, phase in sorted(events, key=lambda one: one[0]):
        if phase is None:
            time.end(open_calls[number], at)
        elif number in open_calls:
            open_calls[number].goes_on(phase, at)
        else:
            open_calls[number] = time.begin(at, phase)
    assert time.total(1_000) == 5 + len(seconds[False] - seconds[True])


def test_a_silent_provider_counts_as_waiting_until_it_turns_out_that_it_worked() -> None:
    time = WaitingTime()
    call = time.begin(0)
    call.goes_on(Phase.SENT, 10)
    assert time.total(70) == 10, "a model may think"
    assert time.total(170) == 110
    call.goes_on(Phase.QUEUED, 200)
    assert time.total(200) == 200, "nothing came of it"
    call.goes_on(Phase.SENT, 210)
    call.answered()
    assert time.total(500) == call.waited(500) == 210
    time.end(call, 500)
    assert time.total(999) == 210


def test_a_call_that_nobody_waits_for_stops_no_clock_and_hides_no_other_that_waits() -> None:
    time = WaitingTime()
    left, heard = time.begin(0), time.begin(0)
    left.goes_on(Phase.SENT, 10)
    time.end(left, 20)
    heard.goes_on(Phase.AT_WORK, 30)
    for phase in (Phase.QUEUED, Phase.SENT, Phase.AT_WORK):
        left.goes_on(phase, 40)
    assert time.total(500) == 20, "the second waited from 0 to 30, and the first was asked at 10"
    heard.goes_on(Phase.QUEUED, 500)
    time.end(left, 600)
    assert time.total(700) == 220


@given(st.integers(1, 60), st.floats(0, 1, exclude_max=True), st.one_of(st.none(), st.text()))
def test_a_pause_grows_to_its_cap_and_is_never_shorter_than_asked(
    failures: int, chance: float, header: str | None
) -> None:
    configuration = parse_configuration(SMALL, "gateway.toml")
    provider = configuration.providers["near"]
    pause = pause_before(provider, failures, header, chance)
    whole_pause = min(30.0, 0.5 * 2 ** (failures - 1))
    assert pause >= whole_pause / 2
    assert pause_before(provider, failures, "77", chance) == 77
    assert pause_before(provider, failures, None, chance) <= whole_pause


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(st.sampled_from(WIRES), st.text(min_size=1, max_size=30), JSON)
def test_a_field_that_is_not_on_the_list_never_passes(wire: Any, name: str, value: object) -> None:
    if name in FIELDS[wire] or value is None:
        return
    with pytest.raises(FieldRefused) as refused:
        check_fields(wire, {"model": "m", name: value})
    assert refused.value.field == name


@given(st.sampled_from(WIRES), JSON)
def test_odd_values_are_refused_and_break_nothing(wire: Any, value: object) -> None:
    for name in FIELDS[wire]:
        assert (refused_field(wire, {name: value}) or name).startswith(name)


def refused_field(wire: Any, body: dict[str, object]) -> str:
    try:
        check_fields(wire, body)
    except FieldRefused as refused:
        return refused.field
    return ""


@pytest.mark.parametrize("told", [10**16, 10**400, 1.5, 1e400, -1, True, "7", None, [7]])
@pytest.mark.parametrize("wire", WIRES)
def test_counts_that_nobody_can_have_counted_are_none(wire: Any, told: object) -> None:
    names = ("prompt", "completion") if wire == "openai-chat" else ("input", "output")
    usage: dict[str, object] = {f"{name}_tokens": 7 for name in names}
    assert usage_of(wire, usage) is not None
    for name in usage:
        assert usage_of(wire, usage | {name: told}) is None
        assert count_at(usage | {name: told}, name) is None


@given(JSON)
def test_a_reason_that_no_format_knows_breaks_nothing(reason: object) -> None:
    chat = {"choices": [{"finish_reason": reason, "message": {"refusal": reason}}]}
    response = {"status": "incomplete", "incomplete_details": {"reason": reason}}
    assert stop_of("openai-chat", chat) == "unknown"
    assert stop_of("anthropic", {"stop_reason": reason}) == "unknown"
    assert stop_of("openai-responses", response) == "length"
    assert stop_of("openai-responses", {"status": reason, "output": [reason]}) == "unknown"
    reader = stream_reader("openai-chat", hide_usage=False)
    reader.show(as_event(chat))
    assert reader.stop == "unknown"
    reader = stream_reader("anthropic", hide_usage=False)
    reader.show(as_event({"type": "message_delta", "delta": {"stop_reason": reason}}))
    assert reader.stop == "unknown"


SLASHED = "provider-key/0123456789+ab="


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_a_secret_is_gone_wherever_it_stands(before: bytes, after: bytes) -> None:
    secret = "provider-key-0123456789"
    run_key = b"gfk-" + b"Aa0_-" * 8 + b"abc"
    cleaned = SecretsFilter([secret, "", "short"]).clean(
        before + secret.encode() + after + run_key + before
    )
    assert secret.encode() not in cleaned
    assert run_key not in cleaned


RUN_KEY = "gfk-" + "Aa0_-" * 8 + "zZ9"
ESCAPES: dict[str, Callable[[str], str]] = {
    "small": lambda letter: f"\\u{ord(letter):04x}",
    "big": lambda letter: f"\\u{ord(letter):04X}",
    "none": lambda letter: letter,
    "slash": lambda letter: letter.replace("/", "\\/"),
}


@given(
    st.sampled_from([SLASHED, RUN_KEY]),
    st.lists(st.sampled_from(sorted(ESCAPES)), min_size=1),
    st.integers(0, 3),
    st.sampled_from([1, 200]),
)
def test_a_secret_is_gone_however_its_letters_are_written_and_however_deep_it_stands(
    secret: str, ways: list[str], layers: int, depth: int
) -> None:
    """Layers: of JSON in a text of JSON, as in the arguments of a tool."""
    secrets = SecretsFilter([SLASHED])
    letters = zip(secret, itertools.cycle(ways), strict=False)
    written = "".join(ESCAPES[way](letter) for letter, way in letters)
    text = '{"no key": "' + written + '", "of": "a\\u00e9"}'
    for _ in range(layers):
        text = json.dumps({"arguments": text})
    found = json.loads(secrets.clean(b"[" * depth + text.encode() + b"]" * depth))
    for _ in range(depth):
        (found,) = found
    for _ in range(layers):
        found = json.loads(found["arguments"])
    assert found == {"no key": "[secret]", "of": "a\u00e9"}


@pytest.mark.parametrize("other", [rb'{"a": "\/"}', rb'{"a": "\/', rb"\/", rb"\u0067fk-\u", b""])
def test_what_is_no_secret_stays_to_the_byte(other: bytes) -> None:
    assert SecretsFilter([SLASHED]).clean(other) == other


def test_rows_of_backslashes_are_looked_at_once() -> None:
    """A million in front of each half of a key would take hours if each were begun at."""
    row = b"\\" * 1_000_000 + b"u006"
    assert SecretsFilter([SLASHED]).clean(row * 2) == row * 2


def test_what_stands_in_each_event_holds_no_stream_back() -> None:
    cleaner = StreamCleaner(SecretsFilter(["sk-0123456789"]))
    for piece in ("one", " two", " three"):
        said = {"id": "cmpl-7s", "model": "of-thinking", "choices": [{"delta": {"content": piece}}]}
        assert cleaner.feed(as_event(said)) == [as_event(said)]


@given(
    st.text(max_size=20),
    st.lists(st.integers(1, 30), max_size=6),
    st.sampled_from(["provider-key-0123456789", "gfk-" + "Aa0_-" * 8 + "abc"]),
    st.sampled_from([b"", b'event: ping\ndata: {"type":"ping"}']),
)
def test_a_secret_is_gone_from_a_stream_however_it_is_cut(
    said: str, cuts: list[int], secret: str, between: bytes
) -> None:
    text = f"{said}{secret} {said}{secret[:9]}"
    ends = sorted({min(len(text), sum(cuts[: n + 1])) for n in range(len(cuts))} | {len(text)})
    pieces = [text[a:b] for a, b in pairwise([0, *ends])]
    events = [
        one
        for n, piece in enumerate(pieces)
        for one in (as_event({"n": n, "choices": [{"delta": {"content": piece}}]}, "d"), between)
        if one
    ]
    cleaner = StreamCleaner(SecretsFilter(["provider-key-0123456789"]))
    shown = [one for event in events for one in cleaner.feed(event)] + cleaner.rest()
    assert len(shown) == len(events)
    told = [data_object(one) for one in shown if one != between]
    assert [one and one["n"] for one in told] == list(range(len(pieces)))
    contents = [cast("Any", one)["choices"][0]["delta"]["content"] for one in told]
    assert "".join(contents) == text.replace(secret, "[secret]")
    whole = b"".join(one + b"\n\n" for one in events)
    secrets = SecretsFilter(["provider-key-0123456789"])
    assert clean_reply(whole, secrets) == b"".join(one + b"\n\n" for one in shown)


def test_a_stream_is_held_back_no_longer_than_a_secret_may_come() -> None:
    def said(**delta: str) -> bytes:
        return as_event({"type": "content_block_delta", "delta": delta})

    cleaner = StreamCleaner(SecretsFilter(["provider-key-0123456789"]))
    assert cleaner.feed(said(text="looking up")) == []
    assert cleaner.feed(as_event({"type": "ping"})) == []
    assert len(cleaner.feed(said(partial_json="{"))) == 3
    assert len(cleaner.feed(said(text="no secret"))) == 1
    assert cleaner.feed(said(text="provider-")) == []
    pings = [len(cleaner.feed(as_event({"type": "ping"}))) for _ in range(2 * MOST_HELD)]
    assert sum(pings) >= MOST_HELD


SMALL = """
[providers.near]
wire = "openai"
base_url = "http://127.0.0.1:9/v1"
[models.small]
provider = "near"
most_output_tokens = 100
"""


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ('[models.b]\nprovider = "far"\nmost_output_tokens = 1', "models.b.provider"),
        (
            '[[prices]]\nmodel = "x"\nvalid_from = 2026-01-01\ninput = 1\noutput = 1',
            "prices.0.model",
        ),
        (
            '[[prices]]\nmodel = "small"\nvalid_from = 2026-01-01\ninput = 1\noutput = 1\n' * 2,
            "prices.1",
        ),
        (
            '[models.b]\nprovider = "near"\nmost_output_tokens = 1\ndrop = ["tools"]',
            "models.b.drop",
        ),
        ('[providers.b]\nwire = "openai"\nbase_url = "ftp://x"', "providers.b.base_url"),
        ("= 1", "file"),
    ],
)
def test_a_fault_of_the_gateways_file_is_told_by_its_field(more: str, field: str) -> None:
    with pytest.raises(InvalidInput) as told:
        parse_configuration(SMALL + more, "gateway.toml")
    assert [fault.field for fault in told.value.faults] == [field]
    assert json.dumps(told.value.faults[0].as_json())
