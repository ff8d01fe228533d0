"""A provider of language models that answers by script over real HTTP, and counts what it served.

In a test: `with model_server(script) as server: ... server.url ...`. For others, as a process:
`python -m tests.fakes.model_server --port 9000 --script script.json`, see `script_from`.
"""

import argparse
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

from models.schemas.model_call import TokenUsage, Wire
from tests.fakes.model_wires import (
    PATHS,
    RAW,
    Ask,
    Reply,
    ToolCall,
    counted,
    error_body,
    events,
    read_ask,
    whole,
)

KEY = "provider-key-canary-0123456789abcdef"
Script = Callable[[Ask], Reply]


@dataclass(frozen=True)
class Fault:
    """What a request meets instead of a reply; `status` 0 closes the connection at once."""

    status: int
    retry_after: str = ""
    delay_s: float = 0.0
    message: str = "planted"


@dataclass(frozen=True)
class Served:
    """One reply that the model gave: what a provider would bill."""

    key: str
    model: str
    wire: Wire
    streamed: bool
    usage: TokenUsage
    cut: bool
    hung_up: bool


@dataclass
class Ledger:
    """The server's own count. `requests` counts everything that came in."""

    served: list[Served] = field(default_factory=list[Served])
    requests: int = 0
    statuses: Counter[int] = field(default_factory=Counter[int])
    most_at_once: int = 0

    def usage(self, model: str = "", *, cut: bool | None = None) -> TokenUsage:
        """The sum over replies of one model, or of all; with `cut`, of those (not) broken off."""
        total = TokenUsage()
        for one in self.served:
            if model in ("", one.model) and cut in (None, one.cut):
                total += one.usage
        return total


def echo(ask: Ask) -> Reply:
    """The script that is used where none is given."""
    return Reply(text=f"reply {ask.turn} of {ask.model}")


def by_turn(*replies: Reply) -> Script:
    """The n-th reply of a conversation is the n-th of these; the last for all that follow."""
    return lambda ask: replies[min(ask.turn, len(replies) - 1)]


def is_question(ask: Ask) -> bool:
    """Whether a gateway asks by itself, to see whether the model answers the farm."""
    return "Say yes." in ask.text


