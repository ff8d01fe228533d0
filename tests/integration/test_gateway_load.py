"""The gateway before clients that want all of it for themselves."""

import json
import select
import socket
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from models.schemas.model_call import Grant
from models.storage.artifacts import FolderArtifacts
from tests.fakes.model_server import Fault, is_question, model_server
from tests.fakes.running_gateway import (
    CLAUDE,
    PATHS,
    RunningGateway,
    call_body,
    gateway_toml,
    key_of,
    running_gateway,
)
from workers.model_gateway.body_parsing import MOST_VALUES
from workers.model_gateway.call_room import OF_RUN, SMALL
from workers.model_gateway.gateway_server import MOST_BODY

COUNT = "/anthropic/v1/messages/count_tokens"


def connected(gateway: RunningGateway) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(60)
    made.connect(gateway.access.socket_path)
    return made


def is_closed(client: socket.socket) -> bool:
    """Waits for the end of what comes."""
    try:
        while client.recv(65_536):
            pass
    except ConnectionResetError:
        pass
    return True


def test_a_connection_that_never_sends_its_request_is_closed(tmp_path: Path) -> None:
    with (
        model_server() as server,
        running_gateway(tmp_path, gateway_toml(server), head_s=0.5) as gateway,
    ):
        grant = gateway.grant()
        head = f"POST {PATHS['openai-chat']} HTTP/1.1\r\nhost: x\r\n"
        key = f"authorization: Bearer {grant.key}\r\n"
        body = json.dumps(call_body("openai-chat")).encode()
        for begun in (
            b"",
            head.encode(),
            # After a whole request the next is waited for as long.
            f"{head}{key}content-length: {len(body)}\r\n\r\n".encode() + body + head.encode(),
            # A body that nobody reads, since the key is wrong.
            f"{head}content-length: 9999\r\n\r\n".encode(),
        ):
            with connected(gateway) as client:
                client.sendall(begun)
                assert is_closed(client)
        assert gateway.ask(grant, "openai-chat").status_code == 200


