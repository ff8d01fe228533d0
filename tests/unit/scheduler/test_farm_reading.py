"""What commands read of a farm: campaigns, living workers, boards and raw output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.errors import NotFound, Refused
from models.migrations.upgrade import upgrade_database
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState, SystemSpec
from models.schemas.check_report import BuildResult, CheckEvidence
from models.schemas.gate import GateColour, ParityDecision
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.schemas.worker import WorkerRecord
from models.settings import read_settings
from models.storage.campaign_states import change_campaign
from models.storage.campaigns import find_campaign
from models.storage.gates import save_decision
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.runs import list_runs
from models.storage.workers import register_worker
from models.tables.campaigns import CampaignRow
from models.verdicts import CheckOutcome, Verdict
from scheduler.boards.board_text import render_board
from scheduler.farm_access.farm import NEWEST
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.gate_campaigns import unfinished_gate
from tests.fakes.campaigns import (
    NOW,
    TERMS,
    UNIVERSE,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)

GRADEFARM = Path(sys.executable).parent / "gradefarm"


@pytest.fixture
def farm(tmp_path: Path) -> LocalFarm:
    settings = read_settings(
        {"GRADEFARM_HOME": str(tmp_path), "GRADEFARM_BEAT_S": "1", "GRADEFARM_LEASE_S": "4"}
    )
    upgrade_database(settings.database_url)
    return LocalFarm(settings)


def stochastic(name: str, seed: int) -> SystemSpec:
    return SystemSpec(
        name=name, agent="stochastic", settings={"solve_probability": 0.5, "seed": seed}
    )


def prove(farm: LocalFarm) -> None:
    decision = ParityDecision(
        task="circuit-breaker",
        language="python",
        universe=UNIVERSE,
        manifest_digest="",
        toolchain="python 3.11.2",
        isolation="bubblewrap",
        colour=GateColour.GREEN,
        reasons=(),
        checks=(),
    )
    with farm.database.transaction() as session:
        save_decision(session, decision, NOW)


def board_text(farm: LocalFarm, *ids: str) -> str:
    with farm.database.read() as session:
        campaigns = [find_campaign(session, each) for each in ids]
    return render_board(farm.boards.board_of(campaigns), width=100, ascii_only=False)


def grade_all(farm: LocalFarm, campaign_id: str, isolation: str = "bubblewrap") -> list[int]:
    with farm.database.read() as session:
        runs = [run.id for run in list_runs(session, RunFilter(campaign_id))]
    for run_id in runs:
        with farm.database.transaction() as session:
            order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
            assert order
            finish_agent(session, order, agent_result(isolation=isolation), NOW)
            order = claim(session, run_id, Stage.GRADE, "w", NOW, TERMS)
            assert order
            finish_grade(session, order, grade_result(order, isolation=isolation), NOW)
    return runs


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"limits": {"agent_wall_s": 3_600}}, "[limits] agent_wall_s is 5.0 in demo-1 and 3600.0"),
        ({"limits": {}}, "[limits] agent_wall_s is 5.0 in demo-1 and the task's in demo-2"),
        (
            {"limits": {"agent_wall_s": 5}, "policy": {"max_attempts": 1}},
            "[policy] max_attempts is 3 in demo-1 and 1 in demo-2",
        ),
        (
            {"limits": {"agent_wall_s": 5}, "policy": {"undelivered": "excluded"}},
            "[policy] undelivered is failed in demo-1 and excluded in demo-2",
        ),
    ],
)
def test_campaigns_under_other_terms_are_not_added_up(
    farm: LocalFarm, changes: dict[str, object], said: str
) -> None:
    first = write_campaign(farm.database, campaign_spec(limits={"agent_wall_s": 5}))
    second = write_campaign(farm.database, campaign_spec(**changes))
    with pytest.raises(Refused) as caught:
        board_text(farm, first, second)
    assert said in str(caught.value)


def test_campaigns_under_the_same_terms_are_added_up_and_each_only_once(farm: LocalFarm) -> None:
    ids = [write_campaign(farm.database, campaign_spec(systems=1)) for _ in range(2)]
    for each in ids:
        grade_all(farm, each)
    with farm.database.read() as session:
        campaigns = [find_campaign(session, each) for each in (*ids, ids[0])]
    board = farm.boards.board_of(campaigns)
    assert board.campaign_ids == farm.boards.board((ids[0], NEWEST)).campaign_ids == tuple(ids)
    assert farm.campaigns.find(NEWEST).id == ids[1]
    assert board.systems[0].headline.n == 4


def test_the_same_draws_are_not_counted_twice(farm: LocalFarm) -> None:
    def start(name: str, seed: int) -> str:
        spec = campaign_spec().model_copy(update={"systems": (stochastic(name, seed),)})
        return write_campaign(farm.database, CampaignSpec.model_validate(spec.model_dump()))

    first, again, other = start("coin", 7), start("coin-too", 7), start("coin-8", 8)
    with pytest.raises(Refused, match="coin-too makes the same draws in demo-1 and demo-2"):
        board_text(farm, first, again)
    assert board_text(farm, first, other)


def test_a_campaign_that_began_unproven_stays_unproven(farm: LocalFarm) -> None:
    campaign_id = write_campaign(farm.database, campaign_spec(systems=1))
    grade_all(farm, campaign_id)
    assert "UNPROVEN" in board_text(farm, campaign_id)
    prove(farm)
    assert "UNPROVEN" not in board_text(farm, campaign_id)
    with farm.database.transaction() as session:
        session.query(CampaignRow).update({"unproven": True})
    assert "UNPROVEN" in board_text(farm, campaign_id)


@pytest.mark.parametrize(
    ("isolation", "whole"), [("bubblewrap", True), ("none without network", False), ("", False)]
)
def test_a_board_says_when_a_run_had_less_than_the_full_sandbox(
    farm: LocalFarm, isolation: str, whole: bool
) -> None:
    campaign_id = write_campaign(farm.database, campaign_spec(systems=1))
    grade_all(farm, campaign_id, isolation)
    assert ("REDUCED ISOLATION" not in board_text(farm, campaign_id)) is whole


def test_the_newest_campaign_is_found_behind_any_number_of_gates(farm: LocalFarm) -> None:
    with pytest.raises(NotFound, match="no campaign yet"):
        farm.campaigns.find(None)
    mine = write_campaign(farm.database, campaign_spec(systems=1, repeats=1))
    gate = campaign_spec(name="gate", systems=1, repeats=1, kind=CampaignKind.GATE)
    gates = [write_campaign(farm.database, gate) for _ in range(101)]
    assert farm.campaigns.find(None).id == mine
    with farm.database.transaction() as session:
        for each in gates[1:]:
            running, over = (CampaignState.RUNNING,), CampaignState.FINISHED
            assert change_campaign(session, each, running, over, ended_at=NOW)
    found = unfinished_gate(farm.database, gate)
    assert found is not None
    assert found.id == gates[0]


def test_a_worker_lives_however_short_the_beat_of_leases_is(farm: LocalFarm) -> None:
    now = farm.clock.now()
    with farm.database.transaction() as session:
        for name, beat_at in (("alive", now - 11), ("dead", now - 40), ("stepped", now + 3_600)):
            register_worker(
                session,
                WorkerRecord(
                    name=name,
                    host="h",
                    pid=1,
                    roles=("agent",),
                    queues=(),
                    slots=1,
                    toolchains={},
                    isolation="bubblewrap",
                    started_at=now - 100,
                    beat_at=beat_at,
                ),
            )
    assert [worker.name for worker in farm.workers.living()] == ["alive"]


def gradefarm(farm: LocalFarm, *words: str) -> str:
    environment = {"PATH": os.environ["PATH"], "GRADEFARM_HOME": str(farm.settings.home)}
    shown = subprocess.run(
        [str(GRADEFARM), *words],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    return shown.stdout


def test_the_raw_output_of_checks_and_of_the_build_is_shown_short_or_long(farm: LocalFarm) -> None:
    campaign_id = write_campaign(farm.database, campaign_spec(systems=1, repeats=1))
    long = farm.artifacts.put(b"long words\n" * 1_000)
    with farm.database.read() as session:
        [run_id] = [run.id for run in list_runs(session, RunFilter(campaign_id))]
    with farm.database.transaction() as session:
        order = claim(session, run_id, Stage.AGENT, "w", NOW, TERMS)
        assert order
        finish_agent(session, order, agent_result(), NOW)
        order = claim(session, run_id, Stage.GRADE, "w", NOW, TERMS)
        assert order
        result = grade_result(order, Verdict.FAILED)
        build = BuildResult(
            needed=True,
            ok=False,
            outcome=CheckOutcome.BUILD_FAILED,
            evidence=CheckEvidence(ending="exited", exit_code=1, stderr_text="no such import"),
        )
        evidence = CheckEvidence(ending="exited", stdout_text="short words", stderr=long)
        checks = [each.model_copy(update={"evidence": evidence}) for each in result.report.checks]
        report = result.report.model_copy(update={"build": build, "checks": tuple(checks)})
        stored = farm.artifacts.put(report.model_dump_json().encode())
        kept = result.model_copy(update={"report": report, "report_artifact": stored})
        finish_grade(session, order, kept, NOW)
    shown = gradefarm(farm, "runs", "checks", str(run_id), "--output")
    assert "--- build stderr\nno such import" in shown
    assert "--- one stdout\nshort words" in shown
    assert "--- one stderr\nlong words" in shown
    assert f"more characters: artifact {long}" in shown


def test_pause_and_resume_without_a_name_mean_the_newest_that_they_can_mean(
    farm: LocalFarm,
) -> None:
    older, newer = [write_campaign(farm.database, campaign_spec(repeats=1)) for _ in range(2)]
    assert gradefarm(farm, "campaign", "pause").startswith(f"{newer} is paused")
    assert gradefarm(farm, "campaign", "pause").startswith(f"{older} is paused")
    with pytest.raises(subprocess.CalledProcessError) as caught:
        gradefarm(farm, "campaign", "pause")
    assert "gradefarm campaign list" in caught.value.stderr
    assert gradefarm(farm, "campaign", "resume") == f"{newer} goes on\n"
