"""INSERT … ON CONFLICT, which both databases spell alike and SQLAlchemy types apart."""

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from models.tables.base import Base


def insert_into(session: Session, table: type[Base]) -> "sqlite.Insert | postgresql.Insert":
    """An INSERT into `table` that knows `on_conflict_do_nothing` and `…_do_update`."""
    if session.get_bind().dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)
