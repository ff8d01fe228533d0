"""How the chat agent asks the gateway."""

import json
import socket
import threading
import time
from pathlib import Path

import httpx

from models.schemas.chat_settings import ChatSettings
from models.schemas.model_call import GrantReport
from workers.agents.chat.conversation import Conversation, Heard
from workers.agents.chat.model_client import ModelClient
from workers.agents.chat.model_line import ModelLine
from workers.agents.chat.replies import Reply
from workers.agents.model_needs import ModelAccess
from workers.sandbox_door import GatewayDoor

SAID = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}


class Line(ModelLine):
    """Takes note of what is excused; a gateway is there once something was."""

    def __init__(self, listener: socket.socket, place: str) -> None:
        self.excused: list[float] = []
        self._listener = listener
        self._place = place

    def excuse(self, seconds: float) -> None:
        self.excused.append(seconds)
        if len(self.excused) == 2:
            self._listener.bind(self._place)
            self._listener.listen()
            threading.Thread(target=self._answer).start()

    def watch(self) -> None:
        """Nothing ends here."""

    def _answer(self) -> None:
        body = json.dumps(SAID).encode()
        connection, _ = self._listener.accept()
        with connection:
            connection.recv(65_536)
            head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)


def no_door() -> GatewayDoor:
    raise NotImplementedError


def test_knocking_at_a_gateway_that_is_started_anew_counts_for_no_clock(tmp_path: Path) -> None:
    place = f"{tmp_path}/gateway.sock"

    def http() -> httpx.AsyncClient:
        way = httpx.AsyncHTTPTransport(uds=place)
        return httpx.AsyncClient(base_url="http://gateway", transport=way)

    access = ModelAccess("key", http, GrantReport, no_door)
    client = ModelClient(access, ChatSettings(model="m", stream=False))
    with socket.socket(socket.AF_UNIX) as listener:
        line = Line(listener, place)
        began = time.monotonic()
        reply = client.ask(Conversation("system", (Heard("work"),)), None, line)
        passed = time.monotonic() - began
    assert reply == Reply("hello")
    assert len(line.excused) == 2
    assert 0 < sum(line.excused) <= passed
