"""From a campaign file's content to runs, past the gates, to the end."""

from pathlib import Path

import pytest
from sqlalchemy import update

from models.clock import FixedClock
from models.errors import InvalidInput, Refused
from models.schemas.attempt import StageVoid
from models.schemas.budget import Budget
from models.schemas.campaign import CampaignKind, CampaignSpec, CampaignState
from models.schemas.check_report import ComparatorProbe
from models.schemas.gate import (
    FAULT_PREFIX,
    STARTER,
    Control,
    GateColour,
    ParityDecision,
    control_subject,
)
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.storage.campaigns import campaign_row, find_campaign
from models.storage.gates import decisions_of, find_decision, save_decision
from models.storage.leases import claim, finish_agent, finish_grade, void_attempt
from models.storage.public_digests import variants_in_use
from models.storage.runs import list_runs
from models.storage.transaction import Database
from models.tables.campaigns import CampaignRow
from models.tables.variants import VariantRow
from models.verdicts import CheckOutcome, Verdict, VoidCategory
from scheduler.campaign_lifecycle import start_campaign
from scheduler.campaign_upkeep import finish_campaigns
from scheduler.gate_campaigns import gate_spec
from scheduler.gate_deciding import decide_gate
from scheduler.public_restating import restate_public_digests
from tasks_catalog.catalog import Catalog, open_catalog
from tests.benchmarks.trivial_catalog import write_catalog
from tests.fakes.campaigns import NOW, TERMS, agent_result, campaign_spec, grade_result
from tests.unit.tasks_catalog.small_package import write_languages, write_package

CLOCK = FixedClock(NOW)
VOID = StageVoid(category=VoidCategory.UNKNOWN, detail="")
WRONG, TIMEOUT = CheckOutcome.WRONG, CheckOutcome.TIMEOUT
CHECKS = ("shown-sum", "hidden-sum", "hidden-zero")
FAILS: dict[str, dict[str, CheckOutcome]] = {
    "reference": {},
    STARTER: {"hidden-sum": WRONG},
    FAULT_PREFIX + "drops-sign": {"hidden-sum": WRONG},
    **{control_subject(one): dict.fromkeys(CHECKS, WRONG) for one in Control},
    "control:sleep": dict.fromkeys(CHECKS, TIMEOUT),
    "control:visible-examples": dict.fromkeys(CHECKS[1:], WRONG),
}
PROBE = ComparatorProbe(answers=1)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    languages = write_languages(tmp_path)
    tasks = tmp_path / "tasks"
    write_package(tasks)
    return open_catalog(tasks, tasks, languages)


def spec_of(*languages: str) -> CampaignSpec:
    return campaign_spec().model_copy(update={"tasks": ("adder",), "languages": languages})


def test_a_budget_that_pays_for_no_run_by_the_tasks_own_time_is_refused(
    sqlite: Database, catalog: Catalog
) -> None:
    spec = spec_of("alpha").model_copy(update={"budget": Budget(wall_s=1)})
    with pytest.raises(Refused, match="would start no run") as refused:
        start_campaign(sqlite, catalog, spec, CLOCK, unproven=True)
    assert "agent_wall_s" in refused.value.remedy


def prove(database: Database, catalog: Catalog, language: str, colour: GateColour) -> None:
    decision = ParityDecision(
        task="adder",
        language=language,
        universe=catalog.variant("adder", language).universe,
        manifest_digest=catalog.manifest_digest("adder"),
        toolchain="1",
        isolation="bubblewrap",
        colour=colour,
        reasons=(),
        checks=(),
    )
    with database.transaction() as session:
        save_decision(session, decision, NOW)


def run_gate(database: Database, catalog: Catalog, campaign_id: str) -> None:
    """Execute every run of a gate as a sound verifier would."""
    with database.read() as session:
        runs = list_runs(session, RunFilter(campaign_id))
    for run in runs:
        with database.transaction() as session:
            order = claim(session, run.id, Stage.AGENT, "w", NOW, TERMS)
            assert order
            finish_agent(session, order, agent_result(), NOW)
            order = claim(session, run.id, Stage.GRADE, "w", NOW, TERMS)
            assert order
            failing = FAILS[str(order.system.settings["subject"])]
            result = grade_result(order, Verdict.FAILED if failing else Verdict.PASSED)
            outcomes = dict.fromkeys(CHECKS, CheckOutcome.PASSED) | failing
            checks = tuple(
                result.report.checks[0].model_copy(update={"id": check_id, "outcome": outcome})
                for check_id, outcome in outcomes.items()
            )
            digest = catalog.manifest_digest("adder")
            report = result.report.model_copy(
                update={"checks": checks, "manifest_digest": digest, "probe": PROBE}
            )
            finish_grade(session, order, result.model_copy(update={"report": report}), NOW)


