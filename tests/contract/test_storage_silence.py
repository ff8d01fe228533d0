"""A database that falls silent keeps nobody waiting, and keeps no locks for who fell silent."""

import contextlib
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import cast

import psycopg
import pytest
from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import OperationalError

from models.clock import SystemClock
from models.storage.database_clock import ASK_AGAIN_AFTER_S, DatabaseClock
from models.storage.transaction import DATABASE_AWAY, Database, open_database
from tests.chaos.tcp_line import LineRoom, Target, TcpLine

ANSWER_S = 1.0
AT_MOST_S = 4 * ANSWER_S
ADD = text("INSERT INTO workers VALUES ('w', '{}', 0, 0)")
LOCK = text("SELECT * FROM workers FOR UPDATE")
CHANGE = text("UPDATE workers SET beat_at = 1")


def _target(url: URL) -> Target:
    folder = str(url.query.get("host", ""))
    if folder.startswith("/"):
        return Path(folder) / f".s.PGSQL.{url.port or 5432}"
    return url.host or folder, url.port or 5432


def _change(database: Database, meanwhile: Callable[[], None] = lambda: None) -> None:
    with database.transaction() as session:
        session.execute(CHANGE)
        meanwhile()
        session.execute(CHANGE)


@pytest.fixture
def line(postgresql_url: str) -> Generator[TcpLine]:
    room = LineRoom()
    yield room.line(_target(make_url(postgresql_url)))
    room.close()


@pytest.fixture
def far(line: TcpLine, postgresql: Database, postgresql_url: str) -> Generator[Database]:
    """The database over a line that can be cut, for a process that must not hang."""
    there = make_url(postgresql_url).set(host="127.0.0.1", port=line.port, query={})
    database = open_database(there.render_as_string(hide_password=False), answer_s=ANSWER_S)
    yield database
    database.close()


def test_a_call_over_a_silent_line_ends_and_the_next_one_connects_anew(
    far: Database, line: TcpLine
) -> None:
    with far.transaction() as session:
        session.execute(ADD)
    line.strand()
    began = time.monotonic()
    _change(far)  # the look at the pooled connection finds out
    with pytest.raises(DATABASE_AWAY):
        _change(far, meanwhile=line.strand)
    assert time.monotonic() - began < AT_MOST_S
    _change(far)


def test_a_new_connection_to_a_silent_server_is_given_up(far: Database, line: TcpLine) -> None:
    line.silence()
    began = time.monotonic()
    with pytest.raises(OperationalError), far.read() as session:
        session.execute(LOCK)
    assert time.monotonic() - began < 15


def test_who_falls_silent_in_a_transaction_loses_its_locks(
    far: Database, line: TcpLine, postgresql: Database
) -> None:
    with postgresql.transaction() as session:
        session.execute(ADD)
    locked, over = threading.Event(), threading.Event()

    def stop() -> None:
        locked.set()
        over.wait(10)

    def hold_and_stop() -> None:
        with pytest.raises(DATABASE_AWAY):
            _change(far, meanwhile=stop)

    holder = threading.Thread(target=hold_and_stop)
    holder.start()
    assert locked.wait(5)
    began = time.monotonic()
    with postgresql.transaction() as session:
        session.execute(CHANGE)
    assert time.monotonic() - began < AT_MOST_S
    over.set()
    holder.join(10)


def test_who_falls_silent_between_statements_that_go_together_loses_its_locks(
    far: Database, line: TcpLine, postgresql: Database
) -> None:
    """Neither idle in a transaction nor in a statement: the server waits for more of them."""
    with postgresql.transaction() as session:
        session.execute(ADD)
    raw = far.engine.raw_connection()
    connection = cast("psycopg.Connection", raw.driver_connection)
    with contextlib.suppress(psycopg.Error), connection.pipeline():
        connection.execute("UPDATE workers SET beat_at = 2")
        connection.pgconn.send_flush_request()
        connection.pgconn.flush()
        time.sleep(0.3)
        line.strand()
        began = time.monotonic()
        _change(postgresql)
        assert time.monotonic() - began < AT_MOST_S
    raw.invalidate()


def test_the_shared_clock_goes_on_while_the_server_is_silent(far: Database, line: TcpLine) -> None:
    local = _SteppingClock()
    clock = DatabaseClock(far, local)
    before = clock.now()
    line.silence()
    local.step = -3600.0
    began = time.monotonic()
    assert abs(clock.now() - before - (time.monotonic() - began)) < 0.5
    assert abs(clock.now() - before - (time.monotonic() - began)) < 0.5
    line.restore()
    time.sleep(ASK_AGAIN_AFTER_S)
    assert abs(clock.now() - time.time()) < 0.5


def test_a_late_answer_is_no_measurement_of_the_time(far: Database, line: TcpLine) -> None:
    clock = DatabaseClock(far, SystemClock())
    line.slow(0.4)
    threading.Timer(1.5, line.restore).start()
    assert abs(clock.now() - time.time()) < 0.3


class _SteppingClock(SystemClock):
    step = 0.0

    def now(self) -> float:
        return time.time() + self.step
