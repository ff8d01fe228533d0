"""Backups bring everything back or say what is damaged; pruning leaves all that results rest on."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from models.clock import FixedClock
from models.errors import InvalidInput, NotFound, Refused
from models.migrations.upgrade import upgrade_database
from models.records.log_leaves import void_leaf
from models.schemas.backup import BackupRecord
from models.schemas.campaign import CampaignState
from models.schemas.run import Stage
from models.settings import Settings, read_settings
from models.storage.artifact_opening import open_prunable_stores
from models.storage.artifacts import FolderArtifacts
from models.storage.campaign_states import change_campaign
from models.storage.interruptions import interrupt_all
from models.storage.key_folder import KeyFolder
from models.storage.leases import claim, expire, finish_agent, finish_grade
from models.storage.table_rows import ARTIFACT_COLUMNS, NOT_KEPT
from models.storage.transaction import Database, open_database
from models.storage.transparency_log import enter_leaf, known_log
from models.tables.all_tables import METADATA
from models.tables.attempts import AttemptRow
from models.verdicts import Verdict
from scheduler.cli.backup import board_digest, ended_boards
from scheduler.cli.restore import restore
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.farm_log import FarmLog
from scheduler.keeping.backup import ARTIFACTS, BackupSource, make_backup
from scheduler.keeping.prune import Pruned, PruneWish, prune
from scheduler.keeping.restore import (
    check_backup,
    chosen_backup,
    other_boards,
    read_backup,
    restore_artifacts,
    restore_rows,
)
from scheduler.log_check import check_log
from tests.fakes.campaigns import NOW, TERMS, agent_result, grade_result, write_campaign

NewDatabase = Callable[[], str]
DIGESTS_OF_CONTENT = {
    ("variants", "universe"),
    ("variants", "public_digest"),
    ("check_reports", "universe"),
    ("check_reports", "manifest_digest"),
    ("gate_decisions", "universe"),
    ("campaign_requests", "digest"),
}


def quiet(note: str) -> None:
    assert note


@pytest.fixture
def on_server(postgresql_url: str) -> Iterator[NewDatabase]:
    """Makes addresses of databases without tables on PostgreSQL."""
    names: list[str] = []
    server = open_database(postgresql_url)
    with server.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:

        def make() -> str:
            names.append(f"kept{len(names)}")
            connection.execute(text(f"DROP DATABASE IF EXISTS {names[-1]} WITH (FORCE)"))
            connection.execute(text(f"CREATE DATABASE {names[-1]}"))
            own = server.engine.url.set(database=names[-1], drivername="postgresql")
            return own.render_as_string(hide_password=False)

        yield make
        for name in names:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    server.close()


class KeptFarm:
    """A farm with one ended campaign and one in the middle of its work."""

    def __init__(self, url: str, folder: Path) -> None:
        upgrade_database(url)
        self.store_folder = folder / "artifacts"
        self.settings = settings_of(url, self.store_folder)
        self.access = LocalFarm(self.settings)
        self.database = self.access.database
        self.store = FolderArtifacts(self.store_folder)
        self.output = self.store.put(b"a long output")
        self.transcript = self.store.put(f'{{"steps": ["{self.output}"]}}'.encode())
        self.snapshot = self.store.put(b"a snapshot")
        self.stray = self.store.put(b"nobody names this")
        self.ended = write_campaign(self.database)
        self.grade(4, self.ended)
        with self.database.transaction() as session:
            going = (CampaignState.RUNNING,)
            assert change_campaign(session, self.ended, going, CampaignState.FINISHED)
        self.going = write_campaign(self.database)
        with self.database.transaction() as session:
            assert claim(session, 5, Stage.AGENT, "worker", NOW, TERMS)

    def grade(self, runs: int, campaign_id: str) -> None:
        named = {"snapshot": self.snapshot, "transcript": self.transcript}
        for run_id in range(1, runs + 1):
            for stage in Stage:
                with self.database.transaction() as session:
                    order = claim(session, run_id, stage, "worker", NOW, TERMS)
                assert order is not None
                assert order.campaign_id == campaign_id
                verdict = Verdict.PASSED if run_id % 3 else Verdict.FAILED
                with self.database.transaction() as session:
                    if stage is Stage.AGENT:
                        result = agent_result().model_copy(update=named)
                        finish_agent(session, order, result, NOW + 1.25)
                    else:
                        graded = grade_result(order, verdict)
                        graded = graded.model_copy(update={"report_artifact": self.transcript})
                        finish_grade(session, order, graded, NOW + 2.5)

    def back_up(self, folder: Path, at: float = NOW) -> tuple[Path, BackupRecord]:
        source = BackupSource(self.database, self.store, FixedClock(at))
        return make_backup(source, folder, ended_boards(self.access), quiet)

    def close(self) -> None:
        self.database.close()


def settings_of(url: str, artifacts: Path) -> Settings:
    return read_settings({"GRADEFARM_HOME": str(artifacts.parent)}).model_copy(
        update={"database_url": url, "artifacts_url": f"file://{artifacts}"}
    )


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[KeptFarm]:
    kept = KeptFarm(f"sqlite:///{tmp_path / 'kept.db'}", tmp_path / "farm")
    yield kept
    kept.close()


def all_rows(database: Database) -> dict[str, list[tuple[object, ...]]]:
    found: dict[str, list[tuple[object, ...]]] = {}
    with database.read() as session:
        for table in METADATA.sorted_tables:
            if table.name not in NOT_KEPT:
                rows = session.execute(select(table).order_by(*table.primary_key.columns))
                found[table.name] = [tuple(row) for row in rows]
    return found


@pytest.mark.parametrize("kinds", [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_a_restored_farm_has_the_same_rows_artifacts_and_boards(
    kinds: tuple[str, str], on_server: NewDatabase, tmp_path: Path
) -> None:
    url, other = (
        on_server() if kind == "postgresql" else f"sqlite:///{tmp_path / 'one.db'}"
        for kind in kinds
    )
    farm = KeptFarm(url, tmp_path / "farm")
    made, record = farm.back_up(tmp_path / "backups")
    assert list(record.boards) == [farm.ended]
    assert record.boards[farm.ended].startswith("sha256:")
    assert chosen_backup(tmp_path / "backups") == made

    digests = check_backup(made, read_backup(made), quiet)
    store = FolderArtifacts(tmp_path / "restored" / "artifacts")
    restore_artifacts(made, digests, store, quiet)
    restore_rows(made, record, other)

    restored = LocalFarm(settings_of(other, tmp_path / "restored" / "artifacts"))
    with farm.database.transaction() as session:
        assert interrupt_all(session, NOW, "restored from a backup") == 1
    assert all_rows(restored.database) == all_rows(farm.database)
    for digest in (farm.output, farm.transcript, farm.snapshot):
        assert store.get(digest) == farm.store.get(digest)
    assert not store.has(farm.stray)
    assert other_boards(record, lambda one: board_digest(restored, one)) == []
    # What comes next gets a number of its own.
    assert write_campaign(restored.database) != farm.going
    restored.database.close()
    farm.close()


def test_a_board_that_comes_out_otherwise_is_named(farm: KeptFarm, tmp_path: Path) -> None:
    made, record = farm.back_up(tmp_path / "backups")
    url = f"sqlite:///{tmp_path / 'other.db'}"
    restore_rows(made, record, url)
    restored = LocalFarm(settings_of(url, tmp_path / "artifacts"))
    with restored.database.transaction() as session:
        session.execute(text("UPDATE cell_tallies SET ending = 'failed' WHERE cell_pk = 2"))
    assert other_boards(record, lambda one: board_digest(restored, one)) == [farm.ended]
    restored.database.close()


def test_a_second_backup_copies_only_what_is_new(farm: KeptFarm, tmp_path: Path) -> None:
    first, _ = farm.back_up(tmp_path / "backups")
    copied = {path: path.stat().st_ino for path in (tmp_path / "backups" / ARTIFACTS).rglob("*/*")}
    second, _ = farm.back_up(tmp_path / "backups", NOW + 60)
    again = {path: path.stat().st_ino for path in (tmp_path / "backups" / ARTIFACTS).rglob("*/*")}
    assert again == copied
    assert chosen_backup(tmp_path / "backups") == second != first


def test_nobody_else_may_read_a_folder_of_backups_that_was_made_for_them(
    farm: KeptFarm, tmp_path: Path
) -> None:
    farm.back_up(tmp_path / "backups")
    assert (tmp_path / "backups").stat().st_mode & 0o077 == 0


def test_every_damage_is_told_at_once_and_nothing_is_restored(
    farm: KeptFarm, tmp_path: Path
) -> None:
    made, record = farm.back_up(tmp_path / "backups")
    (made / "tables" / "attempts.jsonl.gz").write_bytes(b"no gzip")
    (made / "tables" / "cells.jsonl.gz").unlink()
    with pytest.raises(InvalidInput) as told:
        check_backup(made, record, quiet)
    assert {Path(fault.field).name for fault in told.value.faults} == {
        "attempts.jsonl.gz",
        "cells.jsonl.gz",
    }


def test_a_damaged_artifact_is_told_by_its_name(farm: KeptFarm, tmp_path: Path) -> None:
    made, record = farm.back_up(tmp_path / "backups")
    damage(tmp_path / "backups" / ARTIFACTS, farm.snapshot)
    with pytest.raises(InvalidInput, match=farm.snapshot):
        check_backup(made, record, quiet)


def test_a_farm_with_rows_is_not_written_over(farm: KeptFarm, tmp_path: Path) -> None:
    made, record = farm.back_up(tmp_path / "backups")
    before = all_rows(farm.database)
    with pytest.raises(Refused, match="not empty"):
        restore_rows(made, record, farm.settings.database_url)
    assert all_rows(farm.database) == before


def test_a_full_farm_is_refused_before_artifacts_are_copied(
    farm: KeptFarm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = farm.back_up(tmp_path / "backups")
    target = tmp_path / "elsewhere" / "artifacts"
    full = LocalFarm(settings_of(farm.settings.database_url, target))
    monkeypatch.setattr("scheduler.cli.restore.open_local_farm", lambda: full)
    with pytest.raises(Refused, match="not empty"):
        restore(made)
    assert not target.exists()
    full.database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_restored_log_says_so_and_newer_checkpoints_are_told_from_a_log_that_was_cut(
    kind: str, farm: KeptFarm, on_server: NewDatabase, tmp_path: Path
) -> None:
    log = FarmLog(farm.database, KeyFolder(tmp_path / "keys"))
    log.begin()
    older = checkpoint_of(farm.database)
    made, record = farm.back_up(tmp_path / "backups")
    with farm.database.transaction() as session:
        enter_leaf(session, void_leaf("77", 1, "unknown"))
    log.order()
    newer = checkpoint_of(farm.database)

    url = on_server() if kind == "postgresql" else f"sqlite:///{tmp_path / 'other.db'}"
    assert restore_rows(made, record, url) == 3
    other = open_database(url)
    FarmLog(other, KeyFolder(tmp_path / "keys")).order()
    assert check_log(other, older).findings.faults == []
    found = check_log(other, newer).findings
    assert found.restored == [3]
    assert len(found.faults) == 1
    assert "restored from a backup at leaf 3 and went on from there" in found.faults[0]
    assert "4 leaves" in found.faults[0]
    other.close()


def checkpoint_of(database: Database) -> str:
    with database.read() as session:
        return known_log(session).checkpoint


def test_a_schema_of_the_future_is_refused(farm: KeptFarm, tmp_path: Path) -> None:
    made, record = farm.back_up(tmp_path / "backups")
    with pytest.raises(Refused, match="newer"):
        check_backup(made, record.model_copy(update={"revision": "9999"}), quiet)


def test_a_folder_without_a_backup_and_one_that_was_not_finished(
    farm: KeptFarm, tmp_path: Path
) -> None:
    with pytest.raises(NotFound):
        read_backup(chosen_backup(tmp_path))
    backups = tmp_path / "backups"
    for name in (".unfinished-old", ".unfinished-new", "mine"):
        (backups / name / "tables").mkdir(parents=True)
    os.utime(backups / ".unfinished-old", (NOW, NOW))
    with pytest.raises(NotFound):
        read_backup(chosen_backup(backups))
    farm.back_up(backups)
    left = {path.name for path in backups.iterdir()}
    assert ".unfinished-old" not in left
    assert {".unfinished-new", "mine"} < left


def test_a_damaged_artifact_stops_no_backup_and_a_damaged_copy_is_mended(
    farm: KeptFarm, tmp_path: Path
) -> None:
    backups = tmp_path / "backups"
    damage(farm.store_folder, farm.output)
    farm.back_up(backups)
    damage(backups / ARTIFACTS, farm.snapshot)
    made, record = farm.back_up(backups, NOW + 60)
    assert record.missing == (farm.output,)
    assert set(check_backup(made, record, quiet)) == {farm.snapshot, farm.transcript}


def damage(store: Path, digest: str) -> None:
    name = digest.removeprefix("sha256:")
    (store / name[:2] / name).write_bytes(b"something else")


def test_what_the_rows_do_not_have_is_told_as_missing(farm: KeptFarm, tmp_path: Path) -> None:
    with farm.database.transaction() as session:
        gone = "sha256:" + "0" * 64
        session.execute(text(f"UPDATE attempts SET snapshot = '{gone}' WHERE id = 1"))
    made, record = farm.back_up(tmp_path / "backups")
    assert record.missing == (gone,)
    check_backup(made, record, quiet)


OLD = NOW + 31 * 86_400.0


def prune_it(farm: KeptFarm, **wish: bool) -> Pruned:
    asked = PruneWish(**{"before": OLD, "gates": False, "dry_run": False, **wish})
    stores = open_prunable_stores(farm.settings)
    return prune(farm.database, farm.store, stores, asked, quiet)


@pytest.fixture
def resting(farm: KeptFarm) -> KeptFarm:
    """Nothing is at work, and all artifacts are old."""
    with farm.database.transaction() as session:
        assert expire(session, NOW + 2 * TERMS.lease_s, 10) == [5]
        active = (CampaignState.RUNNING,)
        assert change_campaign(session, farm.going, active, CampaignState.PAUSED)
    for path in (farm.store_folder).glob("??/*"):
        os.utime(path, (NOW, NOW))
    return farm


def test_only_what_no_row_names_is_pruned(resting: KeptFarm) -> None:
    young = resting.store.put(b"kept by somebody a moment ago")
    assert prune_it(resting, dry_run=True).artifacts == 1
    assert resting.store.has(resting.stray)
    done = prune_it(resting)
    assert (done.artifacts, done.bytes_freed) == (1, len(b"nobody names this"))
    assert not resting.store.has(resting.stray)
    for digest in (resting.output, resting.transcript, resting.snapshot, young):
        assert resting.store.has(digest)
    assert prune_it(resting).artifacts == 0


def test_what_is_put_again_is_young_again(resting: KeptFarm) -> None:
    assert resting.store.put(b"nobody names this") == resting.stray
    assert prune_it(resting).artifacts == 0


def test_links_lead_pruning_nowhere(resting: KeptFarm, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    name = "ab" + 62 * "0"
    elsewhere.mkdir()
    (elsewhere / name).write_bytes(b"not an artifact of this store")
    os.utime(elsewhere / name, (NOW, NOW))
    (resting.store_folder / "ab").symlink_to(elsewhere)
    (resting.store_folder / "drafts").rename(tmp_path / "away")
    (resting.store_folder / "drafts").symlink_to(elsewhere)
    assert prune_it(resting).artifacts == 1
    FolderArtifacts(resting.store_folder).sweep(OLD)
    resting.store.remove(f"sha256:{name}")
    assert (elsewhere / name).exists()


def test_nothing_is_pruned_while_a_run_is_at_work(farm: KeptFarm) -> None:
    with pytest.raises(Refused, match="at work"):
        prune_it(farm)
    assert farm.store.has(farm.stray)


def test_the_evidence_of_a_gate_goes_once_it_was_decided_again(resting: KeptFarm) -> None:
    decide = text(
        "INSERT INTO gate_decisions (task, language, universe, colour, toolchain, isolation, "
        "campaign_id, decided_at, document) VALUES "
        "(:task, 'go', 'sha256:u', 'green', '', '', :campaign, 1.0, '{}')"
    )
    with resting.database.transaction() as session:
        session.execute(text(f"UPDATE campaigns SET kind = 'gate', ended_at = {NOW}"))
        session.execute(decide, {"task": "one", "campaign": resting.ended})
    assert prune_it(resting, gates=True).artifacts == 1, "the newest decision keeps its evidence"
    assert resting.store.has(resting.snapshot)
    with resting.database.transaction() as session:
        session.execute(decide, {"task": "one", "campaign": "a-newer-one"})
    assert prune_it(resting).artifacts == 0
    assert prune_it(resting, gates=True).artifacts == 3
    assert not resting.store.has(resting.snapshot)


def test_every_column_of_a_digest_is_known_as_an_artifact_or_not() -> None:
    columns = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if getattr(column.type, "length", None) == AttemptRow.__table__.c.snapshot.type.length
    }
    artifacts = {(table, name) for table, names in ARTIFACT_COLUMNS.items() for name in names}
    assert columns == artifacts | DIGESTS_OF_CONTENT
