"""The gateway before a real HTTP server that speaks providers' formats and counts for itself."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from models.errors import Infrastructure, Refused
from models.schemas.model_call import Grant, TokenUsage, Wire
from models.storage.artifacts import FolderArtifacts
from models.verdicts import VoidCategory
from tests.fakes.model_server import (
    KEY,
    Fault,
    ModelServer,
    by_turn,
    echo,
    is_question,
    model_server,
)
from tests.fakes.model_wires import Ask, Reply, ToolCall, events
from tests.fakes.running_gateway import (
    CHAT,
    CLAUDE,
    PATHS,
    RunningGateway,
    call_body,
    gateway_toml,
    key_of,
    running_gateway,
)
from workers.gateway_command import listener_of
from workers.model_gateway.gateway_opening import Recordings
from workers.model_gateway.reply_line import ReplyLine

WIRES = tuple(PATHS)
ODD = TokenUsage(input_uncached=1_003, cache_read=517, cache_write=211, output=97, reasoning=41)


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    return tmp_path / "farm"


@contextmanager
def gateway_before(
    farm: Path, script: Callable[[Ask], Reply] = echo, *, toml: str = "", **settings: object
) -> Generator[tuple[RunningGateway, ModelServer]]:
    """A model server that plays `script`, and a gateway before it."""
    with (
        model_server(script, **settings) as server,
        running_gateway(farm, gateway_toml(server, provider=toml)) as gateway,
    ):
        yield gateway, server


def hang_up_early(gateway: RunningGateway, grant: Grant, wire: str) -> None:
    """Ask for a stream and leave after its first bytes."""
    with (
        gateway.access.http() as client,
        client.stream(
            "POST", PATHS[wire], json=call_body(wire, stream=True), headers=key_of(grant)
        ) as reply,
    ):
        next(reply.iter_bytes())


def test_tokens_and_cost_equal_the_servers_own_count_to_the_last_token(farm: Path) -> None:
    """All formats, streaming or not, tools, retries, lengths, and clients that hang up."""
    replies = (
        Reply("a b c d e f g", usage=ODD),
        Reply(tool_calls=(ToolCall("look", '{"at": "x y z"}'),), stop="tool"),
        Reply("cut short here", stop="length"),
    )

    def script(ask: Ask) -> Reply:
        return replies[len(server.ledger.served) % 3]

    def fault(number: int, _ask: Ask) -> Fault | None:
        return Fault((429, 503, 529, 0)[number // 5 % 4], "0.01") if number % 5 == 0 else None

    with model_server(echo, fault=fault) as server:
        server.script = script
        with running_gateway(farm, gateway_toml(server)) as gateway:
            grant = gateway.grant()
            for wire in WIRES:
                for stream in (False, True, True):
                    assert gateway.ask(grant, wire, stream=stream).status_code == 200
                server.script = lambda _ask: Reply("left alone early on", usage=ODD, pause_s=0.02)
                hang_up_early(gateway, grant, wire)
                server.script = script
            report = gateway.close(grant)
        assert report.usage == server.ledger.usage()
        assert report.tokens == server.ledger.usage().total
        assert report.fault is None
        assert sum(call.attempts for call in report.calls) == server.ledger.requests
        # Added up by hand from what the server served, by the file's prices.
        prices = {
            CHAT: (1_250_000, 125_000, 0, 10_000_000),
            CLAUDE: (3_000_000, 300_000, 3_750_000, 15_000_000),
        }
        cost = 0
        for one in server.ledger.served:
            fresh, read, write, out = prices[one.model]
            used = one.usage
            cost += -(
                -(
                    used.input_uncached * fresh
                    + used.cache_read * read
                    + used.cache_write * write
                    + (used.output + used.reasoning) * out
                )
                // 1_000_000
            )
        assert report.cost_microusd == cost
        stops = [call.stop for call in report.calls]
        assert {"stop", "tool", "length"} <= set(stops)


def test_a_reply_in_one_piece_that_nobody_waits_for_is_told_charged_and_stops_no_clock(
    farm: Path,
) -> None:
    with model_server(lambda _ask: Reply("long thought about", delay_s=1.5)) as server:
        with running_gateway(farm, gateway_toml(server)) as gateway:
            grant = gateway.grant()
            for wire in WIRES:
                asked = {"json": call_body(wire), "headers": key_of(grant), "timeout": 0.5}
                with gateway.access.http() as client, pytest.raises(httpx.ReadTimeout):
                    client.post(PATHS[wire], **asked)
            report = gateway.close(grant)
        assert [call.hung_up for call in report.calls] == [True] * 3
        assert report.usage == server.ledger.usage()


def test_whoever_stops_reading_has_hung_up_and_is_told_nothing_more() -> None:
    async def leave(after: int) -> tuple[list[bytes], bool]:
        line = ReplyLine()
        line.begin_stream()
        for part in (b"a", b"b"):
            line.put(part)
        line.end()
        parts = line.parts()
        read = [part async for part in parts] if not after else [await anext(parts)]
        await parts.aclose()
        line.put(b"c")
        return read, line.hung_up

    assert asyncio.run(leave(0)) == ([b"a", b"b"], False)
    assert asyncio.run(leave(1)) == ([b"a"], True)


def test_a_budget_holds_under_forty_calls_at_once(farm: Path) -> None:
    def slow(_ask: Ask) -> Reply:
        return Reply("x", usage=TokenUsage(input_uncached=10, output=90), delay_s=0.05)

    with gateway_before(farm, slow) as (gateway, server):
        # Twenty calls of 100 tokens fit; each holds about 250 before it is made.
        grant = gateway.grant(tokens=2_000)

        def ask(number: int) -> int:
            wire = WIRES[number % 3]
            limit = "max_output_tokens" if wire == "openai-responses" else "max_tokens"
            return gateway.ask(grant, wire, **{limit: 90}).status_code

        with ThreadPoolExecutor(40) as pool:
            statuses = list(pool.map(ask, range(40)))
        report = gateway.close(grant)
        assert report.tokens <= 2_000
        assert report.tokens == server.ledger.usage().total == 100 * statuses.count(200)
        assert set(statuses) == {200, 402}
        assert statuses.count(200) >= 17
        assert report.exhausted == "tokens"


def test_what_a_run_may_not_send_is_refused_by_name_and_noted(farm: Path) -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    remote = [{"type": "image", "source": {"type": "url", "url": "http://x/"}}]
    page = [{"type": "image_url", "image_url": {"url": "http://x/?leak"}}]
    refused = {
        ("openai-chat", "metadata"): {"metadata": {"a": "b"}},
        ("openai-chat", "store"): {"store": True},
        ("openai-chat", "service_tier"): {"service_tier": "flex"},
        ("openai-chat", "web_search_options"): {"web_search_options": {}},
        ("openai-chat", "messages[0].content[0].image_url.url"): {
            "messages": [{"role": "user", "content": page}]
        },
        ("openai-responses", "previous_response_id"): {"previous_response_id": "resp_1"},
        ("openai-responses", "conversation"): {"conversation": "conv_1"},
        ("openai-responses", "background"): {"background": True},
        ("openai-responses", "tools[0].type"): {"tools": [{"type": "file_search"}]},
        ("openai-responses", "input[0].type"): {"input": [{"type": "item_reference", "id": "x"}]},
        ("anthropic", "tools[0].type"): {"tools": tools},
        ("anthropic", "container"): {"container": "c_1"},
        ("anthropic", "mcp_servers"): {"mcp_servers": [{"url": "http://x"}]},
        ("anthropic", "context_management"): {"context_management": {}},
        ("anthropic", "messages[0].content[0].source.type"): {
            "messages": [{"role": "user", "content": remote}]
        },
    }
    with gateway_before(farm) as (gateway, server):
        grant = gateway.grant()
        for (wire, field), body in refused.items():
            answer = gateway.ask(grant, wire, **body)
            assert answer.status_code == 400, field
            assert field in answer.json()["error"]["message"], answer.text
        assert gateway.ask(grant, "openai-chat", model="gpt-unknown").status_code == 403
        report = gateway.close(grant)
        assert [call.refused for call in report.calls] == [*(f for _, f in refused), "model"]
        assert all(call.stop == "refused" and not call.tokens for call in report.calls)
        assert server.ledger.requests == 0


def test_the_provider_is_asked_only_what_is_allowed(farm: Path) -> None:
    """Limits are set, usage is asked for and hidden again, nothing is stored, no header passes."""
    with gateway_before(farm) as (gateway, server):
        grant = gateway.grant()
        head = {**key_of(grant), "anthropic-beta": "files-api-2025-04-14", "x-odd": "1"}
        with gateway.access.http() as client:
            for wire in WIRES:
                body = call_body(wire, stream=True)
                body.pop("max_tokens", None)
                got = client.post(PATHS[wire] + "?beta=true", json=body, headers=head)
                assert got.status_code == 200
                if wire == "openai-chat":
                    assert "usage" not in got.text
                    assert got.text.endswith("data: [DONE]\n\n")
        seen = gateway.ask(
            grant, "openai-chat", stream=True, stream_options={"include_usage": True}
        )
        assert '"prompt_tokens"' in seen.text
        chat, responses, anthropic, _ = server.asks
        assert chat.body["max_completion_tokens"] == 1000
        assert chat.body["stream_options"] == {"include_usage": True}
        assert responses.body["store"] is False
        assert responses.body["max_output_tokens"] == anthropic.body["max_tokens"] == 1000
        for headers in server.headers:
            names = {name.lower() for name in headers}
            assert not names & {"anthropic-beta", "x-odd"}
            assert grant.key not in str(headers)
        listed = client_models(gateway, grant)
        assert listed == [CHAT, CLAUDE]


def client_models(gateway: RunningGateway, grant: Grant) -> list[str]:
    with gateway.access.http() as client:
        told = client.get("/openai/v1/models", headers=key_of(grant)).json()
    return [one["id"] for one in told["data"]]


def test_waiting_for_a_busy_provider_is_told_and_costs_nothing(farm: Path) -> None:
    def fault(number: int, _ask: Ask) -> Fault | None:
        return {1: Fault(429, "0.3"), 2: Fault(503), 3: Fault(0)}.get(number)

    with gateway_before(farm, fault=fault) as (gateway, server):
        grant = gateway.grant()
        assert gateway.ask(grant, "anthropic").status_code == 200
        report = gateway.close(grant)
        assert report.calls[0].attempts == 4
        assert report.calls[0].waited_ms >= 300
        assert report.waited_ms >= 300
        assert report.tokens == server.ledger.usage().total


def test_a_provider_that_stays_away_voids_and_is_not_asked_again(farm: Path) -> None:
    with gateway_before(farm, toml="patience_s = 0.3") as (gateway, server):
        grant, other = gateway.grant(1), gateway.grant(2)
        server.outage(requests=10**6)
        answer = gateway.ask(grant, "openai-chat")
        assert answer.status_code == 503
        assert answer.json()["error"]["type"] == "overloaded_error"
        asked = server.ledger.requests
        assert gateway.ask(grant, "openai-chat").status_code == 503
        assert server.ledger.requests == asked
        server.outage(requests=0)
        # Another run has its own fate.
        assert gateway.ask(other, "openai-chat").status_code == 200
        assert gateway.close(other).fault is None
        report = gateway.close(grant)
        assert report.fault is not None
        assert report.fault.category is VoidCategory.PROVIDER_UNAVAILABLE
        assert report.tokens == report.cost_microusd == 0


@pytest.mark.parametrize("met", [429, 503, 0])
def test_a_refusal_that_nobody_can_tell_is_asked_again(farm: Path, met: int) -> None:
    """The gateway's own question meets trouble: whose refusal it was is not known."""

    def fault(number: int, ask: Ask) -> Fault | None:
        return {1: Fault(403), 2: Fault(met)}.get(number)

    with gateway_before(farm, fault=fault) as (gateway, server):
        grant = gateway.grant()
        assert gateway.ask(grant, "openai-chat").status_code == 200
        assert is_question(server.asks[1])
        assert gateway.close(grant).fault is None


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 410, 422])
def test_a_provider_that_refuses_the_farm_is_the_farms_fault(farm: Path, status: int) -> None:
    """Out of credit is a 400 of Anthropic, a bad key a 400 of Gemini."""

    def fault(number: int, _ask: Ask) -> Fault:
        return Fault(status, message=f"Your credit balance is too low: req_{number}")

    with gateway_before(farm, fault=fault) as (gateway, _):
        grant = gateway.grant()
        assert gateway.ask(grant, "openai-chat").status_code == 503
        report = gateway.close(grant)
        assert report.fault is not None
        assert report.fault.category is VoidCategory.GATEWAY
        assert report.tokens == 0


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_the_provider_refuses_is_the_agents_own(farm: Path, status: int) -> None:
    """Whether the model answers the gateway's own question, or finds another fault with it."""

    def fault(_number: int, ask: Ask) -> Fault | None:
        if not is_question(ask):
            return Fault(status)
        return Fault(400, message="only streams") if ask.model == CHAT else None

    with gateway_before(farm, fault=fault) as (gateway, _):
        grant = gateway.grant()
        for wire in ("anthropic", "openai-chat"):
            answer = gateway.ask(grant, wire)
            assert (answer.status_code, answer.json()["error"]["message"]) == (status, "planted")
        report = gateway.close(grant)
        assert report.fault is None
        assert (report.tokens, report.calls[0].attempts) == (0, 1)


