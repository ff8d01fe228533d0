"""What even a green gate doesn't prove is said by it, and on every board."""

from pathlib import Path

import pytest

from models.migrations.upgrade import upgrade_database
from models.schemas.check import SuiteCheck
from models.schemas.gate import GateColour, GateReason, GateRule, ParityDecision, ParityExpectation
from models.schemas.task import Fault, FaultKind, TaskManifest
from models.settings import read_settings
from models.storage.campaigns import find_campaign
from models.storage.gates import save_decision
from scheduler.boards.board_text import render_board
from scheduler.farm_access.local_farm import LocalFarm
from scheduler.gates.controls import control_expectations
from scheduler.gates.limits_of_proof import limits_of_proof
from scheduler.gates.matrix_text import reason_lines
from scheduler.gates.parity import decide_parity
from tests.fakes.campaigns import NOW, UNIVERSE, campaign_spec, write_campaign

FAULT = Fault(id="off", kind=FaultKind.BOUNDARY, title="Off by one", required=("one",))
EXPECTATION = ParityExpectation(
    task="adder",
    language="python",
    universe="u",
    manifest_digest="m",
    checks=("suite-runs", "one"),
    starter_fails=(),
    starter_may_fail=("one",),
)


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"faults": (FAULT,)}, []),
        ({}, [GateRule.NO_PLANTED_FAULTS]),
        ({"uses_suite": True}, [GateRule.NATIVE_SUITE, GateRule.NO_PLANTED_FAULTS]),
        ({"uses_suite": True, "faults": (FAULT,)}, [GateRule.NATIVE_SUITE]),
    ],
)
def test_suites_and_the_lack_of_faults_are_told_and_block_nothing(
    changes: dict[str, object], rules: list[GateRule]
) -> None:
    reasons = list(limits_of_proof(EXPECTATION.model_copy(update=changes)))
    assert [reason.rule for reason in reasons] == rules
    assert not any(reason.blocks for reason in reasons)


def test_a_decision_shows_them() -> None:
    decision = decide_parity(EXPECTATION.model_copy(update={"uses_suite": True}), [])
    text = " ".join("\n".join(reason_lines(decision.reasons)).split())
    assert "Good to know:" in text
    assert "share a process with the code that they judge" in text
    assert "no faults are planted" in text


def test_no_single_test_of_a_suite_binds_a_control() -> None:
    checks = tuple(SuiteCheck(id=one, title=one, transport="suite") for one in EXPECTATION.checks)
    manifest = TaskManifest.model_validate(
        {
            "schema": 1,
            "kind": "ticket",
            "id": "adder",
            "title": "Adder",
            "version": 1,
            "languages": ["python"],
            "limits": {"agent_wall_s": 60},
            "checks": [
                {"id": one.id, "title": one.title, "visibility": shown, "transport": "suite"}
                for one, shown in zip(checks, ("visible", "hidden"), strict=True)
            ],
            "starter": {"may_fail": ["one"]},
        }
    )
    for owed in control_expectations(manifest, checks):
        assert (owed.required, owed.permitted) == ((), EXPECTATION.checks)
        assert not owed.must_build


@pytest.mark.parametrize("uses_suite", [True, False])
def test_a_board_names_the_tasks_that_a_suite_asks(tmp_path: Path, uses_suite: bool) -> None:
    settings = read_settings({"GRADEFARM_HOME": str(tmp_path)})
    upgrade_database(settings.database_url)
    farm = LocalFarm(settings)
    campaign_id = write_campaign(farm.database, campaign_spec(systems=1))
    reason = GateReason(rule=GateRule.NATIVE_SUITE, text="weaker", blocks=False)
    decision = ParityDecision(
        task="circuit-breaker",
        language="python",
        universe=UNIVERSE,
        manifest_digest="",
        toolchain="python 3.11.2",
        isolation="bubblewrap",
        colour=GateColour.GREEN,
        reasons=(reason,) if uses_suite else (),
        checks=(),
    )
    with farm.database.transaction() as session:
        save_decision(session, decision, NOW)
        campaign = find_campaign(session, campaign_id)
    board = farm.boards.board_of([campaign])
    assert board.suite_tasks == (("circuit-breaker",) if uses_suite else ())
    assert ("! NATIVE SUITE: circuit-breaker." in render_board(board)) is uses_suite