def test_a_campaign_past_no_gate_is_refused_and_told_how_to_prove(
    sqlite: Database, catalog: Catalog
) -> None:
    prove(sqlite, catalog, "alpha", GateColour.GREEN)
    prove(sqlite, catalog, "beta", GateColour.RED)
    with pytest.raises(Refused) as caught:
        start_campaign(sqlite, catalog, spec_of("*"), CLOCK, unproven=False)
    assert "adder/beta" in str(caught.value)
    assert "adder/alpha" not in str(caught.value)
    assert "gradefarm gate run --task adder" in str(caught.value)


def test_a_proved_campaign_starts_with_all_of_its_runs(sqlite: Database, catalog: Catalog) -> None:
    prove(sqlite, catalog, "alpha", GateColour.GREEN)
    started = start_campaign(sqlite, catalog, spec_of("alpha"), CLOCK, unproven=False)
    with sqlite.read() as session:
        campaign = find_campaign(session, started)
        runs = list_runs(session, RunFilter(started))
    assert (campaign.state, campaign.unproven) == (CampaignState.RUNNING, False)
    assert [(run.repeat, run.system) for run in runs] == [
        (1, "system-0"),
        (1, "system-1"),
        (2, "system-0"),
        (2, "system-1"),
    ]
    assert {run.universe for run in runs} == {catalog.variant("adder", "alpha").universe}


def test_an_unproven_start_marks_the_campaign_only_where_a_proof_is_missing(
    sqlite: Database, catalog: Catalog
) -> None:
    prove(sqlite, catalog, "alpha", GateColour.GREEN)
    proved = start_campaign(sqlite, catalog, spec_of("alpha"), CLOCK, unproven=True)
    unproved = start_campaign(sqlite, catalog, spec_of("alpha", "beta"), CLOCK, unproven=True)
    with sqlite.read() as session:
        assert not find_campaign(session, proved).unproven
        assert find_campaign(session, unproved).unproven


def test_a_proof_ends_with_its_universe(sqlite: Database, catalog: Catalog, tmp_path: Path) -> None:
    prove(sqlite, catalog, "alpha", GateColour.GREEN)
    ticket = tmp_path / "tasks" / "adder" / "public" / "ticket.md"
    ticket.write_text("# Adder\n\nAdd the numbers of every line, please.\n")
    with pytest.raises(Refused, match="adder/alpha"):
        start_campaign(sqlite, catalog, spec_of("alpha"), CLOCK, unproven=False)


def test_unknown_names_are_refused_before_anything_is_written(
    sqlite: Database, catalog: Catalog
) -> None:
    with pytest.raises(InvalidInput, match="gamma"):
        start_campaign(sqlite, catalog, spec_of("gamma"), CLOCK, unproven=True)


def test_a_gate_that_has_ended_is_decided_by_the_scheduler(
    sqlite: Database, catalog: Catalog
) -> None:
    spec = gate_spec(catalog.task("adder"), ("alpha", "beta"), 2)
    assert spec.kind is CampaignKind.GATE
    started = start_campaign(sqlite, catalog, spec, CLOCK, unproven=False)
    assert finish_campaigns(sqlite, catalog, CLOCK) == 0
    run_gate(sqlite, catalog, started)
    assert finish_campaigns(sqlite, catalog, CLOCK) == 1
    with sqlite.read() as session:
        assert find_campaign(session, started).state is CampaignState.FINISHED
        kept = decisions_of(session, started)
        universe = catalog.variant("adder", "beta").universe
        beta = find_decision(session, "adder", "beta", universe)
    assert beta is not None
    assert (beta.colour, beta.campaign_id) == (GateColour.GREEN, started)
    assert decide_gate(sqlite, catalog, started, CLOCK) == kept
    assert start_campaign(sqlite, catalog, spec_of("*"), CLOCK, unproven=False)