@pytest.mark.parametrize(
    ("status", "message"),
    [(400, ""), (403, ""), (404, ""), (429, "Request too large for small-chat")],
)
@pytest.mark.parametrize("others", [True, False])
def test_no_run_voids_itself_by_what_the_provider_refuses_to_it_alone(
    farm: Path, status: int, message: str, *, others: bool
) -> None:
    """Whether another run shows that the provider answers, or the gateway has to ask by itself."""
    with poisoned(farm, Fault(status, message=message), others=others) as (gateway, grant, asks):
        assert gateway.ask(grant, "openai-chat").status_code == 200
        report = gateway.close(grant)
    assert report.fault is None
    assert (report.calls[0].status, report.calls[0].attempts) == (400 if status == 400 else 422, 1)
    assert report.tokens == report.calls[1].tokens
    asked_by_itself = [ask for ask in asks if is_question(ask)]
    assert len(asked_by_itself) == (0 if others or message else 1)


@pytest.mark.parametrize("others", [True, False])
def test_a_void_tells_whether_the_provider_answered_others(farm: Path, *, others: bool) -> None:
    with poisoned(farm, Fault(503), others=others) as (gateway, grant, _):
        found = gateway.close(grant).fault
    assert found is not None
    assert found.category is VoidCategory.PROVIDER_UNAVAILABLE
    assert ("answered others" in found.detail) is others


