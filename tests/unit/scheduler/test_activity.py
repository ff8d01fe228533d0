"""The pace of a farm, the time left, and the look in words."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.schemas.campaign import CampaignState
from models.schemas.campaign_activity import TimeLeft
from models.schemas.run import Stage
from models.storage.activity import QueueLoad
from scheduler.activity.throughput import ENOUGH, WINDOW_S, throughput_of
from scheduler.activity.time_left import time_left
from scheduler.cli.progress_text import left_text, rate_text

NOW = 1_700_000_000.0


@dataclass(frozen=True)
class Done:
    queue_pk: int
    started_at: float
    ended_at: float | None
    ok: bool = True


def steadily(count: int, every_s: float, until: float = NOW, queue: int = 1) -> list[Done]:
    """One after the other, the last of them ending at `until`."""
    ends = [until - every_s * n for n in range(count)]
    return [Done(queue, end - every_s, end) for end in ends]


def load(remaining: int, pk: int = 1, name: str = "agent.python") -> QueueLoad:
    return QueueLoad(pk, name, Stage.AGENT, remaining=remaining)


def left(remaining: int, attempts: list[Done], now: float = NOW) -> TimeLeft:
    loads = [load(remaining)] if remaining else []
    return time_left(CampaignState.RUNNING, loads, throughput_of(attempts, now), ())


def test_a_pause_is_no_part_of_the_pace() -> None:
    before = steadily(40, 2.0, until=NOW - 40_000)
    after = steadily(10, 2.0)
    assert throughput_of([*before, *after], NOW).per_s(1) == pytest.approx(0.5)


def test_in_a_pause_nothing_is_known() -> None:
    assert left(10, steadily(40, 2.0, until=NOW - 500)).why == "nothing is at work"


def test_of_much_evidence_only_the_last_minutes_count() -> None:
    slow_then_fast = [
        *steadily(200, 1.0),
        *steadily(100, 60.0, until=NOW - 200),
    ]
    pace = throughput_of(slow_then_fast, NOW)
    assert pace.over_s == WINDOW_S
    assert sum(pace.done.values()) >= ENOUGH


def test_hour_long_stages_have_a_pace_though_few_of_them_end() -> None:
    pace = throughput_of(steadily(6, 3_600.0), NOW)
    assert pace.per_s(1) == pytest.approx(1 / 3_600)


def test_without_an_end_yet_the_time_left_is_unknown() -> None:
    assert left(10, [Done(1, NOW - 50, None)]).why == "nothing has ended yet"
    assert left_text(left(10, [Done(1, NOW - 50, None)])) == "? left (nothing has ended yet)"


def test_one_end_gives_no_upper_end() -> None:
    found = left(10, [Done(1, NOW - 50, NOW - 1)])
    assert found.high_s is None
    assert left_text(found).startswith("? left (at least")


def test_voids_are_no_progress() -> None:
    voids = [Done(1, one.started_at, one.ended_at, ok=False) for one in steadily(20, 1.0)]
    assert left(10, voids).why == "nothing has ended yet"


def test_a_queue_that_nothing_came_out_of_leaves_the_end_open() -> None:
    pace = throughput_of(steadily(40, 1.0), NOW)
    loads = [load(10), load(10, pk=2, name="agent.go")]
    assert time_left(CampaignState.RUNNING, loads, pace, ()).high_s is None
    told = time_left(CampaignState.RUNNING, loads, pace, ("agent.go",))
    assert (told.low_s, told.why) == (None, "no worker serves agent.go")


@given(st.integers(2, 500), st.floats(0.1, 30.0), st.integers(1, 10**6))
def test_the_range_holds_what_the_present_pace_would_take(
    done: int, every_s: float, remaining: int
) -> None:
    found = left(remaining, steadily(done, every_s))
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s <= remaining * every_s * (1 + 1e-6)
    assert found.high_s >= remaining * every_s * (1 - 1e-6)


def test_rates_are_told_in_the_unit_that_suits_them() -> None:
    assert [rate_text(rate) for rate in (12.34, 0.5, 0.001)] == ["12.3/s", "30.0/min", "3.6/h"]
