"""The farm's log on both databases: what is entered keeps its place, and a change is found."""

from pathlib import Path

import pytest
from sqlalchemy import text

from models.errors import Refused
from models.records.key_leaves import PREVIOUS, ROOT, KeyAction, key_leaf, trust_of
from models.records.log_leaves import close_leaf, leaf_name, open_leaf, void_leaf
from models.records.log_monitor import monitored
from models.records.log_proof import is_proved
from models.records.merkle import is_consistent, leaf_hash, root_of
from models.records.signed_note import read_checkpoint
from models.records.signing_keys import KeyRole, new_key
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import (
    enter_leaf,
    known_log,
    leaves_from,
    order_leaves,
    prove_entry,
    prove_growth,
)
from scheduler.farm_log import FarmLog
from scheduler.log_check import check_log


@pytest.fixture
def keys(database: Database, tmp_path: Path) -> KeyFolder:
    folder = KeyFolder(tmp_path / "keys")
    FarmLog(database, folder).begin()
    return folder


def enter(database: Database, leaf: str) -> int:
    with database.transaction() as session:
        return enter_leaf(session, leaf)


def test_leaves_of_any_number_of_goes_make_one_tree_with_a_proof_for_each(
    database: Database, keys: KeyFolder
) -> None:
    entries, kept = dict[int, str](), list[str]()
    for batch in (1, 2, 7, 1, 16, 3):
        for _ in range(batch):
            leaf = void_leaf("1", len(entries), "unknown")
            entries[enter(database, leaf)] = leaf
        with database.transaction() as session:
            assert order_leaves(session, keys.get(KeyRole.LOG), 1_000) == batch
        with database.read() as session:
            kept.append(known_log(session).checkpoint)
            leaves = [leaf_hash(leaf.encode()) for _, leaf in leaves_from(session, 0, 1_000)]
        assert read_checkpoint(kept[-1]).root == root_of(leaves)
    newest = read_checkpoint(kept[-1])
    with database.read() as session:
        for entry, leaf in entries.items():
            proof = prove_entry(session, entry)
            assert is_proved(leaf_hash(leaf.encode()), proof, newest)
        for note in kept:
            old = read_checkpoint(note)
            path = prove_growth(session, old.size)
            assert is_consistent((old.size, old.root), (newest.size, newest.root), path)
    assert check_log(database, kept[0]).findings.faults == []


def test_a_leaf_that_was_changed_or_a_log_that_was_begun_anew_is_found(
    database: Database, keys: KeyFolder
) -> None:
    log = FarmLog(database, keys)
    with database.read() as session:
        kept = known_log(session).checkpoint
    for number in range(4):
        enter(database, void_leaf("1", number, "unknown"))
    log.order()
    with database.transaction() as session:
        session.execute(
            text("UPDATE log_entries SET leaf = :leaf WHERE position = 4"),
            {"leaf": void_leaf("1", 9, "unknown")},
        )
    assert "one was changed" in check_log(database).findings.faults[0]
    with database.transaction() as session:
        for table in ("log_entries", "log_nodes", "farm_log"):
            session.execute(text(f"DELETE FROM {table}"))
    log.begin()
    assert check_log(database).findings.faults == []
    assert "did not grow" in check_log(database, kept).findings.faults[0]


def test_two_schedulers_never_give_one_place_twice(database: Database, keys: KeyFolder) -> None:
    key = keys.get(KeyRole.LOG)
    enter(database, void_leaf("1", 1, "unknown"))
    with database.transaction() as session:
        # As one sees it that went to sleep before the others came.
        session.execute(text("UPDATE farm_log SET size = 2"))
    with pytest.raises(Refused, match="another scheduler"), database.transaction() as session:
        order_leaves(session, key, 10)
    with database.read() as session:
        assert [at for at, _ in leaves_from(session, 0, 10)] == [0, 1, 2]


def test_the_log_tells_of_what_was_opened_and_never_closed_and_of_what_was_closed_twice() -> None:
    opened, other = open_leaf("1", 1, b"line"), open_leaf("2", 1, b"line")
    closed = close_leaf("1", leaf_name(opened), b"x", "", "")
    again = close_leaf("1", leaf_name(opened), b"y", leaf_name(closed), "graded again")
    twice = close_leaf("1", leaf_name(opened), b"z", "", "")
    unopened = close_leaf("3", leaf_name("{}"), b"z", "", "")
    gone, lost = open_leaf("2", 2, b"more"), void_leaf("2", 2, "worker_lost")
    sound = monitored(enumerate([opened, other, closed, again, gone, lost]))
    assert (sound.opened, sound.closed, sound.regraded, sound.void) == (3, 2, 1, 1)
    assert (sound.open, sound.faults) == ([("2", 1)], [])
    faults = monitored(enumerate([opened, closed, twice, unopened])).faults
    assert ["names no earlier" in faults[0], "without an opening" in faults[1]] == [True, True]


def test_only_the_root_and_the_key_before_make_another_key_good() -> None:
    root, first, second = (new_key(role) for role in (KeyRole.ROOT, KeyRole.GRADER, KeyRole.GRADER))
    log, add, role = "log", KeyAction.ADD, KeyRole.GRADER
    begun = key_leaf(log, add, role, first.public, {ROOT: root})
    for signers in ({ROOT: root}, {ROOT: second, PREVIOUS: first}, {ROOT: root, PREVIOUS: second}):
        forged = key_leaf(log, add, role, second.public, signers)
        policy, faults = trust_of(log, root.public, enumerate([begun, forged]))
        assert ([key.id for key in policy.keys], len(faults)) == ([first.id], 1)
    sound = key_leaf(log, add, role, second.public, {ROOT: root, PREVIOUS: first})
    ended = key_leaf(log, KeyAction.REVOKE, role, first.public, {ROOT: root})
    policy, faults = trust_of(log, root.public, enumerate([begun, sound, "{}", ended]))
    assert faults == ()
    assert [(key.first, key.until, key.revoked) for key in policy.keys] == [
        (0, 3, True),
        (1, None, False),
    ]
    other = key_leaf("another log", add, role, second.public, {ROOT: root, PREVIOUS: first})
    assert len(trust_of(log, root.public, enumerate([begun, other]))[1]) == 1


@pytest.mark.parametrize("first", [KeyAction.RETIRE, KeyAction.REVOKE])
def test_a_key_that_ended_is_never_made_good_again(first: KeyAction) -> None:
    root, key = new_key(KeyRole.ROOT), new_key(KeyRole.GRADER)
    actions = [KeyAction.ADD, first, KeyAction.REVOKE, KeyAction.RETIRE]
    leaves = [
        key_leaf("log", action, KeyRole.GRADER, key.public, {ROOT: root}) for action in actions
    ]
    policy, faults = trust_of("log", root.public, enumerate(leaves))
    assert faults == ()
    assert [(one.until, one.revoked) for one in policy.keys] == [(1, True)]