@contextmanager
def poisoned(
    farm: Path, met: Fault, *, others: bool
) -> Generator[tuple[RunningGateway, Grant, list[Ask]]]:
    """A gateway and a grant one of whose requests met that fault, and nobody else's did; with
    `others`, while another run was answered."""
    failing, others_asked = threading.Event(), threading.Event()

    def fault(_number: int, ask: Ask) -> Fault | None:
        if "poison" not in ask.text:
            return None
        failing.set()
        assert others_asked.wait(60)
        return met

    with (
        gateway_before(farm, fault=fault, toml="patience_s = 0.1") as (gateway, server),
        ThreadPoolExecutor(1) as pool,
    ):
        grant, other = gateway.grant(1), gateway.grant(2)
        said = [{"role": "user", "content": "poison"}]
        answer = pool.submit(gateway.ask, grant, "openai-chat", messages=said)
        assert failing.wait(60)
        if others:
            assert gateway.ask(other, "openai-chat").status_code == 200
        others_asked.set()
        assert not answer.result().is_success
        yield gateway, grant, server.asks


@pytest.mark.parametrize("stream", [True, False])
def test_a_silent_provider_counts_for_nobody_until_it_answers(
    farm: Path, monkeypatch: pytest.MonkeyPatch, *, stream: bool
) -> None:
    monkeypatch.setattr("workers.model_gateway.waiting_time.THINKS_S", 0.0)
    asked, go_on = threading.Event(), threading.Event()

    def slow(_ask: Ask) -> Reply:
        asked.set()
        assert go_on.wait(60)
        return Reply("x")

    with gateway_before(farm, slow) as (gateway, _), ThreadPoolExecutor(1) as pool:
        grant = gateway.grant()
        answer = pool.submit(gateway.ask, grant, "openai-chat", stream=stream)
        assert asked.wait(60)
        looks = [gateway.access.report(grant).waited_ms for _ in range(200)]
        go_on.set()
        assert answer.result().status_code == 200
        after = gateway.close(grant).waited_ms
    assert sorted(looks) == looks
    assert looks[-1] > looks[0] >= 0
    assert after < looks[-1], "what was answered was the model's own time"