class ModelServer:
    """A running server. `fault` is asked for each request, with its number from 1."""

    def __init__(
        self,
        script: Script = echo,
        *,
        fault: Callable[[int, Ask], Fault | None] = lambda _number, _ask: None,
        keys: Sequence[str] = (KEY,),
        port: int = 0,
    ) -> None:
        self.script = script
        self.fault = fault
        self.keys = tuple(keys)
        self.ledger = Ledger()
        self.asks: list[Ask] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self._at_once = 0
        self._down_until = 0.0
        self._down_for = 0
        self._http = _Server(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """Its root; the formats are below `/v1`."""
        return f"http://127.0.0.1:{self.port}"

    def outage(self, seconds: float = 0.0, *, requests: int = 0) -> None:
        """Answer everything with 503 from now on, for a time or for so many requests."""
        with self.lock:
            self._down_until = time.monotonic() + seconds
            self._down_for = requests

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def meet(self, ask: Ask, headers: dict[str, str]) -> Fault | None:
        """Note a request; what it meets instead of a reply."""
        with self.lock:
            self.ledger.requests += 1
            number = self.ledger.requests
            self.asks.append(ask)
            self.headers.append(headers)
            if self._down_for:
                self._down_for -= 1
                return Fault(503)
            if time.monotonic() < self._down_until:
                return Fault(503)
        return self.fault(number, ask)

    @contextmanager
    def at_work(self) -> Generator[None]:
        with self.lock:
            self._at_once += 1
            self.ledger.most_at_once = max(self.ledger.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self.lock:
                self._at_once -= 1

    def note(self, ask: Ask, reply: Reply, *, hung_up: bool = False) -> None:
        """Write one reply into the ledger."""
        usage, cut = counted(ask, reply), reply.cut_after is not None
        one = Served(ask.key, ask.model, ask.wire, ask.streamed, usage, cut, hung_up)
        with self.lock:
            self.ledger.served.append(one)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up: that is what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    @property
    def owner(self) -> ModelServer:
        return cast("_Server", self.server).owner

    def do_GET(self) -> None:
        ledger = self.owner.ledger
        told = {"requests": ledger.requests, "usage": ledger.usage().model_dump()}
        self._send(200, told)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if self.path == "/control/outage":
            self.owner.outage(body.get("seconds", 0.0), requests=body.get("requests", 0))
            self._send(200, {})
            return
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._send(200, {"input_tokens": len(json.dumps(body).split())})
            return
        wire = PATHS.get(path)
        if wire is None:
            self._send(404, {"error": {"message": f"no {path} here", "type": "not_found_error"}})
            return
        with self.owner.at_work():
            self._answer(read_ask(wire, body, self._key()))

    def _key(self) -> str:
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key") or bearer

    def _answer(self, ask: Ask) -> None:
        fault = self.owner.meet(ask, dict(self.headers.items()))
        if fault is not None:
            time.sleep(fault.delay_s)
            self._fail(ask, fault.status, fault.message, fault.retry_after)
        elif ask.key not in self.owner.keys:
            self._fail(ask, 401, f"Incorrect API key provided: {ask.key}.")
        else:
            self._reply(ask, self.owner.script(ask))

    def _fail(self, ask: Ask, status: int, message: str, retry_after: str = "") -> None:
        self.owner.ledger.statuses[status] += 1
        if status == 0:
            self._hang_up()
            return
        headers = {"Retry-After": retry_after} if retry_after else {}
        self._send(status, error_body(ask.wire, status, message), headers)

    def _reply(self, ask: Ask, reply: Reply) -> None:
        time.sleep(reply.delay_s)
        self.owner.ledger.statuses[200] += 1
        if not ask.streamed:
            # Noted first: who asks right after the last byte must find it counted.
            self.owner.note(ask, reply)
            data = json.dumps(whole(ask, reply)).replace(f'"{RAW}"', reply.raw or f'"{RAW}"')
            self._send_bytes(200, data.encode(), cut=reply.cut_after is not None)
            return
        hung_up = False
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        told = list(events(ask, reply))
        for number, one in enumerate(told):
            if number == len(told) - 1 or number == reply.cut_after:
                self.owner.note(ask, reply, hung_up=hung_up)
            if number == reply.cut_after:
                self._hang_up()
                return
            if number == reply.silent_after:
                self.rfile.read(1)
                return
            time.sleep(reply.pause_s)
            hung_up = hung_up or not self._chunk(one)
        self._chunk(b"")

    def _chunk(self, data: bytes) -> bool:
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        except OSError:
            return False
        return True

    def _send(
        self,
        status: int,
        value: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> None:
        self._send_bytes(status, json.dumps(value).encode(), headers)

    def _send_bytes(
        self,
        status: int,
        data: bytes,
        headers: dict[str, str] | None = None,
        *,
        cut: bool = False,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.wfile.flush()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def model_server(script: Script = echo, **settings: Any) -> Generator[ModelServer]:
    """A server of a thread of its own, gone at the end of the block."""
    server = ModelServer(script, **settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def script_from(rules: list[dict[str, Any]]) -> Script:
    """A script from data: the first rule whose `model` (if any) is asked for and whose `contains`
    (if any) is all in the request answers with the reply of its turn from `replies`."""
    replies = [tuple(map(_reply_from, rule["replies"])) for rule in rules]

    def script(ask: Ask) -> Reply:
        for rule, told in zip(rules, replies, strict=True):
            wanted = rule.get("contains", [])
            if rule.get("model") in (None, ask.model) and all(one in ask.text for one in wanted):
                return by_turn(*told)(ask)
        return echo(ask)

    return script


def _reply_from(data: dict[str, Any]) -> Reply:
    calls = tuple(ToolCall(**one) for one in data.get("tool_calls", ()))
    usage = TokenUsage.model_validate(data["usage"]) if "usage" in data else None
    return Reply(**{**data, "tool_calls": calls, "usage": usage})


def main() -> None:
    """Serve until killed; GET anything tells the count."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--key", default=KEY)
    told = parser.parse_args()
    script = script_from(json.loads(told.script.read_text())) if told.script else echo
    with model_server(script, keys=(told.key,), port=told.port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
