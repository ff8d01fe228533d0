"""What is proved already, what has to be proved again and why, and what a gate sends."""

from pathlib import Path

import pytest

from models.clock import FixedClock
from models.schemas.campaign import CampaignSpec
from models.schemas.gate import Control, GateColour, ParityDecision, control_subject
from models.storage.gates import save_decision
from models.storage.transaction import Database
from scheduler.campaign_lifecycle import start_campaign
from scheduler.gate_campaigns import (
    SLEEP_WALL_S,
    gate_spec,
    outdated_gates,
    proofs_of,
    unfinished_gate,
)
from tasks_catalog.catalog import Catalog, open_catalog
from tests.fakes.campaigns import NOW
from tests.unit.tasks_catalog.small_package import write_languages, write_package

VARIANTS = [("adder", "alpha"), ("adder", "beta")]
TOOLS = ("tool 1", "bubblewrap")


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    languages = write_languages(tmp_path)
    write_package(tmp_path / "tasks")
    return open_catalog(tmp_path / "tasks", tmp_path / "tasks", languages)


def prove(database: Database, catalog: Catalog, colour: GateColour = GateColour.GREEN) -> None:
    with database.transaction() as session:
        for task, language in VARIANTS:
            decision = ParityDecision(
                task=task,
                language=language,
                universe=catalog.variant(task, language).universe,
                manifest_digest=catalog.manifest_digest(task),
                toolchain=TOOLS[0],
                isolation=TOOLS[1],
                colour=colour,
                reasons=(),
                checks=catalog.task(task).check_ids,
                parts=catalog.universe_details(task, language),
            )
            save_decision(session, decision, NOW)


def because(database: Database, catalog: Catalog, **serving: str) -> list[tuple[str, ...]]:
    tools = {language: [(toolchain, TOOLS[1])] for language, toolchain in serving.items()}
    return [proof.because for proof in proofs_of(database, catalog, VARIANTS, tools)]


def test_what_was_never_proved_says_so_and_what_is_proved_says_nothing(
    sqlite: Database, catalog: Catalog
) -> None:
    assert because(sqlite, catalog) == [("never proved before",)] * 2
    prove(sqlite, catalog)
    assert because(sqlite, catalog) == [(), ()]
    assert because(sqlite, catalog, alpha="tool 1", beta="tool 1") == [(), ()]
    assert all(proof.is_green for proof in proofs_of(sqlite, catalog, VARIANTS))


@pytest.mark.parametrize("colour", [GateColour.RED, GateColour.INCONCLUSIVE])
def test_a_gate_that_was_not_green_is_run_again(
    colour: GateColour, sqlite: Database, catalog: Catalog
) -> None:
    prove(sqlite, catalog, colour)
    assert because(sqlite, catalog) == [(f"its last gate was {colour}",)] * 2


def test_another_toolchain_on_the_workers_opens_only_its_own_language(
    sqlite: Database, catalog: Catalog
) -> None:
    prove(sqlite, catalog)
    assert because(sqlite, catalog, alpha="tool 2", beta="tool 1") == [
        ("toolchain tool 1 → tool 2",),
        (),
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "alpha", "beta"),
    [
        (
            "sealed/hidden_checks.json",
            "-1000001",
            "-1000002",
            "check hidden-sum changed",
            "check hidden-sum changed",
        ),
        (
            "public/alpha/main.txt",
            "unsolved",
            "not solved",
            "file public/alpha/main.txt changed",
            "",
        ),
        (
            "sealed/beta/faults/drops-sign.patch",
            "without sign",
            "with no sign",
            "",
            "file sealed/beta/faults/drops-sign.patch changed",
        ),
        ("task.toml", "The sign is", "A sign is", *["fault drops-sign changed"] * 2),
        ("public/ticket.md", "Add", "Sum up", *["ticket changed"] * 2),
        ("../../languages/alpha.toml", '"/w/main.txt"', '"/w/m.txt"', "language changed", ""),
    ],
)
def test_a_change_opens_what_depends_on_it_and_is_named(
    file: str, old: str, new: str, alpha: str, beta: str, sqlite: Database, catalog: Catalog,
    tmp_path: Path,
) -> None:  # fmt: skip
    prove(sqlite, catalog)
    path = tmp_path / "tasks" / "adder" / file
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new))
    assert because(sqlite, catalog) == [(alpha,) if alpha else (), (beta,) if beta else ()]
    path.write_text(before)
    assert because(sqlite, catalog) == [(), ()]


def test_a_gate_sends_every_subject_and_every_control(catalog: Catalog) -> None:
    spec = gate_spec(catalog.task("adder"), ("alpha",), 2)
    asked = [str(system.settings["subject"]) for system in spec.systems]
    controls = [control_subject(control) for control in Control]
    assert asked == ["reference", "reference", "starter", "fault:drops-sign", *controls]
    cut = {system.name: system.settings.get("check_wall_s") for system in spec.systems}
    assert {name for name, wall_s in cut.items() if wall_s} == {"control-sleep"}
    assert cut["control-sleep"] == SLEEP_WALL_S
    assert CampaignSpec.model_validate_json(spec.model_dump_json()) == spec


def test_a_gate_that_goes_on_is_found_and_one_of_another_universe_is_outdated(
    sqlite: Database, catalog: Catalog, tmp_path: Path
) -> None:
    spec = gate_spec(catalog.task("adder"), ("alpha", "beta"), 1)
    assert unfinished_gate(sqlite, spec) is None
    gate = start_campaign(sqlite, catalog, spec, FixedClock(NOW), unproven=True)
    going = unfinished_gate(sqlite, spec)
    assert going is not None
    assert going.id == gate
    assert outdated_gates(sqlite, catalog, ["adder"]) == []
    ticket = tmp_path / "tasks" / "adder" / "public" / "ticket.md"
    ticket.write_text(ticket.read_text() + "Thanks.\n")
    assert outdated_gates(sqlite, catalog, ["adder"]) == [gate]
    assert outdated_gates(sqlite, catalog, ["other"]) == []
