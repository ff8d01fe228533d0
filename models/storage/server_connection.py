"""A connection to a PostgreSQL server that may hang, vanish, or be cut off."""

import math
import time
from typing import Any

from psycopg import Connection, OperationalError
from psycopg.abc import RV, PQGen
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.pool import ConnectionPoolEntry

CHECK_EVERY_S = 0.1
CONNECT_S = 10
IDLE_S = 60
NETWORK: dict[str, object] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""A cut network is noticed within 25 s, where the kernel alone would take minutes to hours."""
SESSION = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 25000; SET idle_in_transaction_session_timeout = '{idle_s:g}s'; "
    "SET statement_timeout = '{answer_s:g}s'"
)
"""How the server notices that we are gone or stopped: it would keep our locks from all others."""
WHOLE = "; SET transaction_timeout = '{whole_s:g}s'"
KNOWS_WHOLE = 170_000
"""Since this version of the server. A pipeline of statements that breaks off in its middle is
neither idle nor a statement that lasts: only a limit for the whole ends it."""


class ServerSilent(OperationalError):
    """The connection is there, but no answer: the server is stopped, or the network was cut."""


class ServerConnection(Connection[Any]):
    """A connection that doesn't wait for ever.

    With `answer_s`, what takes longer raises ServerSilent, and the connection is closed; it may
    have been done all the same.
    """

    answer_s: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = CHECK_EVERY_S, *rest: Any, **more: Any) -> RV:
        """Carry on what was asked to its end."""
        if self.answer_s is None:
            return super().wait(gen, interval, *rest, **more)
        try:
            return super().wait(_limited(gen, self.answer_s), interval, *rest, **more)
        except ServerSilent:
            self.pgconn.finish()
            raise


def _limited(gen: PQGen[RV], answer_s: float) -> PQGen[RV]:
    """`gen`, which is woken up when its connection is ready, and otherwise now and then."""
    give_up = time.monotonic() + answer_s
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() >= give_up:
                raise ServerSilent(f"the database did not answer within {answer_s:g} s")
            wanted = gen.send(ready)
    except StopIteration as end:
        return end.value


def open_server_engine(url: URL, answer_s: float | None) -> Engine:
    """An engine for `url`; no call waits longer than `answer_s`, if that is given."""
    # Less than two seconds counts as two with the driver.
    wanted = {"connect_timeout": math.ceil(min(CONNECT_S, answer_s or CONNECT_S)), **NETWORK}
    network = {name: value for name, value in wanted.items() if name not in url.query}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, connect_args=network
    )
    session = SESSION.format(idle_s=answer_s or IDLE_S, answer_s=answer_s or 0)
    whole = WHOLE.format(whole_s=2 * (answer_s or 0))

    def connect(
        _dialect: Dialect, _record: ConnectionPoolEntry, _args: object, parameters: dict[str, Any]
    ) -> ServerConnection:
        connection = ServerConnection.connect(**parameters)
        connection.answer_s = answer_s
        connection.autocommit = True
        knows_whole = connection.info.server_version >= KNOWS_WHOLE
        connection.execute((session + whole if knows_whole else session).encode())
        connection.autocommit = False
        return connection

    event.listen(engine, "do_connect", connect)
    return engine
