"""A small storm with every kind of fault: nothing lost, nothing twice, nobody wrongly blamed."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.faults import FAULTS, NEEDS_CLOCK, NEEDS_DISK
from tests.chaos.outcome import close_storm, outcome_text
from tests.chaos.planted_systems import PLANTED
from tests.chaos.storm import Storm, StormPlan, storm_root
from tests.chaos.storm_farm import StormFarm
from tests.conftest import miss

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(900)]

PLAN = StormPlan(runs=150, faults=len(FAULTS), seed=20261130)
LOG_SHOWN = 4_000


@pytest.fixture
def farm() -> Iterator[StormFarm]:
    root = storm_root()
    try:
        farm = StormFarm(root)
        if not farm.has_disks:
            miss("root, to give workers small disks")
        if not farm.has_clocks:
            miss("a C compiler, to give processes clocks of their own")
        yield farm
        farm.close()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def test_after_every_kind_of_fault_each_run_counts_once_and_nobody_is_wrongly_blamed(
    farm: StormFarm,
) -> None:
    farm.start()
    storm = Storm(farm, PLAN, print)
    storm.run()
    outcome = close_storm(storm)
    print(outcome_text(outcome))
    assert set(outcome.strikes) == {fault.kind for fault in FAULTS}
    assert outcome.clean, f"{outcome_text(outcome)}\n{_logs(farm.root)}"
    assert outcome.orders == {"paused at once": 1, "campaign cancelled": 1}
    assert outcome.ledger.cancelled >= 1, "the cancelled campaign was over before"
    assert outcome.ledger.endings["fenced (lease_expired)"] >= 1, outcome_text(outcome)


def test_every_fault_that_needs_something_of_the_machine_is_known() -> None:
    assert {fault.kind for fault in FAULTS} >= NEEDS_DISK | NEEDS_CLOCK


def _logs(root: Path) -> str:
    """The end of what each process said."""
    return "\n".join(
        f"== {log.parent.name}\n{log.read_text(errors='replace')[-LOG_SHOWN:]}"
        for log in sorted(root.glob("*/log"))
    )


def test_no_planted_system_is_another_under_a_second_name() -> None:
    """What a system does makes it that system: a limit of one would hold for both."""
    assert len({system.actions for system in PLANTED.values()}) == len(PLANTED)