def test_a_slow_answer_in_one_piece_is_no_silence(farm: Path) -> None:
    with gateway_before(farm, lambda _: Reply("x", delay_s=0.5), toml="silence_s = 0.1") as (
        gateway,
        server,
    ):
        grant = gateway.grant()
        assert gateway.ask(grant, "openai-chat").status_code == 200
        assert gateway.close(grant).calls[0].attempts == server.ledger.requests == 1


def test_who_stands_in_line_loses_no_patience(farm: Path) -> None:
    def fault(number: int, _ask: Ask) -> Fault | None:
        return Fault(503) if number == 2 else None

    toml = "concurrent = 1\npatience_s = 0.5"
    with (
        gateway_before(farm, lambda _: Reply("x", delay_s=1.0), fault=fault, toml=toml) as gate,
        ThreadPoolExecutor(1) as pool,
    ):
        gateway, server = gate
        first = pool.submit(gateway.ask, gateway.grant(1), "openai-chat")
        while server.ledger.most_at_once < 1:
            assert not first.done()
        assert gateway.ask(gateway.grant(2), "openai-chat").status_code == 200
        assert first.result().status_code == 200
        assert server.ledger.requests == 3


@dataclass
class HeldOpen:
    """A provider that says all of a reply, whose id may begin a key, and goes on holding the line
    until `go_on`."""

    listener: socket.socket
    wire: Wire
    go_on: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return "http://127.0.0.1:{1}".format(*self.listener.getsockname())

    def serve(self) -> None:
        with self.listener.accept()[0] as line:
            while not line.recv(65_536).endswith(b"}"):
                pass
            asked = {"stream_options": {"include_usage": True}}
            told = events(Ask(self.wire, "m", asked, KEY, 0, streamed=True), Reply("one two"))
            body = b"".join(told).replace(b'"resp_1"', b'"resp_g"')
            line.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + body)
            assert self.go_on.wait(60)


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_ends_with_its_last_event_whether_the_provider_closes_it_or_not(
    farm: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.model_gateway.model_call_task.ENDING_S", 60.0)
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        provider = HeldOpen(listener, wire)
        serving = pool.submit(provider.serve)
        with running_gateway(farm, gateway_toml(provider)) as gateway:
            grant = gateway.grant()
            try:
                asked = {"json": call_body(wire, stream=True), "headers": key_of(grant)}
                with gateway.access.http() as client:
                    assert client.post(PATHS[wire], **asked, timeout=15).status_code == 200
                account = gateway.opened.grants.account(grant.id)
                assert account is not None
                assert not account.waiting._open, "its clock goes on"
                assert not serving.done()
            finally:
                provider.go_on.set()
            (call,) = gateway.close(grant).calls
            assert (call.stop, call.hung_up) == ("stop", False)
            assert call.usage is not None
        serving.result()


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_breaks_is_charged_as_far_as_known_and_marked(farm: Path, wire: str) -> None:
    reply = Reply("one two three four", usage=TokenUsage(input_uncached=9, output=4), cut_after=3)
    with gateway_before(farm, lambda _ask: reply) as (gateway, server):
        grant = gateway.grant()
        streamed = gateway.ask(grant, wire, stream=True)
        assert streamed.status_code == 200
        assert "the reply broke off" in streamed.text
        assert gateway.ask(grant, wire).status_code == 502
        first, second = gateway.close(grant).calls
        assert [call.stop for call in (first, second)] == ["cut", "cut"]
        assert server.ledger.requests == 2, "after the first byte nothing is tried again"
        assert first.usage is second.usage is None
        limit = 100 if wire == "anthropic" else 1000
        # Anthropic tells its input first; of the others nothing is known.
        assert first.tokens == 9 + limit if wire == "anthropic" else first.tokens > limit
        assert second.tokens > limit
        assert all((call.cost_microusd or 0) > 0 for call in (first, second))


def test_a_key_ends_with_its_grant_and_with_a_newer_attempt(farm: Path) -> None:
    with gateway_before(farm) as (gateway, _):
        old = gateway.grant(token=1)
        new = gateway.grant(token=2)
        assert gateway.ask(old, "openai-chat").status_code == 401
        assert gateway.ask(new, "openai-chat").status_code == 200
        with pytest.raises(Refused):
            gateway.grant(token=1)
        narrow = gateway.access.open(
            gateway.opened.grants.account(new.id).request.model_copy(  # type: ignore[union-attr]
                update={"run_id": 9, "models": (CHAT,)}
            )
        )
        assert gateway.ask(narrow, "anthropic").status_code == 403
        gateway.close(new)
        assert gateway.ask(new, "openai-chat").status_code == 401
        assert gateway.close(new).calls == gateway.access.report(new).calls
        with pytest.raises(Infrastructure, match="no 'unknown-model'") as told:
            gateway.grant(5, models=("unknown-model",))
        assert told.value.category is VoidCategory.OPERATOR


def test_a_gateway_that_was_started_again_forgets_neither_keys_nor_totals(farm: Path) -> None:
    with model_server() as server:
        toml = gateway_toml(server)
        with running_gateway(farm, toml) as gateway:
            grant = gateway.grant(tokens=10_000)
            assert gateway.ask(grant, "openai-chat").status_code == 200
            before = gateway.access.report(grant)
            quiet = gateway.grant(2)
            broken = gateway.grant(3)
            # As a gateway leaves it that is killed during a call.
            begun = {"number": 1, "wire": "anthropic", "model": CLAUDE, "streamed": True}
            gateway.opened.grants._journal.write(
                broken.id, {"begin": {**begun, "cost": 500, "tokens": 70}}
            )
        with running_gateway(farm, toml) as gateway:
            again = gateway.access.report(grant)
            assert (again.calls, again.tokens, again.usage) == (
                before.calls,
                before.tokens,
                before.usage,
            )
            assert gateway.ask(grant, "openai-chat").status_code == 200
            assert [call.number for call in gateway.close(grant).calls] == [1, 2]
            assert gateway.close(quiet).fault is None
            report = gateway.close(broken)
            assert report.fault is not None
            assert report.fault.category is VoidCategory.GATEWAY
            assert (report.cost_microusd, report.tokens) == (500, 70)
            assert report.calls[0].stop == "cut"
            with pytest.raises(Infrastructure) as told:
                gateway.access.report(Grant(id="0" * 16, key="x"))
            assert told.value.category is VoidCategory.GATEWAY
    with pytest.raises(Infrastructure, match="does not answer"):
        gateway.access.report(grant)


@pytest.mark.parametrize("wire", WIRES)
def test_a_gateway_that_ends_keeps_what_had_come_of_a_reply_and_voids_its_run(
    farm: Path, wire: str
) -> None:
    reply = Reply("one two", usage=TokenUsage(input_uncached=9, output=4), silent_after=3)
    body = call_body(wire, stream=True)
    # No text ends in the beginning of this token: no event is held back for what may follow.
    (farm / "gateway").mkdir(parents=True)
    (farm / "gateway" / "token").write_text("~" * 40)
    with model_server(lambda _ask: reply) as server, ExitStack() as client:
        toml = gateway_toml(server)
        with running_gateway(farm, toml, grace_s=0) as gateway:
            grant, quiet = gateway.grant(), gateway.grant(2)
            http = client.enter_context(gateway.access.http())
            asked = http.stream("POST", PATHS[wire], json=body, headers=key_of(grant))
            coming = client.enter_context(asked).iter_bytes()
            came = next(coming)
        with running_gateway(farm, toml) as gateway:
            report = gateway.close(grant)
            (call,) = report.calls
            kept = FolderArtifacts(farm / "artifacts").get(call.response)
            assert gateway.close(quiet).fault is None
    assert report.fault is not None
    assert report.fault.category is VoidCategory.GATEWAY
    assert "ended during call 1" in report.fault.detail
    assert (call.status, call.stop) == (200, "cut")
    assert kept.replace(b" ", b"")[:20] == came.replace(b" ", b"")[:20], "it is kept"
    if wire == "anthropic":
        assert call.tokens == 9 + 100, "its input was told"


def test_recorded_answers_come_again_without_any_provider(farm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "answers"
    # With what ends a line in other places than in a file of JSON lines.
    spoken = iter(f"answer\u2028\x85\x0c {n}" for n in range(100))

    with model_server(lambda _ask: Reply(next(spoken))) as server:
        toml = gateway_toml(server)
        with running_gateway(farm, toml, recordings=Recordings(record=folder)) as gateway:
            first = {run: texts_of(gateway, run, run) for run in (1, 2)}
    assert first[1] != first[2]
    with running_gateway(farm, toml, recordings=Recordings(replay=folder)) as gateway:
        # In another order, and as often as one likes.
        for run, labelled in ((12, 2), (11, 1), (21, 1)):
            assert texts_of(gateway, run, labelled) == first[labelled]
        grant = gateway.grant(50)
        assert gateway.ask(grant, "openai-chat", temperature=0.7).status_code == 503
        assert "nothing is recorded" in str(gateway.close(grant).fault)


def test_a_question_that_tells_how_long_something_took_is_answered_in_its_turn(
    farm: Path, tmp_path: Path
) -> None:
    folder, spoken = tmp_path / "answers", iter(f"answer {n}" for n in range(100))

    def asked(gateway: RunningGateway, run: int, label: str, took: str) -> list[str]:
        grant = gateway.grant(run, label=label)
        told = ["write it", f"Ran 2 tests in {took} s", "done"]
        replies = [
            gateway.ask(grant, "openai-chat", messages=[{"role": "user", "content": one}]).text
            for one in told
        ]
        assert gateway.close(grant).fault is None
        return replies

    with model_server(lambda _ask: Reply(next(spoken))) as server:
        toml = gateway_toml(server)
        with running_gateway(farm, toml, recordings=Recordings(record=folder)) as gateway:
            first = {label: asked(gateway, n, label, "0.394") for n, label in enumerate("ab", 1)}
    with running_gateway(farm, toml, recordings=Recordings(replay=folder)) as gateway:
        for run, label in ((12, "b"), (11, "a")):
            assert asked(gateway, run, label, f"0.{run}") == first[label]


def texts_of(gateway: RunningGateway, run_id: int, labelled: int) -> list[str]:
    """What a run is told that is labelled like an earlier one."""
    grant = gateway.grant(run_id, label=f"system/task/python/r{labelled}")
    told = [
        gateway.ask(grant, wire, stream=stream).text
        for wire in WIRES
        for stream in (False, True)
        for _ in range(2)
    ]
    report = gateway.close(grant)
    assert report.fault is None, report.fault
    return [*told, str((report.tokens, report.cost_microusd, report.usage))]


def test_no_secret_is_shown_or_kept(
    farm: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The provider echoes the key that it does not like; an agent tells all that it knows."""
    with gateway_before(farm, keys=("another",)) as (gateway, _):
        token = gateway.access._secret()
        grant, other = gateway.grant(1), gateway.grant(2)
        said = [{"role": "user", "content": f"{grant.key} {other.key} {KEY} {token}"}]
        answers = [
            gateway.ask(grant, "openai-chat", messages=said),
            gateway.ask(other, "anthropic", messages=said, metadata={grant.key: KEY}),
            gateway.ask(other, "anthropic", model=grant.key),
        ]
        reports = [
            gateway.close(grant).model_dump_json(),
            gateway.close(other).model_dump_json(),
        ]
    secrets = (KEY, grant.key, other.key, token)
    shown = "".join(answer.text for answer in answers)
    shown += "".join(reports) + caplog.text + "".join(capfd.readouterr())
    kept = [
        path
        for path in farm.rglob("*")
        if path.is_file() and path.name not in {"provider.key", "token"}
    ]
    assert len([path for path in kept if "artifacts" in path.parts]) >= 4
    for secret in secrets:
        assert secret not in shown
        for path in kept:
            assert secret.encode() not in path.read_bytes(), path
    bodies = [path.read_text() for path in kept if "artifacts" in path.parts]
    assert any("Incorrect API key provided: [secret]." in body for body in bodies)


def test_whole_bodies_are_kept_under_the_digests_of_the_report(farm: Path) -> None:
    with gateway_before(farm, by_turn(Reply("é" * 50_000))) as (gateway, _):
        grant = gateway.grant()
        told = gateway.ask(grant, "anthropic")
        streamed = gateway.ask(grant, "openai-responses", stream=True)
        calls = gateway.close(grant).calls
        store = FolderArtifacts(farm / "artifacts")
        assert store.get(calls[0].response) == told.content
        assert store.get(calls[1].response).decode() == streamed.text
        assert json.loads(store.get(calls[0].request)) == call_body("anthropic")


def test_limits_of_a_provider_hold_for_all_runs_together(farm: Path) -> None:
    def slow(_ask: Ask) -> Reply:
        return Reply("x", delay_s=0.1)

    with gateway_before(farm, slow, toml="concurrent = 2") as (gateway, server):
        grants = [gateway.grant(run) for run in range(4)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda one: gateway.ask(one, "openai-chat"), grants * 2))
        assert {answer.status_code for answer in answers} == {200}
        assert server.ledger.most_at_once <= 2
        reports = [gateway.close(grant) for grant in grants]
        assert sum(report.waited_ms for report in reports) > 0
        # The ones that wait at the same time let the clock stand still only once.
        assert all(
            report.waited_ms <= sum(call.waited_ms for call in report.calls) + 2
            for report in reports
        )


def test_no_call_that_still_waits_goes_out_after_its_run_has_ended(farm: Path) -> None:
    at_work, go_on = threading.Event(), threading.Event()

    def slow(_ask: Ask) -> Reply:
        at_work.set()
        assert go_on.wait(60)
        return Reply("x")

    with (
        gateway_before(farm, slow, toml="concurrent = 1") as (gateway, server),
        ThreadPoolExecutor(8) as pool,
    ):
        grant, other = gateway.grant(1), gateway.grant(2)
        busy = pool.submit(gateway.ask, other, "openai-chat")
        assert at_work.wait(60)
        waiting = [pool.submit(gateway.ask, grant, "openai-chat") for _ in range(6)]
        account = gateway.opened.grants.account(grant.id)
        assert account is not None
        while account.book.calls < 6:
            assert not busy.done()
        report = gateway.close(grant)
        assert not busy.done(), "nobody waited for the turn"
        go_on.set()
        assert {one.result().status_code for one in waiting} == {503}
        assert busy.result().status_code == 200
        assert (report.tokens, report.fault, len(report.calls)) == (0, None, 6)
        assert server.ledger.requests == 1


def test_who_stands_behind_its_own_calls_waits_for_others_as_soon_as_they_come_between(
    farm: Path,
) -> None:
    go_on, theirs, theirs_may_end = threading.Event(), threading.Event(), threading.Event()

    def slow(ask: Ask) -> Reply:
        if "theirs" in ask.text:
            theirs.set()
            assert theirs_may_end.wait(60)
        assert go_on.wait(60)
        return Reply("x")

    with (
        gateway_before(farm, slow, toml="concurrent = 1") as (gateway, server),
        ThreadPoolExecutor(4) as pool,
    ):
        grant, other = gateway.grant(1), gateway.grant(2)
        account = gateway.opened.grants.account(grant.id)
        late = gateway.opened.grants.account(other.id)
        assert account is not None
        assert late is not None
        mine = [pool.submit(gateway.ask, grant, "openai-chat") for _ in range(3)]
        while account.book.calls < 3 or not server.asks:
            assert not mine[0].done()
        assert account.waited_ms < 1_000, "nobody but itself was in its way"
        said = [{"role": "user", "content": "theirs"}]
        one = pool.submit(gateway.ask, other, "openai-chat", messages=said)
        while not late.book.calls:
            assert not one.done()
        go_on.set()
        assert theirs.wait(60)
        assert not all(answer.done() for answer in mine), "the other came between"
        before, until = account.waited_ms, time.monotonic() + 10
        while account.waited_ms <= before + 50 and time.monotonic() < until:
            pass
        waited = account.waited_ms
        theirs_may_end.set()
        assert waited > before + 50, "its clock went on while it waited for another"
        assert {answer.result().status_code for answer in [*mine, one]} == {200}


@pytest.mark.parametrize(("again_s", "fails"), [(0.0, True), (1e9, False)])
def test_a_provider_that_comes_to_refuse_the_farm_is_found_out_after_any_number_of_own_refusals(
    farm: Path, monkeypatch: pytest.MonkeyPatch, again_s: float, *, fails: bool
) -> None:
    asking = "workers.model_gateway.provider_asking"
    monkeypatch.setattr(f"{asking}.MOST_ALONE", 0)
    monkeypatch.setattr(f"{asking}.ALONE_AGAIN_S", again_s)
    refused = Fault(404, message="no such model")
    with gateway_before(farm, fault=lambda _number, _ask: refused) as (gateway, _):
        grant = gateway.grant()
        assert gateway.ask(grant, "openai-chat").status_code == (503 if fails else 422)
        found = gateway.close(grant).fault
    assert (found is not None) is fails


def test_who_sends_many_calls_waits_for_its_own_and_holds_nobody_up(farm: Path) -> None:
    go_on = threading.Event()

    def slow(_ask: Ask) -> Reply:
        assert go_on.wait(60)
        return Reply("x")

    with (
        gateway_before(farm, slow, toml="concurrent = 1") as (gateway, server),
        ThreadPoolExecutor(12) as pool,
    ):
        greedy, other = gateway.grant(1), gateway.grant(2)
        account = gateway.opened.grants.account(greedy.id)
        late = gateway.opened.grants.account(other.id)
        assert account is not None
        assert late is not None
        said = [{"role": "user", "content": "one more"}]
        many = [pool.submit(gateway.ask, greedy, "openai-chat", messages=said) for _ in range(9)]
        while account.book.calls < 9 or not server.asks:
            assert not many[0].done()
        one = pool.submit(gateway.ask, other, "openai-chat")
        while not late.book.calls:
            assert not one.done()
        waited = gateway.access.waited_s(greedy)
        go_on.set()
        assert {answer.result().status_code for answer in [*many, one]} == {200}
        order = ["one more" in ask.text for ask in server.asks]
        assert order.index(False) <= 2, "it came after one of the nine, or two"
        assert waited < 1, "nobody but itself was in its way"


def test_workers_alone_may_open_grants(farm: Path) -> None:
    with gateway_before(farm) as (gateway, _), gateway.access.http() as client:
        grant = gateway.grant()
        for head in ({}, key_of(grant), {"authorization": "Bearer"}):
            asked = {"run_id": 1, "token": 1, "models": [CHAT]}
            assert client.post("/grants", json=asked, headers=head).status_code == 401
            assert client.get(f"/grants/{grant.id}", headers=head).status_code == 401
            assert client.post(f"/grants/{grant.id}/close", headers=head).status_code == 401
        assert client.get("/healthz").status_code == 200
        for broken in (
            b"{",
            b"[]",
            b'{"a": NaN}',
            b'{"model": "\\ud800"}',
            b"\xff",
            b'{"a": 1e999}',
        ):
            got: httpx.Response = client.post(
                PATHS["openai-chat"], content=broken, headers=key_of(grant)
            )
            assert got.status_code == 400, broken


def test_a_second_farm_is_told_that_the_gateway_is_of_another(farm: Path) -> None:
    with gateway_before(farm) as (gateway, _):
        ours = gateway.grant(farm="ours")
        with pytest.raises(Infrastructure, match="start another for this one") as told:
            gateway.grant(token=2, farm="theirs")
        assert told.value.category is VoidCategory.OPERATOR
        assert gateway.ask(ours, "openai-chat").status_code == 200
        assert gateway.ask(gateway.grant(2, farm="ours"), "openai-chat").status_code == 200


def test_a_gateway_with_a_port_answers_without_waiting_for_acknowledgements(farm: Path) -> None:
    """Of an accepted connection the event loop knows only what its listener knew."""
    with (
        model_server() as server,
        running_gateway(farm, gateway_toml(server), host="127.0.0.1") as gateway,
        listener_of(gateway.settings, "127.0.0.1", 0) as listener,
    ):
        assert gateway.ask(gateway.grant(), "openai-chat").status_code == 200
        client = socket.create_connection(listener.getsockname())
        with client, listener.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP
        taken = listener.getsockname()[1]
        with pytest.raises(Refused, match="can't be listened on"):
            listener_of(gateway.settings, "127.0.0.1", taken)