def test_slow_senders_keep_no_room_from_others(tmp_path: Path) -> None:
    """Eight runs announce all that they may have at once, and send a little of it."""
    with (
        model_server() as server,
        running_gateway(tmp_path, gateway_toml(server)) as gateway,
        ExitStack() as stack,
    ):
        slow: list[socket.socket] = []
        for run in range(8):
            key = gateway.grant(run_id=run).key
            head = f"POST {PATHS['openai-chat']} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}"
            for _ in range(OF_RUN // MOST_BODY):
                slow.append(stack.enter_context(connected(gateway)))
                slow[-1].sendall(f"{head}\r\ncontent-length: {MOST_BODY}\r\n\r\n{{".encode())
        while gateway.opened.room.calls < len(slow):
            time.sleep(0.01)
        other = gateway.grant(run_id=100)
        said = [{"role": "user", "content": "a " * SMALL}]
        assert gateway.ask(other, "openai-chat", messages=said).status_code == 200
        told, _, _ = select.select(slow, [], [], 0)
        assert not told, "it was answered while all of them were still at it"


def test_chunks_hold_the_most_room_whatever_length_is_told_beside_them(tmp_path: Path) -> None:
    with model_server() as server, running_gateway(tmp_path, gateway_toml(server)) as gateway:
        body = json.dumps(call_body("openai-chat")).encode()
        head = f"POST {PATHS['openai-chat']} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n"
        head += f"authorization: Bearer {gateway.grant().key}\r\ntransfer-encoding: chunked\r\n\r\n"
        with connected(gateway) as client:
            client.sendall(f"{head}{len(body):x}\r\n".encode())
            while not gateway.opened.room.calls:
                time.sleep(0.01)
            assert gateway.opened.room._all == MOST_BODY
            client.sendall(body + b"\r\n0\r\n\r\n")
            assert b" 200 " in client.recv(65_536).partition(b"\r\n")[0]


def test_idle_connections_give_their_places_to_others(tmp_path: Path) -> None:
    with (
        model_server() as server,
        running_gateway(tmp_path, gateway_toml(server), connections=4) as gateway,
    ):
        idle = [connected(gateway) for _ in range(8)]
        grant = gateway.grant()
        assert gateway.ask(grant, "openai-chat").status_code == 200
        assert all(is_closed(one) for one in idle[:4])
        for one in idle:
            one.close()


def test_what_is_too_much_for_one_call_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (
        model_server() as server,
        running_gateway(tmp_path, gateway_toml(server)) as gateway,
        gateway.access.http() as client,
    ):
        grant = gateway.grant()

        def sent(content: bytes) -> tuple[int, str]:
            got = client.post(PATHS["openai-chat"], content=content, headers=key_of(grant))
            return got.status_code, got.json()["error"]["message"]

        with connected(gateway) as raw:
            head = f"POST {PATHS['openai-chat']} HTTP/1.1\r\nhost: x\r\n"
            key = f"authorization: Bearer {grant.key}\r\n"
            raw.sendall(f"{head}{key}content-length: {MOST_BODY + 1}\r\n\r\n".encode())
            assert b"413" in raw.recv(65_536).partition(b"\r\n")[0]
        values = b'{"messages": [' + b"[]," * MOST_VALUES + b"[]]}"
        assert sent(values) == (
            400,
            f"body: may have {MOST_VALUES} commas and brackets, those in texts too",
        )
        said = [{"role": "user", "content": "a, b " * 50_000}]
        long = json.dumps(call_body("openai-chat", messages=said)).encode()
        assert (
            client.post(PATHS["openai-chat"], content=long, headers=key_of(grant)).status_code
            == 200
        )


def test_calls_that_cost_nothing_end_after_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.model_gateway.call_desk.MOST_UNPAID", 3)
    with (
        model_server(fault=lambda _n, ask: None if is_question(ask) else Fault(400)) as server,
        running_gateway(tmp_path, gateway_toml(server)) as gateway,
    ):
        grant = gateway.grant()
        statuses = [
            gateway.ask(grant, "openai-chat", **body).status_code
            for body in ({}, {"metadata": {}}, {}, {}, {"metadata": {}})
        ]
        assert statuses == [400, 400, 400, 403, 403]
        report = gateway.close(grant)
        assert [call.number for call in report.calls] == [1, 2, 3]
        assert sum(not is_question(ask) for ask in server.asks) == 2
        store = FolderArtifacts(tmp_path / "artifacts")
        assert json.loads(store.get(report.calls[1].request))["metadata"] == {}


def counted(gateway: RunningGateway, grant: Grant, **body: object) -> int:
    with gateway.access.http() as client:
        sent = {"model": CLAUDE, "messages": [{"role": "user", "content": "a b"}], **body}
        return client.post(COUNT, json=sent, headers=key_of(grant)).status_code


def test_what_can_not_be_counted_or_has_no_name_is_refused_so_often_and_then_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.model_gateway.token_counting.MOST_UNPAID", 2)
    monkeypatch.setattr("workers.model_gateway.call_desk.MOST_UNPAID", 4)
    with model_server() as server, running_gateway(tmp_path, gateway_toml(server)) as gateway:
        grant = gateway.grant()
        assert [counted(gateway, grant, container="c") for _ in range(3)] == [400, 400, 403]
        pad = "x" * 70_000
        for depth in (970, 985):
            body = f'{{"user": "{pad}", "model": {"[" * depth}{"]" * depth}}}'
            with gateway.access.http() as client:
                reply = client.post(PATHS["openai-chat"], content=body, headers=key_of(grant))
            assert reply.status_code in {400, 403}
        report = gateway.close(grant)
        assert [call.stop for call in report.calls] == ["refused"] * 2
        assert server.ledger.requests == 0


def test_counting_tokens_is_counted_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.model_gateway.token_counting.MOST_COUNTS", 3)
    with model_server() as server:
        toml = gateway_toml(server)
        with running_gateway(tmp_path, toml) as gateway:
            grant = gateway.grant(tokens=1)
            assert [counted(gateway, grant) for _ in range(2)] == [200, 200]
            assert counted(gateway, grant, container="c") == 400
            assert gateway.access.report(grant).counted == 2
        with running_gateway(tmp_path, toml) as gateway:
            assert [counted(gateway, grant) for _ in range(3)] == [200, 403, 403]
            report = gateway.close(grant)
            assert (report.counted, report.calls, report.tokens) == (3, (), 0)
            assert counted(gateway, grant) == 401
