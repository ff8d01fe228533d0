"""A database whose disk is full is told as that, not as one that is away."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from models.storage.transaction import Database
from scheduler.api.problem_details import database_problem
from scheduler.cli.main import as_farm_error


def fill(database: Database) -> None:
    """As on a disk that has no room for another page."""
    with database.transaction() as session:
        session.execute(text("PRAGMA max_page_count = 1"))
        session.execute(text("CREATE TABLE much AS SELECT zeroblob(9999999) AS bytes"))


def test_a_full_disk_has_its_own_remedy_on_the_terminal_and_over_http(sqlite: Database) -> None:
    with pytest.raises(OperationalError) as told:
        fill(sqlite)
    error = as_farm_error(told.value)
    assert error is not None
    assert "disk below the database is full" in error.message
    assert "Free space" in error.remedy
    assert error.exit_code == 5
    answer = database_problem(told.value)
    assert answer.status_code == 503
    assert b"disk below the database is full" in bytes(answer.body)


def test_a_database_that_is_away_is_told_as_before(sqlite: Database) -> None:
    with pytest.raises(OperationalError) as told, sqlite.read() as session:
        session.execute(text("SELECT 1 FROM no_such_table"))
    error = as_farm_error(told.value)
    assert error is not None
    assert "does not answer" in error.message
    assert b"does not answer now" in bytes(database_problem(told.value).body)
