"""Decisions are found by universe and tools; what gates keep of their runs comes back as it was."""

from models.schemas.agents import SUBJECT_AGENT
from models.schemas.campaign import CampaignKind, SystemSpec
from models.schemas.check_report import CheckEvidence, ComparatorProbe
from models.schemas.gate import GateColour, ParityDecision
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.storage.gates import (
    collect_gate_runs,
    find_decision,
    last_decision,
    proved_toolchains,
    save_decision,
)
from models.storage.leases import claim, finish_agent, finish_grade
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.verdicts import Verdict
from tests.fakes.campaigns import (
    MANIFEST,
    NOW,
    TERMS,
    UNIVERSE,
    agent_result,
    campaign_spec,
    grade_result,
    write_campaign,
)

GREEN, RED, OPEN = GateColour.GREEN, GateColour.RED, GateColour.INCONCLUSIVE
OLD, NEW = ("go 1.26.8", "bubblewrap"), ("go 1.26.9", "bubblewrap")


def decided(
    database: Database,
    colour: GateColour,
    tools: tuple[str, str],
    universe: str = UNIVERSE,
) -> ParityDecision:
    decision = ParityDecision(
        task="cache",
        language="go",
        universe=universe,
        manifest_digest=MANIFEST,
        toolchain=tools[0],
        isolation=tools[1],
        colour=colour,
        reasons=(),
        checks=("one", "two"),
        parts={"check one": "1a"},
    )
    with database.transaction() as session:
        save_decision(session, decision, NOW)
    return decision


def test_a_proof_holds_for_the_tools_that_it_was_made_with(database: Database) -> None:
    old, new = decided(database, GREEN, OLD), decided(database, RED, NEW)
    with database.read() as session:
        assert find_decision(session, "cache", "go", UNIVERSE) == new
        assert find_decision(session, "cache", "go", UNIVERSE, [OLD]) == old
        assert find_decision(session, "cache", "go", UNIVERSE, [OLD, NEW]) == new
        assert find_decision(session, "cache", "go", UNIVERSE, [("go 1.27", "bubblewrap")]) is None
        assert find_decision(session, "cache", "go", UNIVERSE, [(OLD[0], "unisolated")]) is None
        assert proved_toolchains(session, "cache", "go", UNIVERSE) == (OLD[0],)


def test_an_inconclusive_decision_opens_the_proof_again_whatever_its_tools(
    database: Database,
) -> None:
    decided(database, GREEN, OLD)
    undecided = decided(database, OPEN, ("", ""))
    with database.read() as session:
        assert find_decision(session, "cache", "go", UNIVERSE, [OLD]) == undecided


def test_an_inconclusive_decision_lets_no_other_tools_in(database: Database) -> None:
    decided(database, OPEN, OLD)
    with database.read() as session:
        assert proved_toolchains(session, "cache", "go", UNIVERSE) == ()
    decided(database, GREEN, OLD)
    decided(database, OPEN, NEW)
    decided(database, OPEN, ("", ""))
    with database.read() as session:
        assert proved_toolchains(session, "cache", "go", UNIVERSE) == (OLD[0],)


def test_the_last_decision_is_that_of_any_universe(database: Database) -> None:
    decided(database, GREEN, OLD)
    last = decided(database, RED, OLD, universe=MANIFEST)
    with database.read() as session:
        assert last_decision(session, "cache", "go") == last
        assert last_decision(session, "cache", "rust") is None


def test_what_a_gate_keeps_of_a_run_comes_back_with_it(database: Database) -> None:
    settings = {"subject": "reference", "repeat": 2}
    system = SystemSpec.model_validate(
        {"name": "one", "agent": SUBJECT_AGENT, "settings": settings}
    )
    spec = campaign_spec(repeats=1, kind=CampaignKind.GATE)
    gate = write_campaign(database, spec.model_copy(update={"systems": (system,)}))
    with database.read() as session:
        [run] = list_runs(session, RunFilter(gate))
    with database.transaction() as session:
        order = claim(session, run.id, Stage.AGENT, "w", NOW, TERMS)
        assert order
        finish_agent(session, order, agent_result(), NOW)
        order = claim(session, run.id, Stage.GRADE, "w", NOW, TERMS)
        assert order
        result = grade_result(order, Verdict.PASSED)
        evidence = CheckEvidence(ending="exited", wall_s=0.25, cpu_s=0.125)
        checks = tuple(
            check.model_copy(update={"evidence": evidence}) for check in result.report.checks
        )
        facts = {"checks": checks, "asked": ("two", "one"), "probe": ComparatorProbe(answers=9)}
        report = result.report.model_copy(update=facts)
        finish_grade(session, order, result.model_copy(update={"report": report}), NOW)
    with database.read() as session:
        [[found]] = collect_gate_runs(session, gate).values()
    assert (found.subject, found.repeat) == ("reference", 2)
    assert found.evidence is not None
    assert found.evidence.asked == (1, 0)
    assert found.evidence.check_ms == (250, 250)
    assert (found.evidence.wall_s, found.evidence.cpu_s) == (0.5, 0.25)
    assert found.evidence.probe == ComparatorProbe(answers=9)
