"""Migrations lead from nothing to exactly the tables of the code, and back."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from models.errors import Refused
from models.migrations.upgrade import (
    FOLDER,
    check_database,
    database_revision,
    migrating,
    newest_revision,
    upgrade_database,
)
from models.storage.transaction import Database, open_database
from models.tables.all_tables import METADATA
from tests.fakes.campaigns import write_campaign


@pytest.fixture
def empty_sqlite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'migrated.db'}"


@pytest.fixture
def empty_postgresql(postgresql_url: str) -> Generator[str]:
    """A database of its own, since the tables of the other tests stay where they are."""
    server = open_database(postgresql_url)
    with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("DROP DATABASE IF EXISTS migrated WITH (FORCE)"))
        connection.execute(text("CREATE DATABASE migrated"))
        own = server.engine.url.set(database="migrated").set(drivername="postgresql")
        yield own.render_as_string(hide_password=False)
        connection.execute(text("DROP DATABASE migrated WITH (FORCE)"))
    server.close()


@pytest.fixture(params=["empty_sqlite", "empty_postgresql"])
def empty(request: pytest.FixtureRequest) -> Generator[Database]:
    """A database without tables, of each kind in turn."""
    database = open_database(request.getfixturevalue(request.param))
    yield database
    database.close()


def url_of(database: Database) -> str:
    return database.engine.url.render_as_string(hide_password=False)


def constraints(connection: Connection) -> dict[str, set[str | None]]:
    """The names of all constraints and indexes of every table."""
    found: dict[str, set[str | None]] = {}
    inspector = inspect(connection)
    for table in METADATA.tables:
        names = {one["name"] for one in inspector.get_check_constraints(table)}
        names |= {one["name"] for one in inspector.get_unique_constraints(table)}
        names |= {one["name"] for one in inspector.get_foreign_keys(table)}
        names |= {one["name"] for one in inspector.get_indexes(table)}
        names.add(inspector.get_pk_constraint(table)["name"])
        found[table] = names
    return found


def test_there_is_one_newest_revision() -> None:
    assert ScriptDirectory(str(FOLDER)).get_heads() == [newest_revision()]


def test_a_migrated_database_has_exactly_the_tables_of_the_code(empty: Database) -> None:
    upgrade_database(url_of(empty))
    with empty.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_a_migration_names_its_constraints_as_the_code_does(
    empty: Database, tmp_path: Path
) -> None:
    upgrade_database(url_of(empty))
    with empty.engine.connect() as connection:
        migrated = constraints(connection)
        METADATA.drop_all(connection)
        METADATA.create_all(connection)
        assert constraints(connection) == migrated
        connection.rollback()


def test_upgrading_twice_changes_nothing_and_keeps_results(empty: Database) -> None:
    upgrade_database(url_of(empty))
    campaign_id = write_campaign(empty)
    upgrade_database(url_of(empty))
    with empty.read() as session:
        assert session.execute(text("SELECT id FROM campaigns")).scalar_one() == campaign_id


def test_every_revision_goes_down_and_up_again(empty: Database) -> None:
    upgrade_database(url_of(empty))
    with migrating(empty) as config:
        command.downgrade(config, "base")
    with empty.engine.connect() as connection:
        assert not set(inspect(connection).get_table_names()) & set(METADATA.tables)
    assert database_revision(empty) is None
    upgrade_database(url_of(empty))
    assert database_revision(empty) == newest_revision()


def test_a_database_that_is_behind_is_refused_with_the_remedy(empty: Database) -> None:
    with pytest.raises(Refused, match="gradefarm db upgrade"):
        check_database(empty)
    upgrade_database(url_of(empty))
    check_database(empty)


def test_processes_that_migrate_at_once_make_the_tables_once(empty: Database) -> None:
    code = "import sys; from models.migrations.upgrade import *; upgrade_database(sys.argv[1])"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, url_of(empty)], stderr=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    ended = [process.communicate(timeout=120)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 4, ended
    assert database_revision(empty) == newest_revision()
