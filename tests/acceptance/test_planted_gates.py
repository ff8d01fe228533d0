"""What is planted in a verifier by hand turns its gate red, with exactly the reason for it."""

import json
from collections.abc import Generator
from pathlib import Path

import psutil
import pytest

from models.schemas.gate import GateColour, GateRule, ParityDecision
from models.schemas.run import RunState
from models.schemas.run_filter import RunFilter
from models.storage.runs import list_runs
from models.storage.transaction import open_database
from tests.acceptance.farm_process import READY, FarmHome, farm_home, wait_for
from tests.acceptance.planted_catalog import write_flaky, write_planted, write_slow

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(540)]

NOT_GREEN = 4
FLAKY_REPEATS = 8
KILLS = 3
"""As many attempts as a stage has."""
PATIENCE_S = 120
"""What a machine's trouble ended is tried again after up to 30 s, on a slow machine later."""

Reason = tuple[str, GateRule, str, str]
"""Language, rule, subject, check."""


class PlantedFarm(FarmHome):
    """A farm over the planted tasks, which gives lost work up quickly."""

    @property
    def tasks(self) -> Path:
        """Where its tasks lie."""
        return self.home.parent / "tasks"

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "GRADEFARM_CATALOG_PUBLIC": str(self.tasks),
            "GRADEFARM_CATALOG_SEALED": str(self.tasks),
            "GRADEFARM_LEASE_S": "3",
            "GRADEFARM_BEAT_S": "0.5",
        }

    def prove(self, *words: str) -> dict[str, dict[str, ParityDecision]]:
        """Run gates that end otherwise than green; the decisions by task and language."""
        ended = self.run("gate", "run", "--json", *words, patience_s=240)
        assert ended.returncode == NOT_GREEN, ended.stderr
        found: dict[str, dict[str, ParityDecision]] = {}
        for record in json.loads(ended.stdout):
            decision = ParityDecision.model_validate(record["decision"])
            found.setdefault(record["task"], {})[record["language"]] = decision
        return found


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Generator[PlantedFarm]:
    folder = tmp_path_factory.mktemp("planted")
    write_planted(folder)
    with farm_home(folder) as plain:
        farm = PlantedFarm(plain.home)
        # One run at a time, so that who kills the pool kills no run but the one that is meant.
        with farm.started("up", "--no-flower", "--slots", "1", until=READY):
            yield farm


@pytest.fixture(scope="module")
def decided(farm: PlantedFarm) -> dict[str, dict[str, ParityDecision]]:
    return farm.prove()


def blocking(decisions: dict[str, ParityDecision]) -> set[Reason]:
    return {
        (language, reason.rule, reason.subject, reason.check)
        for language, decision in decisions.items()
        for reason in decision.reasons
        if reason.blocks
    }


def disagreements(*cells: tuple[str, str]) -> set[Reason]:
    """Of two languages nobody knows which is right: each is told of the difference."""
    return {
        (language, GateRule.LANGUAGES_AGREE, subject, check)
        for language in ("javascript", "python")
        for subject, check in cells
    }


def test_a_task_with_nothing_planted_is_green(
    decided: dict[str, dict[str, ParityDecision]],
) -> None:
    assert blocking(decided["sound"]) == set()
    assert {one.colour for one in decided["sound"].values()} == {GateColour.GREEN}


def test_a_check_that_is_stricter_in_the_path_of_one_language_is_red(
    decided: dict[str, dict[str, ParityDecision]],
) -> None:
    fault = "fault:drops-sign"
    assert blocking(decided["stricter-javascript"]) == {
        ("javascript", GateRule.REFERENCE_PASSES, "reference", "hidden-large"),
        ("javascript", GateRule.FAULT_STAYS_IN_BOUNDS, fault, "hidden-large"),
        *disagreements(("reference", "hidden-large"), (fault, "hidden-large")),
    }
    javascript = decided["stricter-javascript"]["javascript"]
    assert javascript.colour is GateColour.RED
    [told] = [one.text for one in javascript.reasons if one.rule is GateRule.REFERENCE_PASSES]
    assert told.startswith("hidden-large ends as wrong in 3 runs (")


