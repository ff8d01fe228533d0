"""The dispatcher's choice: pure."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from models.schemas.run import Stage
from models.storage.dispatching import Backlog, Candidate, InFlight
from scheduler.dispatch import Rooms, choose, money_rooms, page_sizes, time_rooms


def backlog(
    campaign: int,
    queue: int,
    *,
    priority: int = 0,
    stage: Stage = Stage.AGENT,
    system: int = 1,
    limited: str | None = None,
    in_time: int | None = None,
    in_money: int | None = None,
) -> Backlog:
    name = f"queue-{queue}"
    return Backlog(campaign, priority, queue, name, stage, system, limited, in_time, in_money)


def run(run_id: int, repeat: int = 1, cell: int = 1) -> Candidate:
    return Candidate(repeat, cell, run_id, 0)


def chosen_ids(
    found: Mapping[Backlog, Sequence[Candidate]], rooms: Rooms, stage: Stage = Stage.AGENT
) -> list[int]:
    """Where every page was larger than what waits."""
    return [one.run_id for one in choose(found, dict.fromkeys(found, 99), rooms)[stage]]


def test_nothing_waits_so_nothing_is_chosen() -> None:
    assert not any(choose({}, {}, Rooms({})).values())


def test_campaigns_of_one_priority_take_turns_by_repeat_then_cell() -> None:
    found = {
        backlog(1, 1): [run(1, 1, 1), run(2, 2, 1)],
        backlog(2, 1): [run(3, 1, 2), run(4, 2, 2)],
    }
    assert chosen_ids(found, Rooms({1: 3})) == [1, 3, 2]


def test_a_higher_priority_goes_first_whatever_the_repeat() -> None:
    found = {
        backlog(1, 1, priority=0): [run(1, 1)],
        backlog(2, 1, priority=5): [run(2, 9), run(3, 10)],
        backlog(3, 1, priority=-5): [run(4, 1)],
    }
    assert chosen_ids(found, Rooms({1: 10})) == [2, 3, 1, 4]


def test_every_queue_has_its_own_room() -> None:
    found = {
        backlog(1, 1): [run(1), run(2, 2)],
        backlog(1, 2): [run(3, 1, 2), run(4, 2, 2)],
        backlog(1, 3, stage=Stage.GRADE): [run(5), run(6, 2)],
    }
    rooms = Rooms({1: 1, 2: 5, 3: -2})
    assert chosen_ids(found, rooms) == [1, 3, 4]
    assert chosen_ids(found, rooms, Stage.GRADE) == []


def test_grading_is_marked_before_new_work() -> None:
    assert next(iter(choose({}, {}, Rooms({})))) is Stage.GRADE


def test_a_full_system_is_skipped_and_keeps_nothing_else_back() -> None:
    found = {
        backlog(1, 1, system=1, limited="a"): [run(1, 1, 1), run(2, 2, 1), run(3, 3, 1)],
        backlog(1, 1, system=2): [run(4, 1, 2), run(5, 2, 2)],
        backlog(1, 2, system=1, limited="a"): [run(6, 1, 3)],
    }
    assert chosen_ids(found, Rooms({1: 9, 2: 9}, {"a": 2})) == [1, 4, 6, 5]
    assert chosen_ids(found, Rooms({1: 9, 2: 9}, {"a": 0})) == [4, 5]


def test_limits_are_for_agents_at_work_and_not_for_grading() -> None:
    found = {
        backlog(1, 1, stage=Stage.GRADE, limited="a", in_time=0, in_money=0): [run(1), run(2, 2)]
    }
    assert chosen_ids(found, Rooms({1: 9}, {"a": 0}, {1: 0}, {1: 0}), Stage.GRADE) == [1, 2]


def test_a_budget_pays_first_for_messages_that_are_on_their_way() -> None:
    lanes = [backlog(1, 1, in_time=3), backlog(2, 1)]
    moving = [InFlight(1, 1, 1, Stage.AGENT, 2), InFlight(2, 1, 1, Stage.GRADE, 7)]
    assert time_rooms(lanes, moving) == {1: 1}
    found = {lanes[0]: [run(1), run(2, 2)], lanes[1]: [run(3, 1, 2), run(4, 2, 2)]}
    assert chosen_ids(found, Rooms({1: 9}, {}, {1: 1})) == [1, 3, 4]


def test_money_is_taken_by_systems_that_spend_alone_and_time_by_all() -> None:
    pays, free = backlog(1, 1, in_time=9, in_money=3), backlog(1, 1, system=2, in_time=9)
    moving = [
        InFlight(1, 1, 1, Stage.AGENT, 2, spends=True),
        InFlight(1, 2, 1, Stage.AGENT, 4, spends=False),
    ]
    rooms = Rooms({1: 9}, {}, time_rooms([pays, free], moving), money_rooms([pays, free], moving))
    assert (rooms.times, rooms.moneys) == ({1: 3}, {1: 1})
    found = {pays: [run(1), run(2, 2)], free: [run(n, n, 2) for n in (3, 4, 5)]}
    assert chosen_ids(found, rooms) == [1, 3, 4]


def test_nothing_is_chosen_beyond_the_end_of_a_page_that_may_go_on() -> None:
    found = {
        backlog(1, 1, system=1): [run(1, 1, 1), run(2, 2, 1)],
        backlog(1, 1, system=2): [run(3, 1, 2), run(4, 5, 2)],
        backlog(1, 2, system=2): [run(5, 9, 3)],
    }
    pages = dict(zip(found, (2, 9, 9), strict=True))
    chosen = choose(found, pages, Rooms({1: 9, 2: 9}))[Stage.AGENT]
    assert [one.run_id for one in chosen] == [1, 3, 2, 5]


def test_a_lane_without_room_is_not_looked_at() -> None:
    full, free = backlog(1, 1, system=1, limited="a"), backlog(1, 1, system=2)
    assert page_sizes([full, free], Rooms({1: 8}, {"a": 0})) == {free: 8}


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    room=st.integers(1, 12),
    limit=st.integers(0, 5),
)
def test_going_on_tick_by_tick_gives_the_order_of_one_great_choice(
    sizes: list[int], room: int, limit: int
) -> None:
    """Whatever the pages: what is chosen in the end is what there was to choose, in order."""
    waiting = {
        backlog(1, 1, system=n, limited="a" if n == 0 else None): [
            run(n * 100 + repeat, repeat, n) for repeat in range(1, size + 1)
        ]
        for n, size in enumerate(sizes)
    }
    wanted = chosen_ids(waiting, Rooms({1: room}, {"a": limit}))
    got: list[int] = []
    while len(got) < room:
        taken = sum(one < 100 for one in got)
        rooms = Rooms({1: room - len(got)}, {"a": limit - taken})
        left = {
            lane: [one for one in runs if one.run_id not in got] for lane, runs in waiting.items()
        }
        lanes = [lane for lane, runs in left.items() if runs]
        pages = {lane: min(size, 2) for lane, size in page_sizes(lanes, rooms).items()}
        found = {lane: left[lane][:size] for lane, size in pages.items()}
        chosen = choose(found, pages, rooms)[Stage.AGENT]
        if not chosen:
            break
        got += [one.run_id for one in chosen]
    assert got == wanted
