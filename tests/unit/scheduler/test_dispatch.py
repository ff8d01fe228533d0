"""The dispatcher's choice: pure."""

from models.schemas.run import Stage
from models.storage.dispatching import Backlog, Candidate
from scheduler.dispatch import choose


def backlog(campaign: int, queue: int, *, priority: int = 0, stage: Stage = Stage.AGENT) -> Backlog:
    return Backlog(campaign, priority, queue, f"queue-{queue}", stage)


def run(run_id: int, repeat: int = 1, cell: int = 1) -> Candidate:
    return Candidate(repeat, cell, run_id, 0)


def test_nothing_waits_so_nothing_is_chosen() -> None:
    assert not any(choose({}, {}).values())


def test_campaigns_of_one_priority_take_turns_by_repeat_then_cell() -> None:
    found = {
        backlog(1, 1): [run(1, 1, 1), run(2, 2, 1)],
        backlog(2, 1): [run(3, 1, 2), run(4, 2, 2)],
    }
    chosen = choose(found, {1: 3})[Stage.AGENT]
    assert [one.run_id for one in chosen] == [1, 3, 2]


def test_a_higher_priority_goes_first_whatever_the_repeat() -> None:
    found = {
        backlog(1, 1, priority=0): [run(1, 1)],
        backlog(2, 1, priority=5): [run(2, 9), run(3, 10)],
        backlog(3, 1, priority=-5): [run(4, 1)],
    }
    chosen = choose(found, {1: 10})[Stage.AGENT]
    assert [one.run_id for one in chosen] == [2, 3, 1, 4]


def test_every_queue_has_its_own_room() -> None:
    found = {
        backlog(1, 1): [run(1), run(2, 2)],
        backlog(1, 2): [run(3), run(4, 2)],
        backlog(1, 3, stage=Stage.GRADE): [run(5), run(6, 2)],
    }
    chosen = choose(found, {1: 1, 2: 5, 3: -2})
    assert [one.run_id for one in chosen[Stage.AGENT]] == [1, 3, 4]
    assert chosen[Stage.GRADE] == []


def test_grading_is_marked_before_new_work() -> None:
    assert next(iter(choose({}, {}))) is Stage.GRADE
