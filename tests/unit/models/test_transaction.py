"""How databases are opened, and how a run may change."""

import pytest
from sqlalchemy import text

from models.errors import InvalidInput
from models.schemas.run import TRANSITIONS, RunState
from models.storage.transaction import Database, open_database
from models.storage.transitions import IllegalTransition, Transition


@pytest.mark.parametrize("url", ["", "farm.db", "mysql://root@localhost/farm", "nosuch://x"])
def test_a_database_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="GRADEFARM_DATABASE_URL"):
        open_database(url)


def test_sqlite_keeps_a_log_and_waits_for_other_writers(sqlite: Database) -> None:
    with sqlite.read() as session:
        mode = session.execute(text("PRAGMA journal_mode")).scalar_one()
        wait = session.execute(text("PRAGMA busy_timeout")).scalar_one()
        keys = session.execute(text("PRAGMA foreign_keys")).scalar_one()
    assert (mode, wait, keys) == ("wal", 30_000, 1)


def test_a_reader_sees_one_state_while_another_writes(sqlite: Database) -> None:
    count = text("SELECT count(*) FROM workers")
    add = text("INSERT INTO workers (name, document, started_at, beat_at) VALUES ('w', '{}', 0, 0)")
    with sqlite.read() as reader:
        assert reader.execute(count).scalar_one() == 0
        with sqlite.transaction() as writer:
            writer.execute(add)
        assert reader.execute(count).scalar_one() == 0
    with sqlite.read() as reader:
        assert reader.execute(count).scalar_one() == 1


@pytest.mark.parametrize("source", RunState)
@pytest.mark.parametrize("target", RunState)
def test_a_change_that_the_table_lacks_can_not_even_be_prepared(
    source: RunState, target: RunState
) -> None:
    sets = ("queued_until", "lease_until", "worker", "ended_at")
    if target in TRANSITIONS[source]:
        Transition((source,), target, (), sets=sets)
    else:
        with pytest.raises(IllegalTransition):
            Transition((source,), target, (), sets=sets)


def test_a_lease_without_an_end_can_not_be_prepared() -> None:
    with pytest.raises(IllegalTransition, match="lease_until"):
        Transition((RunState.PLANNED,), RunState.AGENT_LEASED, (), sets=("worker",))
