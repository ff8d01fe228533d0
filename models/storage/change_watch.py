"""Whether anything in the database may have changed, asked without opening a transaction."""

from typing import cast

from sqlalchemy import PoolProxiedConnection

from models.storage.transaction import DATABASE_ERRORS, Database

COMMITS_OF_OTHERS = "PRAGMA data_version"


class ChangeWatch:
    """Tells a loop that nothing can be new for it. Not for use by several threads.

    SQLite counts for each connection the commits of all others, and tells the count within
    microseconds. A database server has nothing so cheap: there, anything may be new.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: PoolProxiedConnection | None = None
        self._seen: int | None = None

    def may_be_new(self) -> bool:
        """Whether anything was committed since the last call.

        What is read after a call is no older than its answer. Where the database can't be asked,
        anything may be new: whoever reads it next will hear what is wrong.
        """
        if self._database.is_postgresql:
            return True
        before = self._seen
        try:
            self._seen = self._count()
        except DATABASE_ERRORS:
            self.close()
        return self._seen is None or self._seen != before

    def close(self) -> None:
        """Give the connection back. The next one counts anew, so that anything may be new then."""
        self._seen = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _count(self) -> int:
        # A connection of its own: its own commits are not counted, and it must hold no snapshot.
        if self._connection is None:
            self._connection = self._database.engine.raw_connection()
        cursor = self._connection.cursor()
        try:
            cursor.execute(COMMITS_OF_OTHERS)
            return cast("tuple[int]", cursor.fetchone())[0]
        finally:
            cursor.close()
