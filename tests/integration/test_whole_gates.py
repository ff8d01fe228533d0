"""A whole gate on a compiled language, done in the test's own process."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from models.clock import SystemClock
from models.errors import FarmError
from models.migrations.upgrade import upgrade_database
from models.schemas.check_report import CheckReport
from models.schemas.gate import (
    REFERENCE,
    STARTER,
    Control,
    GateColour,
    ParityDecision,
    SubjectRow,
    control_subject,
)
from models.schemas.run import Stage
from models.schemas.run_filter import RunFilter
from models.settings import read_settings
from models.storage.results import find_report
from models.storage.runs import find_run, list_runs
from models.storage.transaction import Database, open_database
from models.verdicts import CheckOutcome
from scheduler.campaign_lifecycle import start_campaign
from scheduler.gate_campaigns import gate_spec
from scheduler.gate_deciding import decide_gate
from scheduler.gates.proof_cost import proof_cost
from tasks_catalog.catalog import Catalog, open_catalog
from tests.conftest import miss
from tests.integration.copied_catalog import write_copied_catalog
from workers.hands import HandsOnDemand, WorkerPlan
from workers.jobs import run_job
from workers.machine_probe import probe_machine

pytestmark = pytest.mark.real

P, W, T = CheckOutcome.PASSED, CheckOutcome.WRONG, CheckOutcome.TIMEOUT


@dataclass
class Gates:
    """A farm of one process that runs whole gates of one small task."""

    database: Database
    catalog: Catalog
    hands: HandsOnDemand

    def prove(self, repeats: int) -> ParityDecision:
        """Run the gate of the task to its decision."""
        clock = SystemClock()
        spec = gate_spec(self.catalog.task("counting"), ("copied",), repeats)
        gate = start_campaign(self.database, self.catalog, spec, clock, unproven=True)
        with self.database.read() as session:
            runs = list_runs(session, RunFilter(campaign_id=gate))
        for run in runs:
            for stage in (Stage.AGENT, Stage.GRADE):
                run_job(self.hands, run.id, stage)
        [decision] = decide_gate(self.database, self.catalog, gate, clock)
        return decision

    def report(self, row: SubjectRow, repeat: int = 1) -> CheckReport:
        """The report of one repeat of a subject, as its grader kept it."""
        with self.database.read() as session:
            found = find_report(session, row.run_ids[repeat - 1])
        assert found is not None
        return CheckReport.model_validate_json(self.hands.get().artifacts.get(found.report))


@pytest.fixture(scope="module")
def gates() -> Iterator[Gates]:
    root = Path(tempfile.mkdtemp(prefix="gradefarm-gates-", dir="/var/tmp"))
    root.chmod(0o755)
    kept = tempfile.tempdir
    write_copied_catalog(root)
    settings = read_settings(
        {
            "GRADEFARM_HOME": str(root / "home"),
            "GRADEFARM_SCRATCH": str(root / "scratch"),
            "GRADEFARM_CATALOG_PUBLIC": str(root / "tasks"),
            "GRADEFARM_CATALOG_SEALED": str(root / "tasks"),
            "GRADEFARM_LANGUAGES": str(root / "languages"),
        }
    )
    try:
        machine = probe_machine(settings)
    except FarmError as error:
        miss(str(error))
    label = machine.isolation_label
    plan = WorkerPlan(
        settings, "tester@here", machine.languages | machine.cold, label, holds_sealed=True
    )
    (root / "home").mkdir(exist_ok=True)
    upgrade_database(settings.database_url)
    database = open_database(settings.database_url)
    hands = HandsOnDemand(plan)
    tasks = settings.catalog_public
    yield Gates(database, open_catalog(tasks, tasks, settings.languages), hands)
    hands.close()
    database.close()
    tempfile.tempdir = kept
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def proved(gates: Gates) -> ParityDecision:
    return gates.prove(3)


def rows(decision: ParityDecision) -> dict[str, SubjectRow]:
    return {row.subject: row for row in decision.rows}


def test_a_sound_verifier_is_green_with_all_of_its_controls(proved: ParityDecision) -> None:
    assert (proved.colour, proved.reasons) == (GateColour.GREEN, ())
    assert {subject: tuple(row.outcomes.values()) for subject, row in rows(proved).items()} == {
        REFERENCE: (P, P, P),
        STARTER: (P, P, W),
        "fault:one-less": (W, P, W),
        "control:exit": (W, P, W),
        "control:forged-pass": (W, W, W),
        "control:visible-examples": (P, P, W),
        "control:sleep": (T, T, T),
        "control:echo": (W, P, W),
        "control:every-answer": (W, W, W),
    }


def test_a_program_is_built_once_and_the_reference_once_more_to_be_sure(
    proved: ParityDecision,
) -> None:
    made = {
        row.subject: [not run.evidence.build_cached for run in row.runs if run.evidence]
        for row in proved.rows
    }
    assert made[REFERENCE] == [True, True, False]
    assert made[STARTER] == [True]
    assert made["fault:one-less"] == [True]
    controls = [
        built for subject in made if subject.startswith("control:") for built in made[subject]
    ]
    assert sorted(controls) == [False, False, False, False, False, True]
    cost = proof_cost([proved])
    assert (cost.runs, cost.builds, cost.spared) == (11, 5, 6)
    assert 0 < cost.build_cpu_s < cost.cpu_s


def test_a_gate_that_is_run_again_builds_the_first_reference_alone(
    gates: Gates, proved: ParityDecision
) -> None:
    again = gates.prove(2)
    assert again.colour is GateColour.GREEN
    assert proof_cost([again]).builds == 1
    assert again.parts == proved.parts
    assert "check hidden-lines" in again.parts
    assert "file public/copied/tests/note.txt" in again.parts


def test_repeats_ask_in_other_orders_and_report_in_the_plans(
    gates: Gates, proved: ParityDecision
) -> None:
    reference = rows(proved)[REFERENCE]
    reports = [gates.report(reference, repeat) for repeat in (1, 2, 3)]
    asked = [report.asked for report in reports]
    assert asked[0] == ()
    assert len({proved.checks, *asked[1:]}) == 3
    assert {tuple(check.id for check in report.checks) for report in reports} == {proved.checks}
    places = [run.evidence.asked for run in reference.runs if run.evidence]
    assert tuple(proved.checks[place] for place in places[1]) == asked[1]


def test_the_first_reference_alone_tells_what_junk_did_to_the_comparators(
    gates: Gates, proved: ParityDecision
) -> None:
    reference = rows(proved)[REFERENCE]
    probes = [gates.report(reference, repeat).probe for repeat in (1, 2)]
    assert probes[0] is not None
    assert probes[0].answers > 60
    assert probes[0].faults == ()
    assert probes[1] is None


def test_only_the_sleeper_is_cut_short_and_the_report_says_so(
    gates: Gates, proved: ParityDecision
) -> None:
    for control in Control:
        report = gates.report(rows(proved)[control_subject(control)])
        assert (report.wall_cap_s is not None) is (control is Control.SLEEP)
    sleeper = gates.report(rows(proved)["control:sleep"])
    for check in sleeper.checks:
        assert check.evidence is not None
        assert check.evidence.wall_s < 10


def test_no_hidden_answer_reaches_a_snapshot(gates: Gates, proved: ParityDecision) -> None:
    for control in Control:
        with gates.database.read() as session:
            run = find_run(session, rows(proved)[control_subject(control)].run_ids[0])
        assert run.snapshot
        frozen = gates.hands.get().artifacts.get(run.snapshot)
        assert b"third" not in frozen
