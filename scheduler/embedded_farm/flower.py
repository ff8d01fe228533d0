"""Flower beside the embedded farm: on loopback, behind a login, unable to change anything."""

import base64
import http.client
import os
import secrets
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ADDRESS = "127.0.0.1"
USER = "farm"
PASSWORD_FILE = "flower.password"
MAX_TASKS = 20_000
"""About 6 KB each; Flower's own default would take half a gigabyte."""
COLUMNS = "name,kwargs,state,received,started,runtime,worker,uuid"


@dataclass(frozen=True)
class FlowerLogin:
    """Who may look at Flower."""

    user: str
    password: str = field(repr=False)

    @property
    def header(self) -> str:
        """The value of the Authorization header."""
        pair = f"{self.user}:{self.password}".encode()
        return "Basic " + base64.b64encode(pair).decode()


def flower_login(home: Path) -> FlowerLogin:
    """The login of this farm: made once, kept in a file that only its owner reads."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home / PASSWORD_FILE
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return FlowerLogin(USER, path.read_text(encoding="ascii").strip())
    password = secrets.token_urlsafe(18)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(password + "\n")
    return FlowerLogin(USER, password)


def free_port(wanted: int) -> int:
    """`wanted` where nobody listens on it, else a port that the kernel has free."""
    for port in (wanted, 0):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((ADDRESS, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted


def flower_command(port: int, address: str = ADDRESS) -> tuple[str, ...]:
    """The command line of Flower. The login is not in it: command lines are public."""
    return (
        *(sys.executable, "-m", "celery", "--app=models.messaging.monitor_app", "flower"),
        f"--address={address}",
        f"--port={port}",
        "--read_only=True",
        f"--max_tasks={MAX_TASKS}",
        f"--tasks_columns={COLUMNS}",
        "--inspect_timeout=5000",
        "--purge_offline_workers=600",
    )


def flower_environment(base: Mapping[str, str], login: FlowerLogin) -> dict[str, str]:
    """The environment of Flower: the farm's, without settings of some other Flower."""
    kept = {name: value for name, value in base.items() if not name.startswith("FLOWER_")}
    return kept | {"FLOWER_BASIC_AUTH": f"{login.user}:{login.password}"}


def flower_url(port: int) -> str:
    """Where a person opens it."""
    return f"http://{ADDRESS}:{port}/"


def flower_answers(port: int) -> bool:
    """Whether Flower serves on `port`."""
    return flower_status(port, "/healthcheck", login=None) == 200


def flower_status(port: int, path: str, login: FlowerLogin | None) -> int:
    """The HTTP status of one page, 0 where nobody answers."""
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=5)
    try:
        connection.request("GET", path, headers={"Authorization": login.header} if login else {})
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()
