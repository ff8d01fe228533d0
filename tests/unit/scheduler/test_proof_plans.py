"""Which verifiers have to be proved, while workers are still making languages ready."""

from pathlib import Path

import pytest

from models.migrations.upgrade import upgrade_database
from models.schemas.campaign import CampaignState
from models.schemas.worker import WorkerRecord
from models.settings import read_settings
from models.storage.gates import save_decision
from models.storage.workers import register_worker
from scheduler.cli.proving import settled_plan
from scheduler.farm_access.local_farm import LocalFarm
from tests.unit.scheduler.gate_samples import decision, small_catalog

PROVED_WITH = "alpha 1.0"


@pytest.fixture
def farm(tmp_path: Path) -> LocalFarm:
    """A farm in whose past alpha was proved with one toolchain."""
    catalog = small_catalog(tmp_path)
    tasks, languages = str(tmp_path / "tasks"), str(tmp_path / "languages")
    settings = read_settings(
        {
            "GRADEFARM_HOME": str(tmp_path / "home"),
            "GRADEFARM_CATALOG_PUBLIC": tasks,
            "GRADEFARM_CATALOG_SEALED": tasks,
            "GRADEFARM_LANGUAGES": languages,
        }
    )
    settings.home.mkdir()
    upgrade_database(settings.database_url)
    access = LocalFarm(settings)
    universe = catalog.variant("adder", "alpha").universe
    with access.database.transaction() as session:
        save_decision(session, decision("alpha", universe=universe, toolchain=PROVED_WITH), 1.0)
    return access


def worker(farm: LocalFarm, toolchain: str) -> None:
    """A grade worker registers: with `toolchain`, or still making alpha ready where it is empty."""
    now = farm.clock.now()
    record = WorkerRecord(
        name="grade@here",
        host="here",
        pid=1,
        roles=("grade", "agent"),
        queues=(),
        slots=1,
        toolchains={"alpha": toolchain} if toolchain else {},
        warming=() if toolchain else ("alpha",),
        isolation="bubblewrap",
        started_at=now,
        beat_at=now,
    )
    with farm.database.transaction() as session:
        register_worker(session, record)


@pytest.mark.parametrize(("toolchain", "again"), [(PROVED_WITH, []), ("alpha 2.0", ["alpha"])])
def test_a_proof_waits_until_its_language_is_ready_to_say_with_what(
    farm: LocalFarm, toolchain: str, again: list[str]
) -> None:
    worker(farm, "")
    looks: list[int] = []

    def made_ready() -> None:
        looks.append(1)
        if len(looks) == 2:
            worker(farm, toolchain)

    proving, asked = farm.proving, [("adder", "alpha")]
    plan = settled_plan(
        lambda: proving.plan_variants(asked, repeats=1, force=False), on_look=made_ready
    )
    assert len(looks) == 2
    assert [proof.language for proof in plan.to_prove] == again


def test_a_language_that_was_never_proved_is_not_waited_for(farm: LocalFarm) -> None:
    worker(farm, "")
    plan = farm.proving.plan_variants([("adder", "beta")], repeats=1, force=False)
    assert not plan.readying
    assert [proof.because for proof in plan.to_prove] == [("never proved before",)]


def test_where_no_worker_lives_the_newest_proof_is_taken_at_its_word(farm: LocalFarm) -> None:
    assert not farm.proving.plan_variants([("adder", "alpha")], repeats=1, force=False).to_prove


def test_a_gate_is_begun_at_once_and_its_runs_are_left_to_who_inserts_them(farm: LocalFarm) -> None:
    plan = farm.proving.plan_variants([("adder", "beta")], repeats=1, force=False)
    later: list[str] = []
    begun = farm.proving.begin_plan(plan, later.append)
    assert list(begun) == later
    found = farm.campaigns.find(*begun)
    assert (found.state, found.planned) == (CampaignState.PLANNING, 0)
    assert farm.proving.begin_plan(plan, later.append) == begun
    assert len(later) == 1
