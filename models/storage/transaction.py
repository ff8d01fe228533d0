"""Opens the database; holds the only commit."""

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from models.errors import Infrastructure, InputFault, InvalidInput, LeaseLost

T = TypeVar("T")
WRITES = "gradefarm_writes"
BUSY_TIMEOUT_MS = 30_000
"""Below the default lease. Who waits for the write lock beyond its lease is told by its token."""
PAUSES_S = (0.2, 1.0)
"""Before a question is asked again."""
MIGRATION_LOCK = 0x67726164
"""Any number, as long as it is always the same; on SQLite the write lock does."""

DATABASE_ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, OSError)
"""Whatever a call of the database may raise."""
DATABASE_REFUSES: tuple[type[Exception], ...] = (DataError, IntegrityError, ProgrammingError)
"""What a call raises that would be refused again, however often it were made."""
DATABASE_AWAY: tuple[type[Exception], ...] = (
    OperationalError,
    InterfaceError,
    InternalError,
    NoConnection,
)
"""What a call raises when the database can't be reached, is locked, stops in the middle, or took
us for dead: the same call may do well a moment later."""
UNFIT_VALUES: tuple[type[Exception], ...] = (DataError,)
"""What a call raises for a value that the database can't hold, such as a text with a zero byte."""


class Database:
    """A database of the farm. Open it once per process, and after a fork, not before."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writing = engine.execution_options(**{WRITES: True})
        # Two questions of one read must not see two states of the farm, as SQLite's never do.
        level = {"isolation_level": "REPEATABLE READ"} if self.is_postgresql else {}
        self._reading = engine.execution_options(**level)

    @property
    def engine(self) -> Engine:
        """The engine, for migrations and for tests."""
        return self._engine

    @property
    def is_postgresql(self) -> bool:
        """Whether several machines may share this database."""
        return self._engine.dialect.name == "postgresql"

    @contextmanager
    def transaction(self) -> Generator[Session]:
        """A session that may write; commits at the end, undoes everything on an error.

        LeaseLost alone commits too: it is raised after the refused attempt was marked, and
        that mark is to be kept.
        """
        with Session(self._writing, autoflush=False, expire_on_commit=False) as session:
            try:
                yield session
            except LeaseLost:
                session.commit()
                raise
            session.commit()

    @contextmanager
    def read(self) -> Generator[Session]:
        """A session that only reads, and sees one state of everything; never blocks a writer."""
        with Session(self._reading, autoflush=False) as session:
            yield session

    def ask_patiently(self, question: Callable[[Session], T]) -> T:
        """The answer to a question that costs more to give up than to ask again.

        A process that stood still for a moment in the middle of it finds its connection closed by
        the server; so does one whose server was started anew. Raises DATABASE_AWAY where the last
        of len(PAUSES_S) + 1 tries fails.
        """
        for pause_s in PAUSES_S:
            try:
                with self.read() as session:
                    return question(session)
            except DATABASE_AWAY:
                time.sleep(pause_s)
        with self.read() as session:
            return question(session)

    @contextmanager
    def migration(self) -> Generator[Connection]:
        """A connection in a transaction that no other migration runs beside; commits at its end."""
        with self._writing.begin() as connection:
            if self.is_postgresql:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})"))
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def open_database(url: str, *, answer_s: float | None = None) -> Database:
    """The database at `url`: `sqlite:///<path>` or `postgresql://…`.

    With `answer_s`, a server that takes longer for one statement counts as away: for processes
    that must not hang with it. SQLite, which is no server, has its own patience.

    Raises InvalidInput for a URL of another kind, Infrastructure where this machine has no driver
    for it; its first use raises Infrastructure where the file is no SQLite database.
    Doesn't create tables: see `models/migrations/upgrade.py`.
    """
    return Database(open_engine(url, answer_s))


def open_engine(url: str, answer_s: float | None = None) -> Engine:
    """An engine with the farm's settings for `url`; `answer_s` as for `open_database`."""
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError):
        backend = ""
    if backend == "sqlite":
        return _sqlite(url)
    if backend == "postgresql":
        return _postgresql(url, answer_s)
    fault = InputFault(
        "GRADEFARM_DATABASE_URL",
        "not a database that the farm can use",
        "give sqlite:///<path> or postgresql://<user>@<host>/<database>",
    )
    raise InvalidInput("the environment", [fault])


def _postgresql(url: str, answer_s: float | None) -> Engine:
    try:
        # Not everywhere: the driver is an extra.
        from models.storage.server_connection import open_server_engine  # noqa: PLC0415

        return open_server_engine(make_url(url), answer_s)
    except ImportError as error:
        raise Infrastructure(
            "farm",
            "GRADEFARM_DATABASE_URL names a PostgreSQL database, and its driver psycopg is not "
            f"installed here: {error}.",
            remedy="Install the `postgres` extra: `.venv/bin/pip install -e '.[postgres]'`.",
        ) from error


def _sqlite(url: str) -> Engine:
    engine = create_engine(url)

    def configure(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        try:
            _configure_sqlite(connection, record)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
                raise
            raise Infrastructure(
                "farm",
                f"{make_url(url).database} is not an SQLite database.",
                remedy="Move it away, or let GRADEFARM_HOME or GRADEFARM_DATABASE_URL name "
                "another place.",
            ) from error

    event.listen(engine, "connect", configure)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """WAL with NORMAL survives the kill of any process; a power cut may drop last commits,
    and those runs are run again."""
    connection.isolation_level = None  # the driver must not begin by itself
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",  # first: the change to WAL may have to wait as well
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "foreign_keys=ON",
        "cache_size=-65536",
        "temp_store=MEMORY",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A write takes its lock at once: a later upgrade could fail without waiting."""
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
