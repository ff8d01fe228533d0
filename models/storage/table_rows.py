"""Whole tables as rows of plain values, in whatever schema a database is, alike on both kinds.

The tables are read off the database, not taken from this code: a backup of an older farm is loaded
in its own schema, and migrated then.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import MetaData, Table, insert, select, text
from sqlalchemy.orm import Session

AT_ONCE = 2_000
NOT_KEPT = frozenset({"alembic_version", "outbox", "scheduler_lease"})
"""What is true of the moment alone. A farm without a scheduler's lease takes its broker for one
that lost everything, and queues anew what was queued."""

ARTIFACT_COLUMNS: dict[str, tuple[str, ...]] = {
    "runs": ("snapshot",),
    "attempts": ("snapshot", "transcript"),
    "check_reports": ("report",),
    "recordings": ("document",),
}
"""The columns that name artifacts, by table."""
NAMING_COLUMNS = frozenset({"transcript", "report", "document"})
"""Those of them whose artifacts name further ones."""


def kept_tables(session: Session) -> list[Table]:
    """Every table with something to keep, each after the ones that it refers to."""
    found = MetaData()
    found.reflect(session.connection())
    return [table for table in found.sorted_tables if table.name not in NOT_KEPT]


def rows_of(session: Session, table: Table) -> Iterator[Sequence[object]]:
    """All rows by primary key, with the values in the order of the columns; in bounded memory."""
    in_order = select(table).order_by(*table.primary_key.columns)
    streamed = in_order.execution_options(yield_per=AT_ONCE)
    for row in session.connection().execute(streamed):
        yield tuple(row)


def insert_rows(
    session: Session, table: Table, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> int:
    """Insert rows as they are, their keys too; returns how many."""
    coming, done, statement = iter(rows), 0, insert(table)
    while some := [dict(zip(columns, row, strict=True)) for row in islice(coming, AT_ONCE)]:
        session.connection().execute(statement, some)
        done += len(some)
    return done


def number_on(session: Session, table: Table) -> None:
    """Let the rows that come next be numbered after those that were inserted with their keys."""
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        return
    for column in table.primary_key.columns:
        names = {"named": table.name, "numbered": column.name}
        sequence = connection.execute(
            text("SELECT pg_get_serial_sequence(:named, :numbered)"), names
        ).scalar()
        if sequence is not None:
            highest = f"(SELECT COALESCE(MAX({column.name}), 0) + 1 FROM {table.name})"
            connection.execute(
                text(f"SELECT setval(:sequence, {highest}, false)"), {"sequence": sequence}
            )


def artifacts_named(
    table: str, columns: Sequence[str], row: Sequence[object]
) -> Iterator[tuple[str, bool]]:
    """The digests of artifacts that a row names, each with whether the artifact names others."""
    for name in ARTIFACT_COLUMNS.get(table, ()):
        digest = row[columns.index(name)]
        if isinstance(digest, str) and digest:
            yield digest, name in NAMING_COLUMNS


def run_of(table: str, columns: Sequence[str], row: Sequence[object]) -> object:
    """The id of the run that a row belongs to, None for a table without runs."""
    name = "id" if table == "runs" else "run_id"
    return row[columns.index(name)] if name in columns else None
