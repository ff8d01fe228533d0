"""INSERT … ON CONFLICT, which both databases spell alike and SQLAlchemy types apart."""

from collections.abc import Callable, Mapping, Sequence

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from models.tables.base import Base

Insert = sqlite.Insert | postgresql.Insert


class Upsert:
    """One INSERT … ON CONFLICT, prepared for both databases. Define it at module level."""

    def __init__(self, table: type[Base], finish: Callable[[Insert], Insert]) -> None:
        self._statements: dict[str, Insert] = {
            "sqlite": finish(sqlite.insert(table)),
            "postgresql": finish(postgresql.insert(table)),
        }

    def run(self, session: Session, **parameters: object) -> None:
        """Insert one row."""
        self.run_many(session, [parameters])

    def run_many(self, session: Session, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert many rows in one go."""
        connection = session.connection()
        connection.execute(self._statements[connection.dialect.name], list(rows))
