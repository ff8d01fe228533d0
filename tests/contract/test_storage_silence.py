"""A database that falls silent keeps nobody waiting, and keeps no locks for who fell silent."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import cast

import psycopg
import pytest
from sqlalchemy import URL, make_url, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from models.clock import SystemClock
from models.pulse import Pulse
from models.schemas.worker import Duty, WorkerRecord
from models.settings import read_settings
from models.storage.database_clock import ASK_AGAIN_AFTER_S, DatabaseClock
from models.storage.transaction import DATABASE_AWAY, Database, open_database
from models.storage.workers import list_workers
from tests.chaos.tcp_line import LineRoom, Target, TcpLine
from workers.farm_line import FarmLine
from workers.hands import WorkerPlan
from workers.registration import Registration, Standing

ANSWER_S = 1.0
AT_MOST_S = 4 * ANSWER_S
LONG_S = 60.0
"""So long a worker waits for an answer, in a test in which nothing else may."""
ADD = text("INSERT INTO workers VALUES ('w', '{}', 0, 0)")
LOOK = text("SELECT count(*) FROM workers")
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


def test_a_question_is_asked_again_after_standing_still_too_long_in_its_middle(
    far: Database,
) -> None:
    pauses = iter((2 * ANSWER_S, 0.0))

    def question(session: Session) -> int:
        session.execute(LOOK)
        time.sleep(next(pauses))
        return session.execute(LOOK).scalar_one()

    assert far.ask_patiently(question) == 0
    assert not list(pauses)


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


def test_neither_a_workers_main_loop_nor_a_fork_waits_for_a_silent_database(
    postgresql: Database, line: TcpLine, postgresql_url: str, tmp_path: Path
) -> None:
    there = make_url(postgresql_url).set(host="127.0.0.1", port=line.port, query={})
    settings = read_settings(
        {
            "GRADEFARM_HOME": str(tmp_path),
            "GRADEFARM_DATABASE_URL": there.render_as_string(hide_password=False),
            "GRADEFARM_LEASE_S": str(2 * LONG_S),
        }
    )
    plan = WorkerPlan(settings, "w@here", {}, "bubblewrap", True)
    pulse = Pulse(tmp_path / "w.alive")
    pulse.beat()
    talk = FarmLine(Registration(plan, ("grade",), 1), pulse)
    standing = Standing(("grade.go",), (), (), ())
    talk.begin(standing)
    with contextlib.closing(talk):
        line.silence()
        _await(lambda: line.held_bytes > 0)
        began = time.monotonic()
        talk.tell(replace(standing, queues=()))
        talk.company()
        talk.condemn("no stage had a result")
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        assert line.held_bytes > 0
        assert time.monotonic() - began < LONG_S / 2
        line.restore()
        _await(lambda: talk.told.duty is Duty.QUARANTINE)
        _await(lambda: _row(postgresql).queues == ())
        assert _row(postgresql).orders.reason == "no stage had a result"
        company = talk.company()
        assert company is None or company.others == ()


def _row(database: Database) -> WorkerRecord:
    with database.read() as session:
        (row,) = list_workers(session)
    return row


def _await(fact: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < give_up
        time.sleep(0.05)


class _SteppingClock(SystemClock):
    step = 0.0

    def now(self) -> float:
        return time.time() + self.step
