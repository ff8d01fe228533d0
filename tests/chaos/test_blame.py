"""What a fault excuses, and what it does not."""

from types import SimpleNamespace

from models.verdicts import AttemptEnding, VoidCategory
from tests.chaos.blame import REAPED_WITHIN_S, explains
from tests.chaos.faults import GONE, NOTHING, Strike

KILLED = Strike("worker killed", "agent-1", 100.0, GONE, ("agent-1",), ended=101.0)
NO_DATABASE = Strike("database crashed", "database", 105.0, NOTHING, ended=115.0)
IN_TIME = KILLED.ended + REAPED_WITHIN_S


def lost(ended_at: float, *, started_at: float = 99.0, worker: str = "agent-1@here") -> object:
    return SimpleNamespace(
        run_id=7,
        worker=worker,
        ending=AttemptEnding.LOST,
        category=VoidCategory.WORKER_LOST,
        started_at=started_at,
        ended_at=ended_at,
    )


def test_a_lease_that_is_reaped_in_time_is_explained_by_its_fault() -> None:
    assert explains(KILLED, lost(IN_TIME))


def test_a_lease_that_is_reaped_long_after_its_fault_is_not() -> None:
    assert not explains(KILLED, lost(IN_TIME + 0.1))


def test_while_the_reaper_was_hit_itself_it_may_take_as_much_longer() -> None:
    late = lost(IN_TIME + 9.0)
    assert explains(KILLED, late, [KILLED, NO_DATABASE])
    assert not explains(KILLED, lost(IN_TIME + 60.0), [KILLED, NO_DATABASE])


def test_a_fault_explains_nothing_elsewhere_nor_what_began_after_it() -> None:
    assert not explains(KILLED, lost(105.0, worker="agent-2@here"))
    assert not explains(KILLED, lost(IN_TIME, started_at=102.0))


def test_an_order_to_stop_runs_is_held_against_them_on_whatever_worker() -> None:
    order = Strike("paused at once", "campaign", 100.0, GONE, ended=101.0, runs=(7,))
    assert explains(order, lost(102.0, worker="agent-2@here"))
