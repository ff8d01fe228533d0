"""What a run leaves for those who don't trust the farm, from its first job to the verifier."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from models.clock import SystemClock
from models.errors import LeaseLost, NotFound, Refused
from models.records.event_chain import read_chain, split_lines
from models.records.key_leaves import KeyAction, trust_of
from models.records.log_leaves import leaf_name
from models.records.record_files import RecordFiles
from models.records.signing_keys import KeyRole, new_key
from models.records.verification import Gradings, VerifiedRecord, verify_record
from models.schemas.campaign import CampaignState
from models.schemas.check_report import CheckReport
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.stage_record import GradeStageRecord
from models.schemas.trust import TrustPolicy
from models.storage.artifact_opening import open_prunable_stores
from models.storage.campaign_endings import end_cancelled_runs
from models.storage.interruptions import interrupt_campaign
from models.storage.key_folder import KeyFolder
from models.storage.leases import claim, expire, finish_agent
from models.storage.packed_lines import packed
from models.storage.runs import find_run, list_runs
from models.storage.transparency_log import known_log, leaves_between
from models.tables.campaigns import CampaignRow
from models.tables.run_records import RunRecordRow
from models.verdicts import Verdict
from scheduler.campaign_upkeep import finish_campaigns
from scheduler.farm_keys import FarmKeys
from scheduler.farm_log import FarmLog
from scheduler.keeping.record_export import export_record
from scheduler.log_check import check_log
from scheduler.regrading import start_regrade
from tests.fakes.campaigns import NOW, TERMS, agent_result
from tests.integration.job_bench import Bench
from workers.run_recorder import RunRecorder, begin_record
from workers.stage_events import opening

pytestmark = pytest.mark.real


@pytest.fixture
def recorded(bench: Bench) -> tuple[Bench, FarmLog]:
    log = FarmLog(bench.database, KeyFolder(bench.hands.plan.settings.keys))
    log.begin()
    return bench, log


def trust(bench: Bench) -> TrustPolicy:
    with bench.database.read() as session:
        state = known_log(session)
        policy, faults = trust_of(state.origin, state.root_key, leaves_between(session, 0, 1_000))
    assert not faults
    return policy


def exported(bench: Bench, run: int) -> RecordFiles:
    return export_record(bench.database, bench.hands.get().artifacts, run)


def verified(bench: Bench, run: int) -> VerifiedRecord:
    return verify_record(exported(bench, run), trust(bench))


def test_a_run_leaves_a_record_that_proves_its_verdict(recorded: tuple[Bench, FarmLog]) -> None:
    bench, log = recorded
    run = bench.start("scripted", {"actions": ["echo hello; seq 3000; sleep 0.1", "exit 3"]})
    done = bench.work(run, Stage.AGENT, Stage.GRADE)
    with pytest.raises(Refused, match="does not hold this run as yet"):
        exported(bench, run)
    log.order()
    found = verified(bench, run)
    assert found.verdict is done.verdict is Verdict.FAILED
    events = read_chain(split_lines(exported(bench, run).events))
    assert found.events == len(events)
    types = [event.type for event in events]
    assert types[:2] == ["run.open", "lease"]
    first, second = (event for event in events if event.type == "command")
    # Each stands at the time when it began, though it is written when it is over.
    assert first.mono + 1000 * float(first.body["data"]["wall_s"]) <= second.mono + 1
    assert types[-2:] == ["verdict", "run.close"]
    assert found.withheld == 0
    assert found.blobs > 0
    assert found.opened_at < found.closed_at


def test_no_digest_in_the_lines_tells_what_a_hidden_check_printed(
    recorded: tuple[Bench, FarmLog],
) -> None:
    bench, log = recorded
    run = bench.start("reference")
    bench.work(run, Stage.AGENT, Stage.GRADE)
    log.order()
    files = exported(bench, run)
    events = read_chain(split_lines(files.events))
    judged = next(one for one in events if one.type == "verdict")
    document = files.blobs[judged.body["report"]["sha256"]]
    report = CheckReport.model_validate_json(document)
    printed = {one.evidence.stdout_text for one in report.checks if one.evidence is not None}
    assert len(printed - {""}) > 1
    for text in printed:
        assert hashlib.sha256(text.encode()).hexdigest().encode() not in files.events
    # Who guesses every answer does not know the salt.
    assert len(report.salt) == 64
    assert report.salt.encode() not in files.events
    assert verify_record(replace(files, blobs={}), trust(bench)).verdict is Verdict.PASSED


def test_a_run_that_is_graded_again_has_a_record_that_names_the_first_grading(
    recorded: tuple[Bench, FarmLog],
) -> None:
    bench, log = recorded
    first = bench.start("reference")
    bench.work(first, Stage.AGENT, Stage.GRADE)
    catalog = bench.hands.get().catalog
    source = bench.run(first).campaign_id
    finish_campaigns(bench.database, catalog, SystemClock())
    again = start_regrade(bench.database, catalog, source, SystemClock(), unproven=True)
    with bench.database.read() as session:
        second = list_runs(session, RunFilter(campaign_id=again))[0].id
    assert bench.work(second, Stage.GRADE).verdict is Verdict.PASSED
    log.order()
    before, after = verified(bench, first), verified(bench, second)
    assert (after.run, after.graded_as) == (str(first), str(second))
    assert after.why == f"grades run {first} again"
    assert before.opened_at == after.opened_at < before.closed_at < after.closed_at
    gradings = Gradings()
    gradings.take(before)
    gradings.take(after)
    with bench.database.read() as session:
        leaves = leaves_between(session, 0, 100)
    again = json.loads(leaves[after.closed_at][1])
    assert (again["kind"], again["graded_as"]) == ("run.regrade", str(second))
    assert again["earlier"] == leaf_name(leaves[before.closed_at][1])


def test_an_attempt_that_came_to_nothing_is_in_the_log_and_in_no_record(
    recorded: tuple[Bench, FarmLog],
) -> None:
    bench, log = recorded
    run = bench.start("scripted", {"actions": ["true"]})
    with bench.database.transaction() as session:
        late = claim(session, run, Stage.AGENT, "lost", NOW, TERMS)
        assert late is not None
        keys = bench.hands.get().keys
        recorder = begin_record(session, late, keys, SystemClock(), "lost")
        assert recorder is not None
    with bench.database.transaction() as session:
        assert expire(session, NOW + 1_000, 10) == [run]
    result = agent_result()
    sealed = result.model_copy(update={"record": recorder.close_stage(result, ())})
    with pytest.raises(LeaseLost), bench.database.transaction() as session:
        finish_agent(session, late, sealed, NOW + 1_001)
    with pytest.raises(NotFound, match="has no record"):
        exported(bench, run)
    bench.work(run, Stage.AGENT, Stage.GRADE)
    log.order()
    assert verified(bench, run).opened_at == 5
    with bench.database.read() as session:
        kinds = [json.loads(leaf)["kind"] for _, leaf in leaves_between(session, 3, 100)]
    assert kinds == ["run.open", "run.void", "run.open", "run.close"]


def test_a_key_that_took_the_place_of_another_signs_and_the_old_records_hold(
    recorded: tuple[Bench, FarmLog],
) -> None:
    bench, log = recorded
    runs = [bench.start("reference")]
    bench.work(runs[0], Stage.AGENT, Stage.GRADE)
    log.order()
    folder = KeyFolder(bench.hands.plan.settings.keys)
    changed = FarmKeys(bench.database, folder)
    changed.rotate(KeyRole.RECORDER)
    changed.rotate(KeyRole.LOG)
    runs.append(bench.start("reference"))
    bench.work(runs[1], Stage.AGENT, Stage.GRADE)
    log.order()
    for old in (one for one in changed.policy().keys if one.until is None and one.first < 3):
        if old.role != KeyRole.GRADER:
            changed.end(KeyAction.RETIRE, old.id)
    log.order()
    first, second = verified(bench, runs[0]), verified(bench, runs[1])
    assert first.signers[0] != second.signers[0]
    with pytest.raises(Refused, match="root"):
        changed.rotate(KeyRole.ROOT)


@pytest.mark.parametrize(
    ("role", "stage"), [(KeyRole.RECORDER, Stage.AGENT), (KeyRole.GRADER, Stage.GRADE)]
)
def test_a_key_that_was_exchanged_and_retired_during_a_stage_leaves_a_record_that_holds(
    recorded: tuple[Bench, FarmLog], role: KeyRole, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, log = recorded
    folder = KeyFolder(bench.hands.plan.settings.keys)
    keys, old = FarmKeys(bench.database, folder), folder.get(role)
    name = "close_stage" if stage is Stage.AGENT else "close_run"
    close = getattr(RunRecorder, name)

    def exchanged(*told: object) -> object:
        keys.rotate(role)
        log.order()
        keys.end(KeyAction.RETIRE, old.id)
        log.order()
        return close(*told)

    run = bench.start("reference")
    for one in (Stage.AGENT, Stage.GRADE):
        with monkeypatch.context() as patch:
            if one is stage:
                patch.setattr(RunRecorder, name, exchanged)
            bench.work(run, one)
    log.order()
    signed = verified(bench, run).signers
    # Its run.open names the recorder's key.
    assert (old.id in signed) == (role is KeyRole.RECORDER)


def test_a_grader_whose_key_went_during_the_stage_grades_and_does_not_sign(
    recorded: tuple[Bench, FarmLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, _ = recorded
    run = bench.start("reference")
    bench.work(run, Stage.AGENT)
    close = RunRecorder.close_run
    path = KeyFolder(bench.hands.plan.settings.keys).path(KeyRole.GRADER)

    def gone(*told: Any) -> GradeStageRecord | None:
        path.unlink()
        return close(*told)

    monkeypatch.setattr(RunRecorder, "close_run", gone)
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED
    with pytest.raises(NotFound, match="its record is open"):
        exported(bench, run)


def test_a_change_of_keys_is_whole_and_leaves_a_key_that_signs(
    recorded: tuple[Bench, FarmLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, log = recorded
    monkeypatch.setattr("scheduler.farm_keys.SETTLES_WITHIN_S", 0)
    folder = KeyFolder(bench.hands.plan.settings.keys)
    keys, old = FarmKeys(bench.database, folder), folder.get(KeyRole.GRADER)
    with pytest.raises(Refused, match="the only good grader key"):
        keys.end(KeyAction.RETIRE, old.id)
    broken_off = new_key(KeyRole.GRADER)
    folder.prepare(broken_off)
    assert keys.rotate(KeyRole.GRADER).key.id == broken_off.id
    with pytest.raises(Refused, match="waits for its place"):
        keys.end(KeyAction.RETIRE, old.id)
    log.order()
    folder.prepare(broken_off)  # as if the log had been told, and the file not put in place
    again = keys.rotate(KeyRole.GRADER)
    assert again.key.id == folder.get(KeyRole.GRADER).id == broken_off.id
    assert again.before is not None
    assert again.before.id == old.id
    keys.end(KeyAction.REVOKE, old.id)
    with pytest.raises(Refused, match="waits for its place"):
        keys.settled_policy()
    log.order()
    assert [key.revoked for key in keys.settled_policy().keys if key.id == old.id] == [True]
    good = keys.rotate(KeyRole.GRADER)
    log.order()
    assert good.before is not None
    assert good.before.id == broken_off.id
    keys.end(KeyAction.RETIRE, broken_off.id)
    log.order()
    folder.prepare(broken_off)  # as if a rotation had been broken off before its key was retired
    assert keys.rotate(KeyRole.GRADER).key.id not in (broken_off.id, good.key.id)


@pytest.mark.parametrize("lines", ["no base 64", packed([b"{}"]), "bomb"])
def test_a_stage_that_is_not_what_its_recorder_signed_is_graded_and_not_signed(
    recorded: tuple[Bench, FarmLog], lines: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, _ = recorded
    run = bench.start("reference")
    bench.work(run, Stage.AGENT)
    if lines == "bomb":
        monkeypatch.setattr("models.storage.packed_lines.MOST_BYTES", 1_000)
        lines = packed([bytes(1_001)])
    with bench.database.transaction() as session:
        session.execute(update(RunRecordRow).values(stage_lines=lines))
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED
    with pytest.raises(NotFound, match="its record is open"):
        exported(bench, run)


@pytest.mark.parametrize(
    "lie",
    [
        {"system": {"name": "better", "agent": "reference", "id": "0" * 16}},
        *({"task": "other"}, {"language": "go"}, {"repeat": 5}, {"repeat": True}),
    ],
    ids=str,
)
def test_a_stage_that_was_opened_for_something_else_is_graded_and_not_signed(
    recorded: tuple[Bench, FarmLog], lie: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, _ = recorded
    run = bench.start("reference")
    with monkeypatch.context() as patch:
        patch.setattr("workers.run_recorder.opening", lambda *told: opening(*told) | lie)
        bench.work(run, Stage.AGENT)
    told: list[str] = []
    monkeypatch.setattr(
        "workers.run_recorder.log_event", lambda *_, error, **__: told.append(error)
    )
    assert bench.work(run, Stage.GRADE).verdict is Verdict.PASSED
    assert [next(iter(lie)) in error for error in told] == [True]
    with pytest.raises(NotFound, match="its record is open"):
        exported(bench, run)


@pytest.mark.parametrize("how", ["pause", "cancel"])
def test_an_attempt_that_the_operator_stopped_is_in_the_log_as_void(
    recorded: tuple[Bench, FarmLog], how: str
) -> None:
    bench, log = recorded
    run = bench.start("scripted", {"actions": ["true"]})
    with bench.database.transaction() as session:
        order = claim(session, run, Stage.AGENT, "stopped", NOW, TERMS)
        assert order is not None
        begin_record(session, order, bench.hands.get().keys, SystemClock(), "stopped")
        campaign = find_run(session, run).campaign_id
    with bench.database.transaction() as session:
        if how == "pause":
            interrupt_campaign(session, campaign, NOW)
        else:
            session.execute(update(CampaignRow).values(state=CampaignState.CANCELLED))
            end_cancelled_runs(session, campaign, NOW, 10)
    log.order()
    found = check_log(bench.database).findings
    assert (found.opened, found.void, found.open, found.faults) == (1, 1, [], [])


def test_a_worker_without_its_key_works_and_records_nothing(
    recorded: tuple[Bench, FarmLog], tmp_path: Path
) -> None:
    bench, _ = recorded
    bench.hands.get().keys.folder = KeyFolder(tmp_path / "no-keys")
    run = bench.start("reference")
    assert bench.work(run, Stage.AGENT, Stage.GRADE).verdict is Verdict.PASSED
    with pytest.raises(NotFound, match="has no record"):
        exported(bench, run)
    with pytest.raises(NotFound, match="there is no run 99999"):
        exported(bench, 99_999)


def test_a_worker_whose_key_can_not_be_read_works_and_records_nothing(
    recorded: tuple[Bench, FarmLog], tmp_path: Path
) -> None:
    bench, _ = recorded
    for role in (KeyRole.RECORDER, KeyRole.GRADER):
        (tmp_path / f"{role}.pem").write_text("no key")
    bench.hands.get().keys.folder = KeyFolder(tmp_path)
    run = bench.start("reference")
    assert bench.work(run, Stage.AGENT, Stage.GRADE).verdict is Verdict.PASSED


def test_a_blob_that_the_store_lost_is_withheld(recorded: tuple[Bench, FarmLog]) -> None:
    bench, log = recorded
    run = bench.start("scripted", {"actions": ["seq 3000"]})
    bench.work(run, Stage.AGENT, Stage.GRADE)
    log.order()
    files = exported(bench, run)
    for name in files.blobs:
        for store in open_prunable_stores(bench.hands.plan.settings):
            store.remove(f"sha256:{name}")
    fewer = exported(bench, run)
    assert len(fewer.blobs) < len(files.blobs)
    assert verify_record(fewer, trust(bench)).withheld > 0
    assert verify_record(replace(files, blobs={}), trust(bench)).blobs == 0
