"""A loop is never told that nothing is new while something is."""

from sqlalchemy import text

from models.storage.change_watch import ChangeWatch
from models.storage.transaction import Database


def write(database: Database) -> None:
    with database.transaction() as session:
        session.execute(text("UPDATE queues SET name = name"))
        session.execute(
            text("INSERT INTO queues (name, stage) VALUES (hex(randomblob(8)), 'agent')")
        )


def test_the_first_look_may_see_anything_and_the_next_nothing(sqlite: Database) -> None:
    watch = ChangeWatch(sqlite)
    assert [watch.may_be_new(), watch.may_be_new(), watch.may_be_new()] == [True, False, False]
    watch.close()


def test_every_commit_is_noticed_once_also_one_of_the_same_process(sqlite: Database) -> None:
    watch = ChangeWatch(sqlite)
    watch.may_be_new()
    for _ in range(3):
        write(sqlite)
        assert [watch.may_be_new(), watch.may_be_new()] == [True, False]
    watch.close()


def test_reading_makes_nothing_new(sqlite: Database) -> None:
    watch = ChangeWatch(sqlite)
    watch.may_be_new()
    with sqlite.read() as session:
        session.execute(text("SELECT count(*) FROM queues")).one()
    assert not watch.may_be_new()
    watch.close()


def test_a_server_is_never_said_to_have_nothing_new(database: Database) -> None:
    watch = ChangeWatch(database)
    watch.may_be_new()
    assert watch.may_be_new() is database.is_postgresql
    watch.close()


def test_a_broken_connection_hides_no_change(sqlite: Database) -> None:
    watch = ChangeWatch(sqlite)
    watch.may_be_new()
    write(sqlite)
    watch.close()
    assert watch.may_be_new()
    watch.close()
