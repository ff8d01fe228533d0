"""The farm's log on both databases: what is entered keeps its place, and a change is found."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from models.errors import NotFound, Refused
from models.records.key_leaves import PREVIOUS, ROOT, KeyAction, key_leaf, trust_of
from models.records.log_leaves import closing_leaf, leaf_name, open_leaf, void_leaf
from models.records.log_monitor import LogFindings, LogMonitor
from models.records.log_proof import is_proved
from models.records.merkle import is_consistent, leaf_hash, root_of
from models.records.signed_note import read_checkpoint
from models.records.signing_keys import KeyRole, new_key
from models.records.verdict_rules import RULES
from models.schemas.record_statement import RunRecordPredicate
from models.schemas.trust import TrustPolicy
from models.storage.key_folder import KeyFolder
from models.storage.transaction import Database
from models.storage.transparency_log import (
    enter_leaf,
    known_log,
    leaves_between,
    order_leaves,
    prove_entry,
    prove_growth,
)
from scheduler.cli.keys import told_of_end
from scheduler.farm_keys import Ended, FarmKeys
from scheduler.farm_log import FarmLog, KeysNotMade
from scheduler.log_check import check_log
from tests.fakes.record_forge import trusted


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
            leaves = [leaf_hash(leaf.encode()) for _, leaf in leaves_between(session, 0, 1_000)]
        assert read_checkpoint(kept[-1]).root == root_of(leaves)
    newest = read_checkpoint(kept[-1])
    with database.read() as session:
        for entry, leaf in entries.items():
            proof = prove_entry(session, entry)
            assert is_proved(leaf_hash(leaf.encode()), proof, newest)
        for note in kept:
            old = read_checkpoint(note)
            path = prove_growth(session, old.size, newest.size)
            assert is_consistent((old.size, old.root), (newest.size, newest.root), path)
    held = check_log(database, kept[0])
    assert (held.findings.faults, held.grew_from) == ([], read_checkpoint(kept[0]).size)
    text, _, signature = kept[0].partition("\n\n")
    name, _, root = text.split("\n")
    for forged in (f"{name}\n1\n{root}\n\n{signature}", f"{text}\n\n"):
        found = check_log(database, forged)
        assert "no key that this log names signed" in found.findings.faults[0]
        assert found.grew_from is None


class BusyFarm(Database):
    """Between two readings of it a leaf is entered and gets its place."""

    keys: KeyFolder
    reads: int = 0

    @contextmanager
    def read(self) -> Generator[Session]:
        with super().read() as session:
            yield session
        self.reads += 1
        enter(self, void_leaf("2", self.reads, "unknown"))
        with self.transaction() as writing:
            order_leaves(writing, self.keys.get(KeyRole.LOG), 10)


def test_a_log_that_grows_while_it_is_checked_is_checked_as_it_was(
    database: Database, keys: KeyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.whole_log.AT_ONCE", 3)
    for number in range(5):
        enter(database, void_leaf("1", number, "unknown"))
    FarmLog(database, keys).order()
    with database.read() as session:
        kept = known_log(session)
    busy = BusyFarm(database.engine)
    busy.keys = keys
    sizes = list[int]()
    for _ in range(2):
        found = check_log(busy, kept.checkpoint)
        assert (found.findings.faults, found.grew_from) == ([], kept.size)
        sizes.append(found.size)
    assert kept.size == sizes[0] < sizes[1]


def test_a_leaf_that_is_missing_is_named(database: Database, keys: KeyFolder) -> None:
    for number in range(5):
        enter(database, void_leaf("1", number, "unknown"))
    FarmLog(database, keys).order()
    size = check_log(database).size
    for position in (size - 1, 4):
        with database.transaction() as session:
            session.execute(text(f"DELETE FROM log_entries WHERE position = {position}"))
        assert check_log(database).findings.faults == [f"the leaf at {position} is missing"]


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


def test_a_log_begins_once_and_then_needs_no_other_key_than_its_own(
    database: Database, tmp_path: Path
) -> None:
    """As where each machine holds its own key alone, and one of them begins the log."""
    (tmp_path / "file").touch()
    nowhere = FarmLog(database, KeyFolder(tmp_path / "file" / "keys"))
    with pytest.raises(KeysNotMade, match="can't be made"):
        nowhere.begin_now()
    nowhere.begin()
    folder = tmp_path / "all"
    assert FarmLog(database, KeyFolder(folder)).begin_now()
    for role in set(KeyRole) - {KeyRole.LOG}:
        (folder / f"{role}.pem").unlink()
    log = FarmLog(database, KeyFolder(folder))
    assert not log.begin_now()
    enter(database, open_leaf("1", 1, b"x"))
    assert not log.order()
    assert check_log(database).findings.opened == 1
    assert [path.name for path in folder.iterdir()] == ["log.pem"]


def test_two_schedulers_never_give_one_place_twice(database: Database, keys: KeyFolder) -> None:
    key = keys.get(KeyRole.LOG)
    enter(database, void_leaf("1", 1, "unknown"))
    with database.transaction() as session:
        # As one sees it that went to sleep before the others came.
        session.execute(text("UPDATE farm_log SET size = 2"))
    with pytest.raises(Refused, match="another scheduler"), database.transaction() as session:
        order_leaves(session, key, 10)
    with database.read() as session:
        assert [at for at, _ in leaves_between(session, 0, 10)] == [0, 1, 2]


def closed(opened: str, graded_as: str = "1", earlier: str = "", payload: bytes = b"x") -> str:
    """The leaf of a grading of run 1."""
    chain = {"events": 1, "head": "0" * 64, "root": "0" * 64}
    said = RunRecordPredicate.model_validate(
        {
            **{"run": "1", "nonce": "n", "chain": chain, "opened": leaf_name(opened)},
            **{"stage": "0" * 64, "rules": RULES, "task": "t", "language": "l", "universe": "u"},
            "result": {"verdict": "passed", "undelivered": False},
            **{"graded_as": graded_as, "earlier": earlier, "why": "" if graded_as == "1" else "x"},
        }
    )
    return closing_leaf(said, payload)


def monitored(*leaves: str) -> LogFindings:
    monitor = LogMonitor()
    for position, leaf in enumerate(leaves):
        monitor.take(position, leaf)
    return monitor.finished()


def faults(*leaves: str) -> list[str]:
    return monitored(*leaves).faults


def test_the_log_tells_of_what_was_opened_and_never_closed_and_of_what_was_closed_twice() -> None:
    opened, other = open_leaf("1", 1, b"line"), open_leaf("2", 1, b"line")
    first = closed(opened)
    again = closed(opened, "3", leaf_name(first))
    gone, lost = open_leaf("2", 2, b"more"), void_leaf("2", 2, "worker_lost")
    sound = monitored(opened, other, first, again, gone, lost)
    assert (sound.opened, sound.closed, sound.regraded, sound.void) == (3, 2, 1, 1)
    assert (sound.open, sound.faults) == ([("2", 1)], [])
    assert (
        "'1': was closed again, after 1" in faults(opened, first, closed(opened, payload=b"z"))[0]
    )
    assert "without an opening" in faults(first)[0]
    assert "names no earlier" in faults(opened, first, closed(opened, "3"))[0]
    assert "that is not there" in faults(opened, closed(opened, "3", "a" * 64))[0]
    assert "'3': was closed again" in faults(opened, first, again, again)[0]


def test_the_log_tells_of_one_run_whose_best_of_many_attempts_is_shown() -> None:
    openings = [open_leaf("1", attempt, b"line %d" % attempt) for attempt in (1, 2, 3)]
    told = faults(*(leaf for one in openings for leaf in (one, closed(one))))
    assert told == [
        "at 3: run '1': was closed again, after 1",
        "at 5: run '1': was closed again, after 3",
    ]
    one, void = openings[0], void_leaf("1", 1, "unknown")
    assert "opened again" in faults(one, open_leaf("1", 1, b"another"))[0]
    assert "void again" in faults(one, void, void)[0]
    assert "opened when void" in faults(void, one)[0]
    assert "after its attempt was void" in faults(one, void, closed(one))[0]
    assert "void after it was closed" in faults(one, closed(one), void)[0]


def test_a_run_that_was_void_in_grading_may_be_graded_again_by_many() -> None:
    opened, void = open_leaf("1", 1, b"line"), void_leaf("1", 2, "grader")
    second, third = closed(opened, "2"), closed(opened, "3")
    upon = closed(opened, "4", leaf_name(second))
    found = monitored(opened, void, second, third, upon)
    assert (found.regraded, found.open, found.faults) == (3, [], [])


STRANGE = [
    '{"kind":"farm.key","log":"x","role":"log","action":"add","public":"AAAA","signed":["x"]}',
    '{"kind":"farm.key","n":1180591620717411303424,"signed":{"root":5}}',
    'hello "kind":"farm.key"',
    '["\\u0000",{"kind":"farm.key"}]',
    '{"kind":"run.open"}',
    '{"attempt":1,"kind":"run.open","line":"x","run":"1","v":1}',
    '{"attempt":true,"category":"x","kind":"run.void","run":"1","v":1}',
    "[" * 100_000 + '"kind":"farm.key"',
    "\ud800",
    "null",
    "",
]


def test_a_strange_leaf_is_told_exactly_and_everything_else_goes_on(
    database: Database, keys: KeyFolder
) -> None:
    root = known_root(database)
    for leaf in STRANGE:
        opened = open_leaf("1", 1, b"line")
        found = monitored(leaf, opened, closed(opened))
        assert (found.opened, found.closed, found.open) == (1, 1, [])
        assert len(found.faults) == 1
        assert found.faults[0].startswith("at 0: ")
        assert trust_of("log", root, enumerate([leaf])) == (
            TrustPolicy(log="log", root=root, keys=()),
            (),
        )
    enter(database, STRANGE[5])
    FarmLog(database, keys).order()
    found = check_log(database).findings.faults
    assert len(found) == 1
    assert found[0].startswith("at 3: strange_leaf")
    assert len(FarmKeys(database, keys).policy().keys) == 3


def test_a_change_of_keys_is_told_before_it_has_its_place_and_its_root_is_asked_for(
    database: Database, keys: KeyFolder, tmp_path: Path
) -> None:
    changing = FarmKeys(database, keys)
    key = changing.rotate(KeyRole.GRADER).key
    assert {name: leaf.action for name, leaf in changing.waiting().items()} == {key.id: "add"}
    for unknown in ("nonsense", "gradernonsense", "root-1c47ff07711f38ab"):
        with pytest.raises(NotFound, match=f"names no key {unknown}"):
            changing.end(KeyAction.RETIRE, unknown)
    FarmLog(database, keys).order()
    assert changing.waiting() == {}
    keys.path(KeyRole.ROOT).rename(tmp_path / "root.pem")
    with pytest.raises(NotFound, match="the root key is not here") as missing:
        changing.end(KeyAction.REVOKE, key.id)
    assert "--root" in missing.value.remedy
    roots = KeyFolder(tmp_path)
    assert FarmKeys(database, keys, roots).end(KeyAction.REVOKE, key.id).key.id == key.id


def test_who_revokes_the_only_good_key_of_a_role_is_told_so(
    database: Database, keys: KeyFolder
) -> None:
    changing, first = FarmKeys(database, keys), keys.get(KeyRole.GRADER)
    second = changing.rotate(KeyRole.GRADER).key
    FarmLog(database, keys).order()
    beside = changing.end(KeyAction.REVOKE, first.id).good
    assert beside is not None
    assert beside.id == second.id
    FarmLog(database, keys).order()
    assert second.id in told_of_end(KeyAction.REVOKE, Ended(trusted(first), beside), None)[-1]
    alone = changing.end(KeyAction.REVOKE, second.id)
    assert alone.good is None
    told = told_of_end(KeyAction.REVOKE, alone, Path("/media/a stick"))
    assert "run now: gradefarm keys rotate grader --root '/media/a stick'" in told


def test_the_log_stands_still_rather_than_being_signed_by_a_key_that_nobody_takes(
    database: Database, keys: KeyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    log, changing, right = FarmLog(database, keys), FarmKeys(database, keys), keys.get(KeyRole.LOG)
    keys.keep(new_key(KeyRole.LOG))
    entered = enter(database, open_leaf("1", 1, b"x"))
    assert not log.order()
    assert f"is not a log key that is good now. Bring the right one here: {right.id}" in caplog.text
    with database.read() as session, pytest.raises(Refused):
        prove_entry(session, entered)
    keys.keep(right)
    log.order()
    with database.read() as session:
        prove_entry(session, entered)
    changing.rotate(KeyRole.LOG)
    log.order()
    changing.end(KeyAction.RETIRE, right.id)
    log.order()
    keys.keep(right)
    enter(database, void_leaf("1", 1, "unknown"))
    assert not log.order()
    assert check_log(database).findings.faults == []


def known_root(database: Database) -> str:
    with database.read() as session:
        return known_log(session).root_key


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