def test_a_fault_that_survives_in_one_language_is_red(
    decided: dict[str, dict[str, ParityDecision]],
) -> None:
    fault = "fault:drops-sign"
    assert blocking(decided["surviving-fault"]) == {
        ("javascript", GateRule.FAULT_IS_CAUGHT, fault, "hidden-negative"),
        *disagreements((fault, "hidden-negative")),
    }
    assert {one.colour for one in decided["surviving-fault"].values()} == {GateColour.RED}


def test_a_starter_that_passes_a_hidden_check_is_red(
    decided: dict[str, dict[str, ParityDecision]],
) -> None:
    assert blocking(decided["easy-starter"]) == {
        ("python", GateRule.STARTER_FAILS_AS_DECLARED, "starter", "hidden-large"),
        *disagreements(("starter", "hidden-large")),
    }


def test_a_reference_that_flips_is_red_with_the_count_of_its_flips(
    farm: PlantedFarm, decided: dict[str, dict[str, ParityDecision]]
) -> None:
    assert "flaky" not in decided
    write_flaky(farm.tasks / "flaky")
    words = ("--task", "flaky", "--repeats", str(FLAKY_REPEATS))
    decisions = farm.prove(*words)["flaky"]
    python, javascript = decisions["python"], decisions["javascript"]
    flips = [reason for reason in python.reasons if reason.rule is GateRule.NO_FLIPS]
    assert {reason.subject for reason in flips} == {"reference"}
    assert "flips between repeats" in flips[0].text
    assert python.rows[0].flips > 0
    assert [rate.flips for rate in python.flip_rates] == [python.rows[0].flips]
    assert python.flip_rates[0].upper_bound > 0.3
    # 1 - 0.05 ** (1 / 8): no flip in eight repeats.
    assert javascript.flip_rates[0].upper_bound == pytest.approx(0.3123, abs=1e-4)
    assert not [one for one in javascript.reasons if one.rule is GateRule.NO_FLIPS]
    assert python.colour is GateColour.RED


def test_a_worker_that_is_killed_again_and_again_leaves_the_gate_open(
    farm: PlantedFarm, decided: dict[str, dict[str, ParityDecision]]
) -> None:
    assert "slow" not in decided
    write_slow(farm.tasks / "slow")
    words = ("gate", "run", "--task", "slow", "--language", "python", "--repeats", "1")
    with farm.started(*words, until="to prove: 1 of 1") as proving:
        kill_whoever_grades_the_reference(farm)
        wait_for(lambda: proving.process.poll() is not None, PATIENCE_S)
    assert proving.process.returncode == NOT_GREEN
    shown = farm.run("gate", "show", "--json", "--task", "slow", "--language", "python")
    [record] = json.loads(shown.stdout)
    decision = ParityDecision.model_validate(record["decision"])
    assert decision.colour is GateColour.INCONCLUSIVE
    assert blocking({"python": decision}) == {
        ("python", GateRule.SUBJECT_HAS_EVIDENCE, "reference", ""),
    }
    [void] = [reason for reason in decision.reasons if reason.rule is GateRule.NO_VOIDS]
    assert "worker_lost" in void.text
    assert "slow/python: INCONCLUSIVE" in proving.text
    again = farm.run("gate", "run", "--task", "slow", "--language", "python", "--repeats", "1")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "slow/python: its last gate was inconclusive" in again.stdout


def kill_whoever_grades_the_reference(farm: PlantedFarm) -> None:
    """Kill the pool of the grade worker each time that it grades the reference."""
    database = open_database(f"sqlite:///{farm.home / 'farm.db'}")
    at_work = RunFilter(task="slow", system="reference", state=RunState.GRADE_LEASED)

    def is_graded() -> bool:
        with database.read() as session:
            return bool(list_runs(session, at_work))

    for _ in range(KILLS):
        wait_for(is_graded, PATIENCE_S)
        for child in grade_pool(farm):
            child.kill()
        wait_for(lambda: not is_graded(), PATIENCE_S)
    database.close()


def grade_pool(farm: PlantedFarm) -> list[psutil.Process]:
    """The processes that the grade worker has forked to grade."""
    workers = {
        process.pid: process
        for process in farm.processes()
        if "worker --role grade" in " ".join(process.cmdline())
    }
    pool = [process for process in workers.values() if process.ppid() in workers]
    assert pool
    return pool
