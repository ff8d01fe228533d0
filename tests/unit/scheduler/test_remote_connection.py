"""What goes wrong on the way to a farm elsewhere, and what must not show on it."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from models.errors import Infrastructure, InvalidInput
from models.schemas.api_token import CreatedToken, TokenRole, TokenView
from scheduler.api.access import Knock, Principal
from scheduler.embedded_farm.flower import FlowerLogin
from scheduler.remote_farm.connection import Connection, Request
from scheduler.remote_farm.server_address import parse_address

SECRET = "gf_very-secret"
FACTS = b'{"version": "0.1.0", "protocol": 1}'


class Garbled(BaseHTTPRequestHandler):
    """Greets as a farm, and calls all else gzip that is none."""

    def do_GET(self) -> None:
        body = FACTS if self.path == "/api/farm" else b"not gzip"
        self.send_response(200)
        if body is not FACTS:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def garbled() -> Generator[str]:
    with HTTPServer(("127.0.0.1", 0), Garbled) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_this_machine_is_asked_past_any_proxy_and_garbled_answers_are_the_farms_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scheduler.remote_farm.connection.TRIES", 1)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with garbled() as url:
        connection = Connection(parse_address(url), SECRET)
        with pytest.raises(Infrastructure, match="can't be unpacked"):
            connection.ask_bytes(Request("GET", "boards"))


def test_an_address_that_can_not_be_asked_is_bad_input() -> None:
    with pytest.raises(InvalidInput, match="can't be asked"):
        Connection(parse_address("http://farm.example\x7f:80"), "")


def test_no_secret_is_in_words_about_what_holds_it() -> None:
    view = TokenView(
        name="x",
        role=TokenRole.READ,
        created_at=0.0,
        expires_at=None,
        last_used_at=None,
        revoked_at=None,
    )
    for holder in (
        Principal("x", TokenRole.READ, SECRET),
        Knock("GET", "/", "", f"Bearer {SECRET}", ""),
        FlowerLogin("farm", SECRET),
        CreatedToken(token=view, secret=SECRET),
    ):
        assert SECRET not in f"{holder!r} {holder}"