def test_a_gate_that_can_not_be_decided_still_ends(
    sqlite: Database, catalog: Catalog, tmp_path: Path
) -> None:
    spec = gate_spec(catalog.task("adder"), ("alpha",), 1)
    started = start_campaign(sqlite, catalog, spec, CLOCK, unproven=False)
    run_gate(sqlite, catalog, started)
    (tmp_path / "tasks" / "adder" / "task.toml").unlink()
    assert finish_campaigns(sqlite, catalog, CLOCK) == 1
    with sqlite.read() as session:
        [kept] = decisions_of(session, started)
        found = find_campaign(session, started)
    assert (kept.colour, kept.language) == (GateColour.INCONCLUSIVE, "alpha")
    assert "no task adder" in kept.reasons[0].text
    assert found.state is CampaignState.FINISHED
    assert "no task adder" in found.problem


def test_what_fails_for_one_campaign_holds_up_no_other(sqlite: Database, catalog: Catalog) -> None:
    first, second = [
        start_campaign(
            sqlite, catalog, gate_spec(catalog.task("adder"), (one,), 1), CLOCK, unproven=False
        )
        for one in ("alpha", "beta")
    ]
    for each in (first, second):
        run_gate(sqlite, catalog, each)
    with sqlite.transaction() as session:
        # A row that an older version might have left.
        broken = update(CampaignRow).where(CampaignRow.id == first).values(spec="{}")
        session.execute(broken)
    assert finish_campaigns(sqlite, catalog, CLOCK) == 2
    with sqlite.read() as session:
        assert "ValidationError" in campaign_row(session, first).problem
        assert [one.colour for one in decisions_of(session, first)] == [GateColour.INCONCLUSIVE]
        assert [one.colour for one in decisions_of(session, second)] == [GateColour.GREEN]
    assert finish_campaigns(sqlite, catalog, CLOCK) == 0


def test_a_gate_on_a_task_with_one_check_is_decided(sqlite: Database, tmp_path: Path) -> None:
    tasks, languages = write_catalog(tmp_path, (1,))
    catalog = open_catalog(tasks, tasks, languages)
    task = catalog.tasks()[0]
    assert len(task.check_ids) == 1
    started = start_campaign(
        sqlite, catalog, gate_spec(task, task.languages, 1), CLOCK, unproven=False
    )
    for _ in range(3):
        with sqlite.read() as session:
            runs = list_runs(session, RunFilter(started))
        for run in runs:
            with sqlite.transaction() as session:
                if order := claim(session, run.id, Stage.AGENT, "w", NOW, TERMS):
                    void_attempt(session, order, VOID, NOW)
    assert finish_campaigns(sqlite, catalog, CLOCK) == 1
    with sqlite.read() as session:
        assert find_campaign(session, started).problem == ""
        assert {one.colour for one in decisions_of(session, started)} == {GateColour.INCONCLUSIVE}


def test_what_was_planned_with_older_public_digests_counts_as_planned_with_todays(
    sqlite: Database, catalog: Catalog
) -> None:
    spec = gate_spec(catalog.task("adder"), ("alpha", "beta"), 1)
    start_campaign(sqlite, catalog, spec, CLOCK, unproven=False)
    older = update(VariantRow).where(VariantRow.language == "alpha").values(public_digest="old")
    with sqlite.transaction() as session:
        session.execute(older)
    start_campaign(
        sqlite, catalog, gate_spec(catalog.task("adder"), ("alpha",), 1), CLOCK, unproven=False
    )
    other = update(VariantRow).where(VariantRow.language == "beta")
    with sqlite.transaction() as session:
        session.execute(other.values(public_digest="old too", universe="another"))
    assert restate_public_digests(sqlite, catalog) == 1
    assert restate_public_digests(sqlite, catalog) == 0
    with sqlite.read() as session:
        used = list(variants_in_use(session).values())
    assert [one for one in used if one.language == "alpha"] == [catalog.variant("adder", "alpha")]
    assert [one.public_digest for one in used if one.language == "beta"] == ["old too"]
